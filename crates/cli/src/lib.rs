//! The commands that every game's program shares.
//!
//! A command parses its arguments, calls the crates below and prints what they find. The program of
//! a game that has no commands of its own is a call of [`main`]. Others flatten [`Command`] into
//! their own and call [`complete`], [`run`] and [`finish`] themselves.

mod analyze;
mod args;
mod bench;
mod book;
mod calibrate;
mod cluster;
mod commands;
mod effort;
mod engine;
mod explain;
mod failure;
mod grade;
mod match_report;
mod matches;
mod one_move;
mod play;
mod programs;
pub mod progress;
mod replay;
#[cfg(target_os = "linux")]
mod sandbox;
mod serve;
mod solve;
mod starter;
mod submissions;
mod timing;
mod tournament;

use std::process::{self, ExitCode};
use std::{env, slice};

use clap::{ArgMatches, FromArgMatches, Subcommand};
use plyground_host::{SharedGame, instructions};
use plyground_sandbox::{SUPERVISE, is_inside, supervise};

use self::cluster::SharedCommands;

pub use analyze::AnalyzeArgs;
pub use args::{BookChoice, SearchArgs, TableArgs, TextFile, ThreadsArgs};
pub use bench::{BenchArgs, PerftArgs};
pub use book::{BookArgs, BookBuildArgs, BookCommand, BookMergeArgs, BookVerifyArgs};
pub use calibrate::CalibrateArgs;
pub use cluster::{
    ClusterArgs, ClusterCommand, ClusterCommands, ClusterMergeArgs, ClusterRunArgs,
    ClusterSlurmArgs, ClusterStatusArgs, ClusterWorkArgs, Job, Order, Prepared, SharedCommandArgs,
    cluster, read_command, shared_job,
};
pub use commands::{as_asked, as_part_of, complete};
pub use effort::{DepthOrTime, Effort};
pub use engine::{EngineArgs, EngineCheckArgs, engine_check};
pub use explain::{ExplainArgs, OrderChoice, PracticeArgs};
pub use failure::{Failure, exit, finish, listen, warn};
pub use grade::{AutogradeArgs, GradeArgs, GradeCommand, GradeRunArgs, GradescopeArgs, Whom};
pub use matches::MatchArgs;
pub use one_move::{InteractiveArgs, Next, OneMoveArgs};
pub use play::{PlayArgs, play};
pub use programs::ProgramArgs;
pub use replay::ReplayArgs;
#[cfg(target_os = "linux")]
pub use sandbox::{SandboxArgs, sandbox};
pub use serve::{ServeArgs, serve};
pub use solve::SolveArgs;
pub use starter::{StarterArgs, starter};
pub use submissions::{SubmissionsArgs, submissions};
pub use timing::TimingArgs;
pub use tournament::{TournamentArgs, TournamentCommand, TournamentMergeArgs, TournamentRunArgs};

/// The sentence in the help that refers to the manual.
pub const MANUAL: &str = "The Plyground manual describes all commands, with examples.";

/// The commands that every game has.
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
    /// Every game is kept as soon as it ends: the same command continues where a run was stopped or
    /// killed. A player that cannot be started is named, and the others play. `cluster` shares
    /// one among machines; without a folder in common, run --shard 1/N to N/N and `merge` them. The manual describes
    /// the file on its page for instructors.
    Tournament(TournamentArgs),
    /// Share the work of a tournament, a class, a book or a proof among machines, by Slurm or without
    Cluster(ClusterArgs),
    /// Find the greatest depth at which a player moves within a time
    Calibrate(CalibrateArgs),
    /// Check a program, or those of a class, against the requirements of the assignment
    ///
    /// Every check has a name and points. A check that does not apply to the kind of player does
    /// not count. One submission cannot delay the others beyond its own limits.
    Grade(Box<GradeArgs>),
    /// Write a folder to begin with: a program that plays legal moves at random
    ///
    /// It reads and writes as the assignment asks, and has a marked place for a search. `make check`
    /// in the folder holds it to the checks of `grade`.
    Starter(StarterArgs),
    /// Step through a recorded game, and check every move
    Replay(ReplayArgs),
    /// Show what every move of a position is worth
    Analyze(AnalyzeArgs),
    /// Show a search step by step: every position, its window, its value, and what was cut off
    ///
    /// The search is plain alpha-beta, or minimax, as textbooks have them. The tree comes as text, as
    /// a page to be opened in a browser, as a graph or as data, and with it how many positions the
    /// other ways to search look at.
    Explain(ExplainArgs),
    /// Draw questions about searches from a seed, with answers: a page that checks, or a sheet to print
    ///
    /// The questions ask what minimax returns for a small tree of a real position, which move it
    /// chooses, and which leaves alpha-beta does not look at; and which move wins, or is best to
    /// the end. The same seed gives the same questions.
    Practice(PracticeArgs),
    /// Play and analyze in the browser
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
    /// The time is the CPU time (user and system) of the thread that searches. Every measurement
    /// starts with an empty transposition table, and includes making it.
    ///
    /// The table ends with the first depth whose median time is over --max-cpu; that depth is still
    /// finished and listed. It ends earlier with the depth that reaches the last move of the game
    /// or otherwise proves the result, because greater depths would be the same search.
    ///
    /// The rows are shown as an aligned table, or as CSV if standard output is not a terminal and
    /// there is no --csv.
    Timing(TimingArgs),
    /// Be a player for another program's referee, by the line protocol
    ///
    /// The protocol is that of players named line:COMMAND. The program reads standard input and
    /// answers on standard output.
    Engine(EngineArgs),
    /// Check whether an engine speaks the line protocol
    ///
    /// The engine is any program that can be a player line:COMMAND. It is started anew for each of
    /// several named exchanges. For each, a line says what was expected, and what was found if that
    /// differs.
    EngineCheck(EngineCheckArgs),
}

