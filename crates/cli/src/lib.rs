//! The commands that every game's program shares.
//!
//! A command parses its arguments, calls the crates below and prints the results. The program of a
//! game that has no commands of its own is a call of [`main`]. Other programs flatten [`Command`]
//! into their own and call [`complete`], [`run`] and [`finish`] themselves.

mod analyze;
mod args;
mod bench;
mod book;
mod cluster;
mod commands;
mod effort;
mod explain;
mod failure;
mod grade;
mod matches;
mod one_move;
mod play;
mod programs;
pub mod progress;
mod review;
#[cfg(target_os = "linux")]
mod sandbox;
mod serve;
mod submissions;
mod timing;
mod tournament;

use std::process::{self, ExitCode};
use std::{env, slice};

use clap::ArgMatches;
use plyground_host::SharedGame;
use plyground_sandbox::{SUPERVISE, is_inside, supervise};

use self::cluster::SharedCommands;
use self::commands::{SharedCommand, SolvingCommand};

pub use args::{TableArgs, TextFile, ThreadsArgs};
pub use cluster::{
    ClusterCommand, ClusterCommands, Job, JobArray, Order, Prepared, cluster, read_command,
    shared_job,
};
pub use commands::{
    Command, MANUAL, args_of, as_asked, called, commands_without_game, complete, program,
    run_without_game,
};
pub use failure::{Failure, call_when_interrupted, exit, finish, give_up, listen, print, warn};
pub use play::{PlayArgs, play};
pub use serve::{ServeArgs, host_name, listen_at, serve};
pub use submissions::{StarterArgs, starter, write_kit};

/// Runs a program that has the shared commands of this game, and those that need no game.
#[must_use]
pub fn main(game: &SharedGame) -> ExitCode {
    supervise_if_asked();
    let game = as_asked(game, env::args_os());
    let command = program(&game).subcommands(commands_without_game());
    let matches = command.try_get_matches().unwrap_or_else(|error| exit(error));
    let games = [game];
    finish(run_without_game(&games, &matches).unwrap_or_else(|| dispatch(&games[0], &matches)))
}

/// Supervises another program if the arguments of this process say so. To play with other people's
/// programs, a program starts itself with such arguments.
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
            "error: plyground does not run in its own sandboxes: a submission must play by itself"
        );
        process::exit(1);
    }
}

/// Runs the command that the command line of [`program`] asks for.
pub fn dispatch(game: &SharedGame, matches: &ArgMatches) -> Result<(), Failure> {
    match args_of(matches) {
        SharedCommand::Every(command) => run(game, *command),
        SharedCommand::Solving(SolvingCommand::Solve(args)) => analyze::solve(&**game, &args),
        SharedCommand::Solving(SolvingCommand::Book(command)) => book::run(&**game, &command),
    }
}

/// Runs a command.
pub fn run(game: &SharedGame, command: Command) -> Result<(), Failure> {
    match command {
        Command::OneMove(args) => one_move::one_move(&**game, &args),
        Command::State(args) => one_move::state(&**game, &args),
        Command::Interactive(args) => one_move::interactive(&**game, &args),
        Command::Play(args) => play(game, &args),
        Command::Match(args) => matches::run(game, &args),
        Command::Tournament(args) => tournament::run(game, &args),
        Command::Cluster(command) => cluster(game, &command, &SharedCommands),
        Command::Calibrate(args) => timing::run_calibration(game, &args),
        Command::Grade(args) => grade::run(game, &args),
        Command::Starter(args) => starter(slice::from_ref(game), &args),
        Command::Replay(args) => review::replay(&**game, &args),
        Command::Review(args) => review::run(game, &args),
        Command::Analyze(args) => analyze::run(game, &args),
        Command::Explain(args) => explain::explain(&**game, &args),
        Command::Practice(args) => explain::practice(&**game, &args),
        Command::Serve(args) => serve(&game.title(), slice::from_ref(game), &args),
        Command::Perft(args) => bench::perft(&**game, &args),
        Command::Bench(args) => bench::bench(&**game, &args),
        Command::Timing(args) => timing::run(game, &args),
        Command::Engine(args) => programs::engine(game, &args),
        Command::EngineCheck(args) => programs::engine_check(game, &args),
    }
}
