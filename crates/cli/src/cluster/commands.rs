//! The commands of a game whose work can be shared.

use clap::FromArgMatches;
use plyground_host::SharedGame;

use super::job::{ClusterCommands, Job, Order};
use super::{grade, jobs};
use crate::book::BookCommand;
use crate::commands::{Command, SharedCommand, SolvingCommand, program};
use crate::failure::{Failure, exit};

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
                BookCommand::Build(args) => Some(jobs::book(game, args)),
                _ => None,
            },
            SharedCommand::Solving(SolvingCommand::Solve(args)) => Some(jobs::solve(game, args)),
        }
    }

    fn names(&self) -> &'static str {
        "tournament, grade --class, match, timing, book build or solve"
    }
}

/// Reads the words of a command without the name of its program. Ends the process if they are no
/// command, or ask for help.
pub fn read_command<T: FromArgMatches>(program: clap::Command, words: &[String]) -> T {
    let found = program.no_binary_name(true).try_get_matches_from(words);
    found.and_then(|found| T::from_arg_matches(&found)).unwrap_or_else(|error| exit(error))
}

/// The job of a command that every game has; `None` if its work cannot be shared.
pub fn shared_job(
    game: &SharedGame,
    command: Command,
    order: Option<&Order>,
) -> Option<Result<Box<dyn Job>, Failure>> {
    match command {
        Command::Tournament(args) => Some(jobs::tournament(game, args, order)),
        Command::Grade(args) => Some(grade::job(game, *args, order)),
        Command::Match(args) => Some(jobs::matches(game, args, order)),
        Command::Timing(args) => Some(jobs::timing(game, args)),
        _ => None,
    }
}
