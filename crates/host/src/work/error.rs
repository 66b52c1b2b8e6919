//! Why the folder of shared work cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::PieceError;
use crate::output::WriteError;
use crate::pool::NoThread;

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
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> WorkError {
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
