//! The errors of shared work.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::file_error::FileError;
use crate::pool::NoThread;

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
    #[error(transparent)]
    File(#[from] FileError),
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
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> WorkError {
        move |source| FileError::at(path, "use it")(source).into()
    }

    /// If true, the folder that the user named is at fault, and not the run.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, WorkError::OtherWork { .. } | WorkError::NoWork(_))
    }
}

impl From<WorkError> for PieceError {
    fn from(error: WorkError) -> PieceError {
        PieceError::Failed(error.to_string())
    }
}
