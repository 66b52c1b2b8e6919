//! Work that is cut into pieces and shared by any number of processes, on any number of machines,
//! by way of a folder.
//!
//! A [`WorkFolder`] is all that the processes share. It may be on a network file system: nothing
//! relies on locks, on files that are replaced while others read them, or on clocks that agree.
//!
//! * A process takes a piece by making the file of a claim that is not there yet, which of several
//!   processes exactly one can do.
//! * A process that lives adds to a file of its own again and again. Another process that has watched
//!   that file for a while, by its own clock, and has seen it stay as it was, takes the claim of
//!   the next generation.
//! * The result of a piece is linked to its name when it is whole and on the disk. If a piece was
//!   done twice, because a process was only thought to be dead, the first result stays.
//!
//! So a process may be killed, started again or started twice at any moment, and nothing is lost or
//! counted twice. [`work_through`] does pieces until there are none; [`WorkStatus`] says how far the
//! work is.

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
    /// The names of all pieces that are known by now, those that are done among them. Which these are
    /// may depend on the results so far.
    ///
    /// # Errors
    ///
    /// When a result that others depend on cannot be used.
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError>;

    /// Whether a result can make other pieces needless, so that it is worth a look at all of them
    /// before each piece.
    fn results_end_others(&self) -> bool {
        false
    }

    /// Does a piece in the thread of this number, and returns its result; `None` if it was stopped.
    /// The same piece has the same result, whoever does it, but for times.
    ///
    /// # Errors
    ///
    /// Why it cannot be done.
    fn work(
        &self,
        thread: usize,
        piece: &str,
        stop: &std::sync::Arc<std::sync::atomic::AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError>;
}

/// Why a piece of work was not done, as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    /// It failed; it may do so elsewhere.
    #[error("{0}")]
    Failed(String),
    /// This machine must not do any piece: it lacks something, or is not as others are.
    #[error("{0}")]
    Unfit(String),
}

/// Why the folder of shared work cannot be used, or the work cannot go on, as one line.
#[derive(Debug, Error)]
pub enum WorkError {
    /// Something in the folder cannot be read or written.
    #[error("{}: cannot use it: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the OS says.
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
        /// What it is.
        found: String,
        /// What it would be.
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
        /// What is wrong with it.
        why: String,
    },
    /// This machine must not do any piece.
    #[error("{0}")]
    Unfit(String),
    /// The OS has no threads to work in.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

impl WorkError {
    /// The error of what the OS says about a file or folder.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> WorkError {
        move |source| WorkError::Io { path: path.to_owned(), source }
    }

    /// Whether the folder that was named is at fault, and not the run.
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
