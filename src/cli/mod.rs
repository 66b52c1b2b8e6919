//! The command line that every game's program shares.
//!
//! A game implements [`Program`] with its texts and formats, and its `main` is a call of [`main`].
//! A program with commands of its own flattens [`Command`] into its own and calls
//! [`complete`], [`run`] and [`finish`] itself.

mod analysis;
mod analyze;
mod analyze_exact;
mod analyze_forced;
mod announcer;
mod args;
mod bench;
mod book;
mod book_build;
mod book_choice;
mod calibrate;
mod chooser;
mod engine;
mod failure;
mod format;
mod grade;
mod grade_report;
mod interactive;
mod interrupt;
mod match_report;
mod matches;
mod one_move;
mod opponents;
mod perft;
mod play;
mod position;
mod program;
mod programs;
pub mod progress;
mod replay;
mod screen;
mod seats;
mod serve;
mod solve;
mod text_file;
mod timing;
mod tournament;
mod tournament_report;

use std::process::{self, ExitCode};

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use analyze::AnalyzeArgs;
pub(crate) use analyze_forced::{extended, merge};
pub use args::{DepthOrTime, Effort, MemoryArgs, SearchArgs, ThreadsArgs};
pub use bench::BenchArgs;
pub use book::{BookArgs, book};
pub use book_choice::BookChoice;
pub use calibrate::CalibrateArgs;
pub use engine::EngineArgs;
pub use failure::{Failure, finish};
pub use grade::GradeArgs;
pub use interactive::{InteractiveArgs, Next};
pub use interrupt::listen;
pub use matches::MatchArgs;
pub use one_move::OneMoveArgs;
pub use perft::PerftArgs;
pub use play::{PlayArgs, play};
pub use program::Program;
pub use programs::ProgramArgs;
pub use replay::ReplayArgs;
pub(crate) use replay::check_record;
pub(crate) use seats::any_seed;
pub use serve::ServeArgs;
pub use solve::{SolveArgs, solve};
pub use text_file::TextFile;
pub use timing::TimingArgs;
pub use tournament::{TournamentArgs, TournamentCommand, TournamentMergeArgs, TournamentRunArgs};

use crate::external::supervise;
use crate::game::Game;
use crate::server::OnPage;
pub use crate::whole_number::whole_number;

/// The commands that every program has.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Read a position, make one move, and write the position after it
    OneMove(OneMoveArgs),
    /// Play against a human
    Interactive(InteractiveArgs),
    /// Play a game, or a match, between two players
    Play(PlayArgs),
    /// Compare two players by many games: score, Elo, and how sure that is
    ///
    /// Every opening is played twice, with the sides swapped. The error bars are 95 % intervals
    /// from the variance of the pairs. Ctrl-C shows the result so far.
    Match(MatchArgs),
    /// Play the tournament that a file describes: places, ratings, and a page with every game
    ///
    /// Every game is kept as soon as it ends: the same command goes on where a run was stopped or
    /// killed. A player that cannot be started is named, and the others play. For a cluster, run
    /// --shard 1/N to N/N, each with a folder of its own, and `merge` them.
    /// src/tournament/INSTRUCTORS.md describes the file.
    Tournament(TournamentArgs),
    /// Find the greatest depth at which a program moves within a time
    Calibrate(CalibrateArgs),
    /// Check a program, or a class of them, against the requirements of the assignment
    ///
    /// Every check has a name and points. A check that does not apply to the kind of player does
    /// not count. One submission cannot delay the others beyond its own limits.
    Grade(GradeArgs),
    /// Step through a recorded game, and check every move
    Replay(ReplayArgs),
    /// Show what every move of a position is worth
    Analyze(AnalyzeArgs),
    /// Play and analyse in the browser
    ///
    /// Prints the address of the page, and runs until Ctrl-C. Only this computer can reach it unless
    /// --address says otherwise. Games stay in the browser; the server keeps none.
    Serve(ServeArgs),
    /// Count the sequences of legal moves from a position
    Perft(PerftArgs),
    /// Search a fixed set of positions, to compare speed and node count
    Bench(BenchArgs),
    /// Measure the CPU time of one move, for every depth up to the first over a limit
    ///
    /// The time is the CPU time (user and system) of this process. Every measurement starts with
    /// an empty transposition table, and includes making it.
    ///
    /// The table ends with the first depth whose median time is over --max-cpu; that depth is
    /// still finished and listed. It ends earlier with the depth that reaches the last move of
    /// the game or otherwise proves the result, for greater depths would be the same search.
    ///
    /// The rows are shown as an aligned table, or as CSV if standard output is not a terminal and
    /// there is no --csv.
    Timing(TimingArgs),
    /// Be a player for another program's referee, by the line protocol
    ///
    /// The protocol is that of players called line:COMMAND. It reads standard input and answers on
    /// standard output.
    Engine(EngineArgs),
    /// Hold somebody else's program, as this program tells itself to
    #[command(hide = true)]
    Supervise(SuperviseArgs),
}

/// The arguments of `supervise`, which this program gives itself.
#[derive(Clone, Debug, Args)]
pub struct SuperviseArgs {
    /// Become the program that this text describes
    #[arg(long)]
    confine: Option<String>,
}

