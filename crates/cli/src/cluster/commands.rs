//! The commands whose work can be shared.

use clap::FromArgMatches;
use plyground_host::SharedGame;

use super::job::Job;
use super::order::Order;
use super::{book, grade, matches, solve, tournament};
use crate::book::BookCommand;
use crate::failure::{Failure, exit};
use crate::{Command, SharedCommand, SolvingCommand, program};

/// The command in these words. Ends the process if they are none, or ask for help.
pub(super) fn command(game: &SharedGame, words: &[String]) -> SharedCommand {
    let command = program(game).no_binary_name(true);
    let found = command.try_get_matches_from(words).unwrap_or_else(|error| exit(error));
    SharedCommand::from_arg_matches(&found).unwrap_or_else(|error| exit(error))
}

/// The job of a command in these words, with what was prepared, if it was.
pub(super) fn job(
    game: &SharedGame,
    words: &[String],
    order: Option<&Order>,
) -> Result<Box<dyn Job>, Failure> {
    match command(game, words) {
        SharedCommand::Every(command) => match *command {
            Command::Tournament(args) => tournament::job(game, args, order),
            Command::Grade(args) => grade::job(game, *args, order),
            Command::Match(args) => matches::job(game, args, order),
            _ => Err(unshared(words)),
        },
        SharedCommand::Solving(SolvingCommand::Book(args)) => match args.command {
            BookCommand::Build(args) => book::job(game, args),
            _ => Err(unshared(words)),
        },
        SharedCommand::Solving(SolvingCommand::Solve(args)) => solve::job(game, args),
    }
}

fn unshared(words: &[String]) -> Failure {
    let word = words.first().map_or("", String::as_str);
    Failure::Usage(format!(
        "expected tournament, grade --class, match, book build or solve, whose work can be shared, found \
         `{word}`"
    ))
}
