//! The commands, and their options and examples as far as they depend on the game.

use std::any::TypeId;
use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Subcommand};
use plyground_arena::timing::Depths;
use plyground_host::{HostedGame, SharedGame, Variants};

use super::args::{BookPath, Depth, NoBook, Plies, ToTheEnd};
use super::effort::{Effort, effort_parser};
use crate::analyze::{AnalyzeArgs, SolveArgs};
use crate::bench::{BenchArgs, PerftArgs};
use crate::book::BookCommand;
use crate::cluster::slurm::ClusterCommand;
use crate::explain::{ExplainArgs, PracticeArgs};
use crate::failure::{Failure, exit};
use crate::grade::GradeArgs;
use crate::matches::MatchArgs;
use crate::one_move::{InteractiveArgs, OneMoveArgs, StateArgs};
use crate::play::PlayArgs;
use crate::programs::{EngineArgs, EngineCheckArgs};
use crate::review::{ReplayArgs, ReviewArgs};
#[cfg(target_os = "linux")]
use crate::sandbox::{SandboxArgs, sandbox};
use crate::serve::ServeArgs;
use crate::submissions::{StarterArgs, SubmissionsArgs, submissions};
use crate::timing::{CalibrateArgs, TimingArgs};
use crate::tournament::TournamentArgs;

/// The sentence in the help that refers to the manual.
pub const MANUAL: &str = "The Plyground manual describes all commands, with examples.";

/// The commands that every game has.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Read a position, make one move, and write the position after it
    OneMove(OneMoveArgs),
    /// Print the state file of the start, or of the position after some moves
    State(StateArgs),
    /// Play against a human
    Interactive(InteractiveArgs),
    /// Play a game, or a match, between two players
    Play(PlayArgs),
    /// Compare two players by many games: score, and Elo with error bars
    ///
    /// Every opening is played twice, with the sides swapped. The error bars are 95 % intervals
    /// from the variance of the pairs. Ctrl-C shows the result so far.
    Match(MatchArgs),
    /// Play the tournament that a file describes: places, ratings, and a page with every game
    ///
    /// Every game is kept as soon as it ends: the same command continues where a run was stopped or
    /// killed. A player that cannot be started is named, and the others play. `cluster` shares a
    /// tournament among machines; without a common folder, run --shard 1/N to N/N and `merge` the
    /// shares. The manual describes the file on its page for instructors.
    Tournament(TournamentArgs),
    /// Share the work of a tournament, a class, a book or a proof among machines, by Slurm or without
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Find the greatest depth at which a player moves within a time
    Calibrate(CalibrateArgs),
    /// Check a program, or the programs of a class, against the requirements of the assignment
    ///
    /// Every check has a name and points. A check that does not apply to the kind of player does
    /// not count. One submission cannot delay the others beyond its own limits.
    Grade(Box<GradeArgs>),
    /// Write a starter folder with a program that plays legal moves at random
    ///
    /// The program reads and writes as the assignment asks, and has a marked place for a search.
    /// `make check` in the folder runs the checks of `grade` on it.
    Starter(StarterArgs),
    /// Step through a recorded game, and check every move
    Replay(ReplayArgs),
    /// Find the mistakes in recorded games: the loss of each move, exact where it can be known
    ///
    /// Every move has its value and the value of the best move; a mistake also has its refutation,
    /// and the depth at which plain minimax sees it. Every player has its losses and the patterns
    /// of its mistakes.
    Review(ReviewArgs),
    /// Show the value of every move of a position
    Analyze(AnalyzeArgs),
    /// Show a search step by step: every position, its window, its value, and the cutoffs
    ///
    /// The search is plain alpha-beta, or minimax, as textbooks have them. The tree comes as text,
    /// as a page for a browser, as a graph or as data, with the number of positions that each other
    /// way to search looks at.
    Explain(ExplainArgs),
    /// Draw questions about searches from a seed, with answers: a page that checks them, or a sheet
    /// to print
    ///
    /// The questions ask for the result of minimax in a small tree of a real position, the move
    /// that it chooses, and the leaves that alpha-beta skips; and for the move that wins, or is
    /// best to the end. The same seed gives the same questions.
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
    /// Play for another program's referee, by the line protocol
    ///
    /// Players named line:COMMAND have the same protocol. The program reads standard input and
    /// answers on standard output.
    Engine(EngineArgs),
    /// Check whether an engine speaks the line protocol
    ///
    /// The engine is any program that can be a player line:COMMAND. The engine is started anew for
    /// each of several named exchanges. Each exchange has a line with the expected answer, and the
    /// found answer if it differs.
    EngineCheck(EngineCheckArgs),
}

/// The commands of a game that a search can look to the end of.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SolvingCommand {
    /// Find the exact value of a position and of every move
    Solve(SolveArgs),
    /// Build, merge and check books for perfect play
    #[command(subcommand)]
    Book(BookCommand),
}

