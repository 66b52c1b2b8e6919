//! The binaries: one for each game of [`games::all`], and [`all`] with the commands of all games.
//!
//! Each is a file of a few lines, so that [`main`] can be each of them.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use plyground_cli as cli;
use plyground_host::SharedGame;

pub mod all;
mod league;
mod network;
mod new_game;
mod rules;
mod texts;

pub use all::GameCommands;

/// Runs the binary by whose name this process was started: that of a game, or [`all`] for any other name.
/// Packages have one file for all binaries.
pub fn main() -> ExitCode {
    let called = env::args_os().next().unwrap_or_default();
    let called = Path::new(&called).file_stem().unwrap_or_default();
    match called.to_str().and_then(games::named) {
        Some(game) => run(&game),
        None => all::main(),
    }
}

/// Runs the binary of a game.
pub fn run(game: &SharedGame) -> ExitCode {
    cli::supervise_if_asked();
    let commands = GameCommands::of(&**game);
    if let Some(run) = commands.without_arguments
        && env::args_os().len() <= 1
    {
        return cli::finish(run());
    }
    let game = cli::as_asked(game, env::args_os());
    let matches = (commands.command)(&game, game.name()).try_get_matches();
    let matches = matches.unwrap_or_else(|error| cli::exit((commands.explain)(error, game.name())));
    cli::finish((commands.dispatch)(&game, &matches))
}
