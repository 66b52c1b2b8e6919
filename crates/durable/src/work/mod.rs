//! Work that is cut into pieces and shared by any number of processes, on any number of computers,
//! by way of a folder.
//!
//! A [`WorkFolder`] is all that the processes share. It may be on a network file system: nothing depends on
//! locks, on files that are replaced while others read them, or on clocks that agree.
//!
//! * A process takes a piece by creating the file of a new claim, in which only one of several processes can
//!   succeed.
//! * A living process appends to a file of its own again and again. A process that has seen no change of
//!   another's file for a while, by its own clock, takes the claim of the next generation.
//! * The result of a piece is linked to its name when it is whole and on the disk. If a piece is done twice,
//!   because a living process was taken for dead, the first result stays.
//!
//! A process may therefore be killed, restarted or started twice at any moment, and nothing is lost or
//! counted twice. [`work_through`] does pieces until there are none; [`WorkStatus`] reports the progress of
//! the work.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::output::WriteError;
use crate::pool::NoThread;

pub use claims::piece_name;
pub use drive::{WorkEvent, WorkOptions, WorkReport, one_at_a_time, work_through};
pub use folder::{Published, WorkFolder};
pub use heartbeat::TaskName;
pub use queue::{NextPiece, WorkQueue};
pub use status::{FailedPiece, TaskStatus, WorkStatus};

mod claims;
mod drive;
mod folder;
mod heartbeat;
mod queue;
#[cfg(test)]
mod simulation;
mod status;

/// Work in pieces.
pub trait Workload: Sync {
    /// Returns the names of all pieces known so far, including those that are done. They may depend on the
    /// results so far.
    ///
    /// # Errors
    ///
    /// Returns an error if a result that others depend on cannot be used.
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError>;

    /// If true, a result can make other pieces unnecessary, so that the queue looks at all of them before
    /// each piece.
    fn results_end_others(&self) -> bool {
        false
    }

    /// Does a piece in the thread of this number and returns its result, or `None` if it was stopped. A piece
    /// has the same result, except for times, on whatever computer it is done.
    ///
    /// # Errors
    ///
    /// Returns the reason why the piece cannot be done.
    fn work(
        &self,
        thread: usize,
        piece: &str,
        stop: &std::sync::Arc<std::sync::atomic::AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError>;
}

/// The reason why a piece of work was not done, as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    /// The piece failed, and may fail elsewhere too.
    #[error("{0}")]
    Failed(String),
    /// This computer must not do any piece: it lacks something, or differs from the others.
    #[error("{0}")]
    Unfit(String),
}

/// The reason why the folder of shared work cannot be used, or the work cannot go on, as one line.
#[derive(Debug, Error)]
pub enum WorkError {
    /// Something in the folder cannot be read or written.
    #[error("{}: cannot use it: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The folder is that of other work.
    #[error(
        "{}: holds other work: line {line} of what it is says `{found}`, and would say `{expected}`; \
         choose another folder, or remove this one", path.display()
    )]
    OtherWork {
        /// The folder.
        path: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
        /// The line that was found.
        found: String,
        /// The line that was expected.
        expected: String,
    },
    /// The folder has no work.
    #[error("{}: expected a folder with work, made by `cluster slurm` or `cluster run`", .0.display())]
    NoWork(PathBuf),
    /// A result is not what the work needs.
    #[error("{}: {why}; remove the file to have the piece done again", path.display())]
    WrongResult {
        /// The file.
        path: PathBuf,
        /// The fault of the result.
        why: String,
    },
    /// This computer must not do any piece.
    #[error("{0}")]
    Unfit(String),
    /// The OS has no threads to work in.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

impl WorkError {
    /// Returns a function that turns a system error about a file or folder into this error.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> WorkError {
        move |source| WorkError::Io { path: path.to_owned(), source }
    }

    /// If true, the folder that the user named is at fault, and not the run.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(self, WorkError::OtherWork { .. } | WorkError::NoWork(_))
    }
}

impl From<WorkError> for PieceError {
    fn from(error: WorkError) -> PieceError {
        PieceError::Failed(error.to_string())
    }
}