/// All commands that a game may share with others.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SharedCommand {
    #[command(flatten)]
    Every(Box<Command>),
    #[command(flatten)]
    Solving(SolvingCommand),
}

/// Returns the command line of a program that has the shared commands of this game and no others.
pub fn program(game: &SharedGame) -> clap::Command {
    let mut command = Command::augment_subcommands(clap::Command::new(game.name()));
    if game.is_solvable() {
        command = SolvingCommand::augment_subcommands(command);
    }
    let command = command.about(game.about()).long_about(None);
    let command = command.subcommand_required(true).arg_required_else_help(true);
    complete(game, command.after_help(MANUAL))
}

const SUBMISSIONS: &str = "submissions";
const SANDBOX: &str = "sandbox";

/// Returns the commands about other people's programs, which need no game.
pub fn commands_without_game() -> Vec<clap::Command> {
    let submissions = SubmissionsArgs::augment_args(clap::Command::new(SUBMISSIONS))
        .about("Prepare submissions: unpack them, build them, find out how they are started");
    vec![
        submissions,
        #[cfg(target_os = "linux")]
        SandboxArgs::augment_args(clap::Command::new(SANDBOX))
            .about("Check how well this system holds other people's programs"),
        #[cfg(not(target_os = "linux"))]
        clap::Command::new(SANDBOX)
            .arg(Arg::new("words").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true))
            .hide(true),
    ]
}

/// Runs one of [`commands_without_game`]. Returns `None` if the command line names another command. The submissions
/// of one of these games are prepared with the sources that its course gave.
#[must_use]
pub fn run_without_game(games: &[SharedGame], matches: &ArgMatches) -> Option<Result<(), Failure>> {
    match matches.subcommand()? {
        (SUBMISSIONS, matches) => Some(submissions(games, &args_of(matches))),
        #[cfg(target_os = "linux")]
        (SANDBOX, matches) => Some(sandbox(&args_of(matches))),
        #[cfg(not(target_os = "linux"))]
        (SANDBOX, _) => Some(Err(Failure::usage("a sandbox needs Linux: on Windows, use WSL"))),
        _ => None,
    }
}

/// Returns the arguments of a command line. Ends the process if a required argument is missing.
pub fn args_of<T: FromArgMatches>(matches: &ArgMatches) -> T {
    T::from_arg_matches(matches).unwrap_or_else(|error| exit(error))
}

/// Returns the game with the rules that a command line asks for. clap needs the rules before it
/// reads the command line, because the other options depend on them.
pub fn as_asked(game: &SharedGame, words: impl IntoIterator<Item = OsString>) -> SharedGame {
    let Some(Variants { option, .. }) = game.variants() else { return SharedGame::clone(game) };
    let (option, with_value) = (format!("--{option}"), format!("--{option}="));
    let mut words = words.into_iter().filter_map(|word| word.into_string().ok());
    while let Some(word) = words.next() {
        let rules = if word == option {
            words.next()
        } else {
            word.strip_prefix(&with_value).map(str::to_owned)
        };
        if let Some(asked) = rules.and_then(|rules| game.with_rules(&rules)) {
            return asked;
        }
    }
    SharedGame::clone(game)
}

/// Completes the shared commands among the subcommands of `command` for the game: adds the option
/// for the rules, the range of depths, and examples for commands without any. Hides commands and
/// options that the game lacks. Lets all options take negative numbers, so that the error is about
/// the range of the number.
pub fn complete(game: &SharedGame, command: clap::Command) -> clap::Command {
    let command = with_variants(game, allow_negative(hide_lacking(&**game, command)));
    command.mut_subcommands(|command| {
        let Some(help) = examples(&**game, command.get_name()) else { return command };
        if command.get_after_help().is_some() {
            // This is a command of the game's own that has the name of a shared command.
            return command;
        }
        let limited = command.after_help(help).mut_args(|arg| limit_depth(&**game, arg));
        hide_lacking(&**game, limited)
    })
}

/// Returns the command of the program `name` with examples that begin with `words` in place of the name.
pub fn called(words: &str, name: &str, command: clap::Command) -> clap::Command {
    let command = match command.get_after_help().map(ToString::to_string) {
        Some(help) => {
            let (old, new) = (format!("\n  {name}"), format!("\n  {words}"));
            command.after_help(help.replace(&old, &new))
        }
        None => command,
    };
    command.mut_subcommands(|command| called(words, name, command))
}

/// Adds the option for the rules, if the game has one.
fn with_variants(game: &SharedGame, command: clap::Command) -> clap::Command {
    match game.variants() {
        None => command,
        Some(variants) if variants.only_solving => command.mut_subcommands(|command| {
            let solves = SolvingCommand::has_subcommand(command.get_name());
            if solves { command.arg(rules_arg(game, &variants).display_order(0)) } else { command }
        }),
        Some(variants) => command.arg(rules_arg(game, &variants)),
    }
}

