//! How far shared work is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::thread;
use std::time::Duration;

use super::WorkError;
use super::Workload;
use super::folder::WorkFolder;
use super::heartbeat::{Beats, TaskName};

/// A piece that was tried and is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPiece {
    /// The piece.
    pub name: String,
    /// How often it failed.
    pub times: usize,
    /// Why it failed last, with the machine.
    pub why: String,
}

/// A task that has pieces which are not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// Its name.
    pub name: String,
    /// Whether it has shown that it lives.
    pub lives: bool,
    /// The pieces.
    pub pieces: Vec<String>,
}

/// How far shared work is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkStatus {
    /// How many pieces are known.
    pub pieces: usize,
    /// How many of them are done.
    pub done: usize,
    /// Those that have failed and are not done.
    pub failed: Vec<FailedPiece>,
    /// Who has pieces that are not done and have not failed.
    pub tasks: Vec<TaskStatus>,
    /// How many tasks have ended, whether in order or not.
    pub ended: usize,
    /// How many pieces nobody has tried.
    pub open: usize,
    /// The machines that were refused, and why.
    pub refused: BTreeMap<String, String>,
}

impl WorkStatus {
    /// Looks at a folder for the time of `look`, in which tasks that live show it.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
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

    /// How many of the tasks that have pieces live.
    #[must_use]
    pub fn living(&self) -> usize {
        self.tasks.iter().filter(|task| task.lives).count()
    }

    /// The machine of a task of this name.
    #[must_use]
    pub fn machine(task: &str) -> &str {
        TaskName::machine(task)
    }
}
