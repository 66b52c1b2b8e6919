//! The commands whose work can be shared.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::FromArgMatches;
use plyground_arena::contents::Contents;
use plyground_cage::CageLevel;
use plyground_host::SharedGame;
use plyground_host::work::{WorkFolder, Workload};

use super::order::Order;
use super::{book, grade, matches, solve, tournament};
use crate::book::BookCommand;
use crate::failure::{Failure, exit};
use crate::{Command, SharedCommand, SolvingCommand, program};

/// What the machine that prepares the work finds out for all.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    /// The contents of all programs.
    pub(super) contents: Contents,
    /// The players that cannot play, by name, and why.
    pub(super) absent: BTreeMap<String, String>,
}

/// A command whose work can be shared.
pub(super) trait Job: Workload {
    /// What the work is, as text: what has another title is other work.
    fn title(&self) -> String;

    /// The folder with the work, unless another is named.
    fn usual_folder(&self) -> PathBuf;

    /// The level of the cages, if there are programs to cage.
    fn level(&self) -> Option<CageLevel>;

    /// Finds out what all machines must agree on, and refuses what would fail on all.
    fn prepare(&self) -> Result<Prepared, Failure>;

    /// Whether a program that has changed has pieces of its own, and so may change.
    fn is_by_content(&self) -> bool {
        false
    }

    /// Writes and shows what the command would, from all results that there are.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure>;
}

/// How a job is made.
pub(super) struct JobOptions<'o> {
    /// What was prepared, if it was.
    pub(super) order: Option<&'o Order>,
    /// Whether each piece has a processor core to itself.
    pub(super) pins: bool,
}

impl JobOptions<'_> {
    pub(super) fn contents(&self) -> Contents {
        self.order.map(|order| order.contents.clone()).unwrap_or_default()
    }

    pub(super) fn absent(&self) -> BTreeMap<String, String> {
        self.order.map(|order| order.absent.clone()).unwrap_or_default()
    }
}

/// The command in these words. Ends the process if they are none, or ask for help.
pub(super) fn command(game: &SharedGame, words: &[String]) -> SharedCommand {
    let command = program(game).no_binary_name(true);
    let found = command.try_get_matches_from(words).unwrap_or_else(|error| exit(error));
    SharedCommand::from_arg_matches(&found).unwrap_or_else(|error| exit(error))
}

/// The job of a command in these words.
pub(super) fn job(
    game: &SharedGame,
    words: &[String],
    options: &JobOptions<'_>,
) -> Result<Box<dyn Job>, Failure> {
    match command(game, words) {
        SharedCommand::Every(command) => match *command {
            Command::Tournament(args) => tournament::job(game, args, options),
            Command::Grade(args) => grade::job(game, *args, options),
            Command::Match(args) => matches::job(game, args, options),
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

/// The path with this at its end.
pub(super) fn with_end(path: &std::path::Path, end: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(end);
    path.into()
}