fn rules_arg(game: &SharedGame, variants: &Variants) -> Arg {
    let game = SharedGame::clone(game);
    let Variants { option, value_name, help, expected, default, .. } = variants.clone();
    let read = move |text: &str| match game.with_rules(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected {expected}")),
    };
    let arg = Arg::new(option).long(option).value_name(value_name).help(help);
    // Without this, the option would get the heading of the options before it.
    arg.default_value(default).value_parser(read).global(true).help_heading(None::<&str>)
}

/// Hides commands and options that the game lacks: for example, a game that cannot be solved has no
/// books.
fn hide_lacking(game: &dyn HostedGame, command: clap::Command) -> clap::Command {
    let is_lacking = match command.get_name() {
        "serve" => game.layout().is_none(),
        "starter" => !game.has_starters(),
        _ => false,
    };
    let command = command.mut_args(|arg| {
        let value = arg.get_value_parser().type_id();
        let of_solvable = value == TypeId::of::<ToTheEnd>() || value == TypeId::of::<BookPath>();
        let is_lacking = of_solvable && !game.is_solvable()
            || value == TypeId::of::<NoBook>() && !game.is_solvable() && !game.has_tactics();
        if is_lacking { arg.hide(true) } else { arg }
    });
    if is_lacking { command.hide(true) } else { command }
}

/// Limits an argument to the depths of the game, if the argument is a depth.
fn limit_depth(game: &dyn HostedGame, arg: Arg) -> Arg {
    let greatest = game.max_depth();
    let value = arg.get_value_parser().type_id();
    if value == TypeId::of::<Effort>() {
        arg.value_parser(effort_parser(greatest, game.is_solvable()))
    } else if value == TypeId::of::<Depth>() {
        arg.value_parser(Depth::parser(greatest))
    } else if value == TypeId::of::<Plies>() {
        arg.value_parser(Plies::parser(greatest))
    } else if value == TypeId::of::<Depths>() {
        arg.value_parser(move |text: &str| Depths::within(text, greatest))
    } else {
        arg
    }
}

fn allow_negative(command: clap::Command) -> clap::Command {
    // Otherwise the error would be about an option called `-1`, not about the number and its range.
    let allow = |arg: Arg| match arg.get_action() {
        ArgAction::Set | ArgAction::Append => arg.allow_negative_numbers(true),
        _ => arg,
    };
    command.mut_args(allow).mut_subcommands(allow_negative)
}

/// The examples of the shared commands. `{rules}` stands for the option that chooses other rules: a game without the
/// option does not show the example. The files are the reader's own, because a program is installed without files.
const EXAMPLES: &str = include_str!("examples.txt");

/// Returns the examples in the help of a shared command, under their heading; `None` for other commands.
fn examples(game: &dyn HostedGame, command: &str) -> Option<String> {
    let is_other = |line: &&str| line.split(' ').next() != Some(command);
    let own = EXAMPLES.lines().skip_while(is_other).take_while(|line| !line.is_empty());
    let mut own = own.peekable();
    own.peek()?;
    let rules = game.variants().map(|Variants { option, default, .. }| {
        let usual = game.with_rules(&default).map(|game| game.rules());
        let other = game.rule_sets().into_iter().find(|rules| Some(rules) != usual.as_ref());
        format!("--{option} {}", other.unwrap_or(default))
    });
    let shown = own.filter(|line| rules.is_some() || !line.contains("{rules}"));
    let lines = shown.map(|line| {
        let line = line.replace("{rules}", rules.as_deref().unwrap_or_default());
        // An indented line goes on with the example before it.
        if line.starts_with(' ') { line } else { format!("  {} {line}", game.name()) }
    });
    Some(format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n")))
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn example_of_a_part_begins_with_the_whole() {
        let inner =
            clap::Command::new("solve").after_help("Examples:\n  toy solve\n  toy solve --json");
        let command = called("all toy", "toy", clap::Command::new("toy").subcommand(inner));
        let solve = command.find_subcommand("solve").and_then(clap::Command::get_after_help);
        let expected = "Examples:\n  all toy solve\n  all toy solve --json";
        assert_eq!(solve.map(ToString::to_string).as_deref(), Some(expected));
    }

    #[test]
    fn depths_are_those_of_the_game() {
        let game = toy();
        let program = crate::program(&game);
        let depth = game.max_depth();
        for (deep, is_right) in [(depth, true), (depth + 1, false)] {
            let words = ["toy", "perft", &deep.to_string()].map(str::to_owned);
            assert_eq!(program.clone().try_get_matches_from(words).is_ok(), is_right, "{deep}");
        }
    }

    #[test]
    fn commands_without_use_are_hidden() {
        let game = toy();
        let program = crate::program(&game);
        let is_hidden = |name| program.find_subcommand(name).map(clap::Command::is_hide_set);
        assert_eq!(is_hidden("grade"), Some(false), "its checks may be in a file");
        assert_eq!(is_hidden("serve"), Some(game.layout().is_none()));
        assert_eq!(is_hidden("solve"), Some(false), "it can be solved");
    }
}