/// The commands of a game that a search can look to the end of.
#[derive(Clone, Debug, Subcommand)]
enum SolvingCommand {
    /// Find the exact value of a position and of every move
    Solve(SolveArgs),
    /// Build, merge and check books for perfect play
    Book(BookArgs),
}

/// All commands that a game may share with others.
#[derive(Clone, Debug, Subcommand)]
enum SharedCommand {
    #[command(flatten)]
    Every(Box<Command>),
    #[command(flatten)]
    Solving(SolvingCommand),
}

/// Returns the text that `--version` prints after the name of the program: the version, and the
/// instructions that this build uses.
#[must_use]
pub fn version() -> String {
    format!("{} ({})", env!("CARGO_PKG_VERSION"), instructions())
}

/// Runs a program that has the shared commands of this game and no others.
#[must_use]
pub fn main(game: &SharedGame) -> ExitCode {
    supervise_if_asked();
    let game = as_asked(game, env::args_os());
    let matches = program(&game).try_get_matches().unwrap_or_else(|error| exit(error));
    finish(dispatch(&game, &matches))
}

/// Supervises another program if the arguments of this process say so. A
/// program that plays with other people's programs starts itself for that.
///
/// A submission must not let this program play for it: in a sandbox, the process ends.
pub fn supervise_if_asked() {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let words: Vec<_> = words.iter().filter_map(|word| word.to_str()).collect();
    if let [SUPERVISE, words @ ..] = &words[..] {
        process::exit(supervise(words).into());
    }
    if is_inside() {
        eprintln!(
            "error: plyground does not run in one of its sandboxes: a submission plays itself"
        );
        process::exit(1);
    }
}

/// The command line of a program that has the shared commands of this game and no others.
#[must_use]
pub fn program(game: &SharedGame) -> clap::Command {
    let mut command = Command::augment_subcommands(clap::Command::new(game.name()));
    if game.is_solvable() {
        command = SolvingCommand::augment_subcommands(command);
    }
    let command = command.version(version()).about(game.about()).long_about(None);
    let command = command.subcommand_required(true).arg_required_else_help(true);
    complete(game, command.after_help(MANUAL))
}

/// Does what the command line of [`program`] asks for.
///
/// # Errors
///
/// Whatever kept the command from doing what was asked.
pub fn dispatch(game: &SharedGame, matches: &ArgMatches) -> Result<(), Failure> {
    match SharedCommand::from_arg_matches(matches) {
        Ok(SharedCommand::Every(command)) => run(game, *command),
        Ok(SharedCommand::Solving(SolvingCommand::Solve(args))) => solve::run(&**game, &args),
        Ok(SharedCommand::Solving(SolvingCommand::Book(args))) => book::run(&**game, &args),
        Err(error) => exit(error),
    }
}

/// Runs a command.
///
/// # Errors
///
/// Whatever kept it from doing what was asked.
pub fn run(game: &SharedGame, command: Command) -> Result<(), Failure> {
    match command {
        Command::OneMove(args) => one_move::one_move(&**game, &args),
        Command::Interactive(args) => one_move::interactive(&**game, &args),
        Command::Play(args) => play(game, &args),
        Command::Match(args) => matches::run(game, &args),
        Command::Tournament(args) => tournament::run(game, &args),
        Command::Cluster(args) => cluster(game, &args, &SharedCommands),
        Command::Calibrate(args) => calibrate::run(game, &args),
        Command::Grade(args) => grade::run(game, &args),
        Command::Starter(args) => starter(slice::from_ref(game), &args),
        Command::Replay(args) => replay::run(&**game, &args),
        Command::Analyze(args) => analyze::run(game, &args),
        Command::Explain(args) => explain::explain(&**game, &args),
        Command::Practice(args) => explain::practice(&**game, &args),
        Command::Serve(args) => serve(&game.title(), slice::from_ref(game), &args),
        Command::Perft(args) => bench::perft(&**game, &args),
        Command::Bench(args) => bench::bench(&**game, &args),
        Command::Timing(args) => timing::run(game, &args),
        Command::Engine(args) => engine::run(game, &args),
        Command::EngineCheck(args) => engine_check(game, &args),
    }
}
