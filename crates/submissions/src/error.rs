//! Why something is not prepared.

use std::io;
use std::path::{Path, PathBuf};

use plyground_host::lock::LockError;
use plyground_host::output::WriteError;
use plyground_host::pool::NoThread;
use plyground_host::toml_file::TomlError;
use thiserror::Error;

/// Why submissions are not prepared, as one line: nothing that a submission could help.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// There is nothing to prepare.
    #[error("{}: expected submissions in it: zips, tars, folders or source files", .0.display())]
    Nothing(PathBuf),
    /// What is handed in and what is made of it would be in each other's way.
    #[error("{}: expected a folder outside of {}, which has what was handed in", out.display(), source_folder.display())]
    Within {
        /// The folder for what is made.
        out: PathBuf,
        /// The folder with what was handed in.
        source_folder: PathBuf,
    },
    /// What is named as handed in cannot be looked at.
    #[error("{}: {source}", path.display())]
    Source {
        /// The file or folder.
        path: PathBuf,
        /// What the OS says.
        source: io::Error,
    },
    /// A download, or the table of a platform in it, does not say what it should.
    #[error("{}: {why}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It is neither a file nor a folder.
    #[error("{}: expected a file or a folder", .0.display())]
    NoFile(PathBuf),
    /// A folder is in the way that was not made by preparing.
    #[error("{}: expected no folder of this name, or one that was prepared before", .0.display())]
    InTheWay(PathBuf),
    /// A name that is asked for is that of no submission.
    #[error("{path}: expected the name of a submission, found `{name}`; there are {names}")]
    NoSubmission {
        /// The file, with the place in it.
        path: String,
        /// The name.
        name: String,
        /// Those that there are.
        names: String,
    },
    /// A file that people write does not say what it should.
    #[error(transparent)]
    Toml(#[from] TomlError),
    /// Another process is at it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the OS says.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The OS has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
    /// The OS cannot run what builds submissions.
    #[error("{name}: the system cannot build it: {why}")]
    System {
        /// The submission.
        name: String,
        /// What it lacks.
        why: String,
    },
}

impl PrepareError {
    /// Whether the arguments or a file that people wrote are at fault.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            PrepareError::Nothing(_)
                | PrepareError::Source { .. }
                | PrepareError::NoFile(_)
                | PrepareError::Table { .. }
                | PrepareError::Within { .. }
                | PrepareError::InTheWay(_)
                | PrepareError::NoSubmission { .. }
                | PrepareError::Toml(_)
        )
    }

    /// An error about a file, for [`Result::map_err`].
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> PrepareError {
        let path = path.to_owned();
        move |source| PrepareError::Io { path, source }
    }
}