#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The whole of a program that has the shared commands and no others.
#[must_use]
pub fn main<P: OnPage>(program: &P) -> ExitCode {
    let command = Cli::command().name(P::Game::NAME).about(P::ABOUT).long_about(None);
    let matches: ArgMatches = complete::<P>(command).get_matches();
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => finish(run(program, cli.command)),
        Err(error) => error.exit(),
    }
}

/// Runs a command.
///
/// # Errors
///
/// Whatever kept it from doing what was asked.
pub fn run<P: OnPage>(program: &P, command: Command) -> Result<(), Failure> {
    match command {
        Command::OneMove(args) => one_move::run(program, &args),
        Command::Interactive(args) => interactive::run(program, &args),
        Command::Play(args) => play(program, &args),
        Command::Match(args) => matches::run(program, &args),
        Command::Tournament(args) => tournament::run(program, &args),
        Command::Calibrate(args) => calibrate::run(program, &args),
        Command::Grade(args) => grade::run(program, &args),
        Command::Replay(args) => replay::run(program, &args),
        Command::Analyze(args) => analyze::run(program, &args),
        Command::Serve(args) => serve::run(program, &args),
        Command::Perft(args) => perft::run(program, &args),
        Command::Bench(args) => bench::run(program, &args),
        Command::Timing(args) => timing::run(program, &args),
        Command::Engine(args) => engine::run(program, &args),
        Command::Supervise(args) => process::exit(supervise(args.confine.as_deref()).into()),
    }
}

/// Adds to the shared commands among the subcommands of `command` what depends on the game: the
/// range of depths, and examples where a command has no others. Without a command that makes books,
/// the options that take one are not shown. Numbers below zero become values of all options, to be
/// refused for what they are.
#[must_use]
pub fn complete<P: Program>(command: clap::Command) -> clap::Command {
    let makes_books = command.find_subcommand("book").is_some();
    let show_book = move |arg| if makes_books { arg } else { args::hide_book(arg) };
    allow_negative(command).mut_args(show_book).mut_subcommands(|command| {
        let Some(examples) = examples(command.get_name()) else { return command };
        if command.get_after_help().is_some() {
            // A command of the game's own, which only has the name of a shared one.
            return command;
        }
        let help = help::<P>(command.get_name(), examples);
        command.after_help(help).mut_args(args::limit_depth::<P>).mut_args(show_book)
    })
}

fn allow_negative(command: clap::Command) -> clap::Command {
    command.mut_args(args::allow_negative).mut_subcommands(allow_negative)
}

/// What the help of a command says about its examples.
fn help<P: Program>(command: &str, examples: &[&str]) -> String {
    let lines = examples.iter().map(|example| {
        let line = format!("  {} {command} {example}", P::Game::NAME);
        line.replace("{file}", P::EXAMPLE_FILE).trim_end().to_owned()
    });
    format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The examples of a shared command; `None` for others.
fn examples(command: &str) -> Option<&'static [&'static str]> {
    Some(match command {
        "one-move" => {
            &["{file} out.txt 7", "{file} out.txt --time 1s", "{file} /dev/stdout perfect"]
        }
        "interactive" => {
            &["{file} computer-next 7", "{file} human-next --time 2s", "new.txt human-next 7"]
        }
        "analyze" => &["{file}", "{file} --depth 12", "{file} --time 10s --json"],
        "solve" => &["{file}", "{file} --json", "--size 5x4 --verify"],
        "book" => &[
            "build --plies 4 --out book.bin",
            "build --plies 4 --out part2.bin --shard 2/8",
            "merge part1.bin part2.bin --out book.bin",
            "build --plies 8 --repertoire --threads 2 --out own.bin",
            "verify --sample 3",
        ],
        "play" => &[
            "human machine",
            "machine:depth=7 machine:time=1s Ann Bob --record game.jsonl",
            "machine random -r -q --seed 1",
            "human machine:perfect,time=1s",
            "machine 'line:python3 bob.py' --wall 5s --memory 512MiB",
            "random 'file:./ann one-move {in} {out} {depth}' --depth 7",
        ],
        "match" => &[
            "machine:depth=6 machine:depth=4 --games 200 --seed 1",
            "machine:time=0.5s machine:time=100ms --sprt 0,100 --jobs 2",
            "machine:depth=4 random --record games --csv pairs.csv",
        ],
        "engine" => &["", "machine:depth=7", "random --seed 1"],
        "tournament" => &[
            "class.toml --jobs 4",
            "class.toml --out part2 --shard 2/8",
            "merge class.toml part1 part2 --out class",
        ],
        "calibrate" => &[
            "--player machine:depth={depth} --limit 1s --depths 1..10",
            "--player 'file:./ann one-move {in} {out} {depth}' \\\n      --positions 20 --csv ann.csv",
        ],
        "grade" => &[
            "--player machine:depth={depth} --json results.json",
            "--player 'file:{folder}/player {in} {out} {depth}' \\\n      --class subs --out grades",
        ],
        "replay" => &["game.jsonl"],
        "serve" => &["", "--open", "--port 8080 --table 512"],
        "perft" => &["5", "{file} 6", "{file} 4 --divide"],
        "bench" => &["", "--table 256"],
        "timing" => &[
            "--csv times.csv --plot times.svg",
            "--csv times.csv --plot times.svg --search minimax",
            "{file} --depths 1..8 --runs 5",
        ],
        _ => return None,
    })
}
