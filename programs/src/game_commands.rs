//! The command line of a game: the commands that all games share, or one of its own.

use clap::{ArgMatches, Command};
use plyground_cli::{self as cli, Failure};
use plyground_host::{HostedGame, SharedGame};

use crate::network;

/// The command line of a game, as a binary or as a part of one.
#[derive(Clone, Copy, Debug)]
pub struct GameCommands {
    /// Returns the command line, which a person calls by these words.
    pub command: fn(&SharedGame, called: &str) -> Command,
    /// Runs the command of a command line.
    pub dispatch: fn(&SharedGame, &ArgMatches) -> Result<(), Failure>,
    /// Adds what helps a person to an error of the command line, which is called by these words.
    pub explain: fn(clap::Error, called: &str) -> clap::Error,
    /// Runs what the game does without any arguments, in place of showing help.
    pub without_arguments: Option<fn() -> Result<(), Failure>>,
}

impl GameCommands {
    /// The command line of a game without commands of its own.
    const SHARED: GameCommands = GameCommands {
        command: |game, _| cli::program(game),
        dispatch: cli::dispatch,
        explain: |error, _| error,
        without_arguments: None,
    };

    const NETWORK: GameCommands = GameCommands {
        command: network::command,
        dispatch: network::dispatch,
        explain: network::with_tip,
        without_arguments: Some(network::session),
    };

    /// Returns the command line of a game.
    #[must_use]
    pub fn of(game: &dyn HostedGame) -> GameCommands {
        match game.name() {
            "network" => GameCommands::NETWORK,
            _ => GameCommands::SHARED,
        }
    }
}
