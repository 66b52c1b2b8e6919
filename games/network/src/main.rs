//! The program `network`: Berkeley's game, USF's session, and the commands that all games share.

mod board;
mod java;
mod page;
mod program;
mod solve;
mod tune;
mod usf;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use network::Rules;
use plyground::cli::{self, Command, Failure, PlayArgs};

use program::Network;
use solve::openings::{self, OpeningsArgs};
use solve::{SolveArgs, VerifyArgs};
use tune::TuneArgs;

/// Plays and analyses Network
///
/// With two players it plays a game between them, the first of whom is White: Berkeley's program.
/// With no arguments it asks for everything: USF's program.
#[derive(Debug, Parser)]
#[command(name = "network", version, subcommand_negates_reqs = true)]
#[command(override_usage = USAGE, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    play: Players,

    /// Whose rules: USF's Black moves first, and nobody may complete both networks
    // The heading is that of the players' last options otherwise, on the page of every command.
    #[arg(long, value_name = "berkeley|usf", global = true, default_value_t, help_heading = None)]
    rules: Rules,

    #[command(subcommand)]
    command: Option<Commands>,
}

#[derive(Clone, Debug, Subcommand)]
enum Commands {
    #[command(flatten)]
    Shared(Box<Command>),
    /// Prove that the player to move wins with a limited number of chips
    #[command(after_help = SOLVE_EXAMPLES)]
    Solve(SolveArgs),
    /// Find out which first moves win with a limited number of chips, and what replies cost
    ///
    /// A first move wins if after every reply there is a second move that wins whatever comes
    /// then. What is not won by chip K may be won by a later one. Ctrl-C shows what is found by
    /// then.
    #[command(after_help = openings::EXAMPLES)]
    Openings(OpeningsArgs),
    /// Check a strategy by the naive rules against every reply
    #[command(after_help = VERIFY_EXAMPLES)]
    VerifySolution(VerifyArgs),
    /// Find weights of the evaluation by self-play, and judge them by a match
    ///
    /// The machine plays against itself, and the weights are fitted to the results by logistic
    /// regression. The weights of the machine stay as they are: who wants to change them finds them in
    /// games/network/src/weights.rs. Ctrl-C shows what is found by then.
    #[command(after_help = tune::EXAMPLES)]
    Tune(TuneArgs),
}

/// The two players and all about them, if there are any: a command is in their place otherwise.
// clap flattens options only of arguments that have no others flattened into them.
#[derive(Debug)]
struct Players(Option<PlayArgs>);

impl Args for Players {
    fn augment_args(command: clap::Command) -> clap::Command {
        PlayArgs::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        PlayArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for Players {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Players, clap::Error> {
        let given = matches.contains_id("player1");
        given.then(|| PlayArgs::from_arg_matches(matches)).transpose().map(Players)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Players::from_arg_matches(matches)?;
        Ok(())
    }
}

const USAGE: &str = "\
network [OPTIONS] PLAYER1 PLAYER2 [NAME1 [NAME2]]
       network
       network COMMAND";

const EXAMPLES: &str = "\
Examples:
  network human machine
  network -q machine:depth=4 random --seed 1 --record game.jsonl
  network -r -t 2 machine machine:time=1s Ann Bob
  network analyze inputs/network/ten-plies.txt --depth 6";

const SOLVE_EXAMPLES: &str = "\
Examples:
  network solve
  network solve inputs/network/forced-win.txt --opening 22
  network solve --strategy answers.txt --threads 2 --memory 1024
  network solve --opening 13 --seconds results/network-openings-8.csv
  network solve inputs/network/forced-win.txt --least --csv replies.csv";

const VERIFY_EXAMPLES: &str = "\
Examples:
  network verify-solution answers.txt";

fn main() -> ExitCode {
    // The session has no arguments, and so nothing that could be wrong with them.
    if std::env::args_os().len() <= 1 {
        return cli::finish(usf::run());
    }
    let command = cli::complete::<Network>(Cli::command());
    let command = command.mut_subcommand("analyze", without_exact);
    let matches = command.try_get_matches().unwrap_or_else(|error| with_tip(error).exit());
    match Cli::from_arg_matches(&matches) {
        Ok(arguments) => cli::finish(run(arguments)),
        Err(error) => error.exit(),
    }
}

/// Leaves out of the help what cannot be had: no search looks to the end of a game without an end.
fn without_exact(analyze: clap::Command) -> clap::Command {
    ["exact", "book", "no_book"]
        .iter()
        .fold(analyze, |analyze, id| analyze.mut_arg(id, |argument| argument.hide(true)))
}

/// A first word that is no player may have been meant for a command.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let player = ContextValue::String("<PLAYER1>".to_owned());
    if error.get(ContextKind::InvalidArg) == Some(&player) {
        let tip = "`network help` lists the commands".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

fn run(arguments: Cli) -> Result<(), Failure> {
    let program = Network { rules: arguments.rules };
    match (arguments.command, arguments.play.0) {
        (Some(Commands::Shared(command)), _) => cli::run(&program, *command),
        (Some(Commands::Solve(args)), _) => solve::solve(program.rules, &args),
        (Some(Commands::Openings(args)), _) => openings::openings(program.rules, &args),
        (Some(Commands::VerifySolution(args)), _) => solve::verify(&args),
        (Some(Commands::Tune(args)), _) => tune::tune(program.rules, &args),
        (None, Some(players)) => cli::play(&program, &players),
        (None, None) => {
            Err(Failure::Usage("expected two players, or a command; see --help".to_owned()))
        }
    }
}
