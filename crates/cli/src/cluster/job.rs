//! A command whose work can be shared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plyground_arena::contents::Contents;
use plyground_durable::work::{WorkFolder, Workload};
use plyground_host::SharedGame;
use plyground_sandbox::SandboxLevel;

use super::machine::Order;
use crate::failure::Failure;

/// The findings of the machine that prepares the work, for all machines.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The contents of all programs.
    pub contents: Contents,
    /// The players that cannot play, by name, and why.
    pub absent: BTreeMap<String, String>,
}

/// A command whose work can be shared.
pub trait Job {
    /// Its pieces.
    fn workload(&self) -> &dyn Workload;

    /// Returns the work as text: work with another title is other work.
    fn title(&self) -> String;

    /// Returns the path that the folder with the work is named after: an output, or the command
    /// itself.
    fn namesake(&self) -> &Path;

    /// The folder with the work, unless another is named.
    fn usual_folder(&self) -> PathBuf {
        let mut path = self.namesake().to_owned().into_os_string();
        path.push(".work");
        path.into()
    }

    /// Returns `true` if the command measures what pieces take, so that each needs a processor core
    /// to itself.
    fn measures_time(&self) -> bool {
        true
    }

    /// The level of the sandboxes, if there are programs to sandbox.
    fn level(&self) -> Option<SandboxLevel> {
        None
    }

    /// Finds out what all machines must agree on.
    ///
    /// # Errors
    ///
    /// Returns an error for what would fail on all of them.
    fn prepare(&self) -> Result<Prepared, Failure> {
        Ok(Prepared::default())
    }

    /// Returns `true` if a program that has changed has pieces of its own, and so may change.
    fn is_by_content(&self) -> bool {
        false
    }

    /// Writes and shows what the command would, from all results that there are.
    ///
    /// # Errors
    ///
    /// Returns an error if a result cannot be used, or the output cannot be written.
    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure>;
}

/// The contents of all programs, if they were prepared.
pub(super) fn contents(order: Option<&Order>) -> Contents {
    order.map(|order| order.contents.clone()).unwrap_or_default()
}

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
