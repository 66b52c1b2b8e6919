//! The progress of shared work.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::thread;
use std::time::Duration;

use super::error::WorkError;
use super::folder::WorkFolder;
use super::heartbeat::{Beats, TaskName};
use super::queue::Workload;

/// A piece that was tried and is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPiece {
    /// The piece.
    pub name: String,
    /// The number of times that it failed.
    pub times: usize,
    /// The reason of the last failure, with the computer.
    pub why: String,
}

/// A task that has pieces which are not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// The name of the task.
    pub name: String,
    /// If true, the task has shown that it lives.
    pub lives: bool,
    /// The pieces that are not done and have not failed.
    pub pieces: Vec<String>,
}

/// The progress of shared work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkStatus {
    /// The number of known pieces.
    pub pieces: usize,
    /// The number of pieces that are done.
    pub done: usize,
    /// The pieces that have failed and are not done.
    pub failed: Vec<FailedPiece>,
    /// The tasks that have pieces which are not done and have not failed.
    pub tasks: Vec<TaskStatus>,
    /// The number of tasks that have ended, in order or not.
    pub ended: usize,
    /// The number of pieces that no task has tried.
    pub open: usize,
    /// The refused computers and the reasons.
    pub refused: BTreeMap<String, String>,
}

impl WorkStatus {
    /// Reads the state of a folder. The time `look` is how long it waits for living tasks to show that they
    /// live.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn read(
        folder: &WorkFolder,
        workload: &(impl Workload + ?Sized),
        look: Duration,
    ) -> Result<WorkStatus, WorkError> {
        let tasks = folder.tasks()?;
        let beats = || -> HashMap<&String, Beats> {
            tasks.iter().map(|task| (task, Beats::read(&folder.task_file(task)))).collect()
        };
        let first = beats();
        if first.values().any(|beats| !beats.has_ended) {
            thread::sleep(look);
        }
        let lives: HashSet<String> = beats()
            .into_iter()
            .filter(|(task, beats)| !beats.has_ended && first.get(task) != Some(beats))
            .map(|(task, _)| task.clone())
            .collect();
        let ended = tasks.len() - lives.len();
        let pieces = workload.pieces(folder)?;
        let done = folder.done()?;
        let missing = pieces.iter().filter(|piece| !done.contains(*piece));
        let status = WorkStatus {
            pieces: pieces.len(),
            ended,
            refused: folder.refused()?,
            ..WorkStatus::default()
        };
        status.of_missing(folder, missing, &lives)
    }

    fn of_missing<'p>(
        mut self,
        folder: &WorkFolder,
        missing: impl Iterator<Item = &'p String>,
        lives: &HashSet<String>,
    ) -> Result<WorkStatus, WorkError> {
        let (claims, failed) = (folder.claims().all()?, folder.failed()?);
        let mut holders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut count = 0;
        for piece in missing {
            count += 1;
            let Some(&generation) = claims.get(piece) else {
                self.open += 1;
                continue;
            };
            let failures = failed.iter().filter(|(name, _)| name == piece);
            let times = failures.clone().count();
            if failed.contains(&(piece.clone(), generation)) {
                let why = folder.failure(piece, generation);
                self.failed.push(FailedPiece { name: piece.clone(), times, why });
            } else {
                holders
                    .entry(folder.claims().holder(piece, generation))
                    .or_default()
                    .push(piece.clone());
            }
        }
        self.done = self.pieces - count;
        let task = |(name, pieces): (String, Vec<String>)| TaskStatus {
            lives: lives.contains(&name),
            name,
            pieces,
        };
        self.tasks = holders.into_iter().map(task).collect();
        Ok(self)
    }

    /// Returns the number of living tasks among those that have pieces.
    #[must_use]
    pub fn living(&self) -> usize {
        self.tasks.iter().filter(|task| task.lives).count()
    }

    /// Returns the computer of a task of this name.
    #[must_use]
    pub fn machine(task: &str) -> &str {
        TaskName::machine(task)
    }
}
