//! The error of the system about a file or folder.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error of the system about a file or folder, as one line: `notes: cannot lock it: permission denied`.
#[derive(Debug, Error)]
#[error("{}: cannot {cannot}: {source}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The action that failed: `lock it`.
    pub cannot: &'static str,
    /// The system's error.
    pub source: io::Error,
}

impl FileError {
    /// Returns a function that makes the error of an action that failed, for [`Result::map_err`].
    pub fn at(path: &Path, cannot: &'static str) -> impl Fn(io::Error) -> FileError + Copy {
        move |source| FileError { path: path.to_owned(), cannot, source }
    }

    /// If true, there is no such file or folder.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

/// The action that fails when a file cannot be written.
pub(crate) const WRITE: &str = "write the file";
