//! The commands whose work can be shared.

use clap::FromArgMatches;
use plyground_host::SharedGame;

use super::job::Job;
use super::order::Order;
use super::{book, grade, matches, solve, timing, tournament};
use crate::book::BookCommand;
use crate::failure::{Failure, exit};
use crate::{Command, SharedCommand, SolvingCommand, program};

/// The commands of a program, as far as their work can be shared.
pub trait ClusterCommands {
    /// The job of the command in these words, with what was prepared, if it was; `None` if the work
    /// of the command cannot be shared. Ends the process if the words are no command, or ask for help.
    fn job(
        &self,
        game: &SharedGame,
        words: &[String],
        order: Option<&Order>,
    ) -> Option<Result<Box<dyn Job>, Failure>>;

    /// The commands whose work can be shared, for people.
    fn names(&self) -> &'static str;
}

/// The commands of a program that has the shared commands of a game and no others.
#[derive(Clone, Copy, Debug)]
pub struct SharedCommands;

impl ClusterCommands for SharedCommands {
    fn job(
        &self,
        game: &SharedGame,
        words: &[String],
        order: Option<&Order>,
    ) -> Option<Result<Box<dyn Job>, Failure>> {
        match read_command(program(game), words) {
            SharedCommand::Every(command) => shared_job(game, *command, order),
            SharedCommand::Solving(SolvingCommand::Book(args)) => match args.command {
                BookCommand::Build(args) => Some(book::job(game, args)),
                _ => None,
            },
            SharedCommand::Solving(SolvingCommand::Solve(args)) => Some(solve::job(game, args)),
        }
    }

    fn names(&self) -> &'static str {
        "tournament, grade --class, match, timing, book build or solve"
    }
}

/// Reads the words of a command without the name of its program. Ends the process if they are no
/// command, or ask for help.
#[must_use]
pub fn read_command<T: FromArgMatches>(program: clap::Command, words: &[String]) -> T {
    let found = program.no_binary_name(true).try_get_matches_from(words);
    found.and_then(|found| T::from_arg_matches(&found)).unwrap_or_else(|error| exit(error))
}

/// The job of a command that every game has; `None` if its work cannot be shared.
#[must_use]
pub fn shared_job(
    game: &SharedGame,
    command: Command,
    order: Option<&Order>,
) -> Option<Result<Box<dyn Job>, Failure>> {
    match command {
        Command::Tournament(args) => Some(tournament::job(game, args, order)),
        Command::Grade(args) => Some(grade::job(game, *args, order)),
        Command::Match(args) => Some(matches::job(game, args, order)),
        Command::Timing(args) => Some(timing::job(game, args)),
        _ => None,
    }
}

/// The job of the command in these words.
pub(super) fn job(
    commands: &dyn ClusterCommands,
    game: &SharedGame,
    words: &[String],
    order: Option<&Order>,
) -> Result<Box<dyn Job>, Failure> {
    commands.job(game, words, order).unwrap_or_else(|| {
        let word = words.first().map_or("", String::as_str);
        let names = commands.names();
        Err(Failure::Usage(format!("expected {names}, whose work can be shared, found `{word}`")))
    })
}
