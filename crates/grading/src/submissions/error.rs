//! The errors of preparing submissions.

use std::io;
use std::path::{Path, PathBuf};

use plyground_arena::submissions::MissingTools;
use plyground_durable::FileError;
use plyground_durable::input::TomlError;
use plyground_durable::lock::LockError;
use plyground_durable::pool::NoThread;
use thiserror::Error;

/// The reason why submissions are not prepared, as one line. No submission is to blame for it.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// There is nothing to prepare.
    #[error("{}: expected submissions in it: zips, tars, folders or source files", .0.display())]
    Nothing(PathBuf),
    /// The folder for the results lies in the folder with the submissions.
    #[error("{}: expected a folder outside of {}, which has what was handed in", out.display(), source_folder.display())]
    Within {
        /// The folder for the results.
        out: PathBuf,
        /// The folder with the submissions.
        source_folder: PathBuf,
    },
    /// A file or folder named as a submission cannot be read.
    #[error(transparent)]
    Source(FileError),
    /// A download, or the table of a platform in it, has a fault.
    #[error("{}: {why}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// A source is neither a file nor a folder.
    #[error("{}: expected a file or a folder", .0.display())]
    NoFile(PathBuf),
    /// A folder that no preparation has made has the name of a submission.
    #[error("{}: expected no folder of this name, or one that was prepared before", .0.display())]
    InTheWay(PathBuf),
    /// A file names a submission that does not exist.
    #[error("{path}: expected the name of a submission, found `{name}`; there are {names}")]
    NoSubmission {
        /// The file, and the line and column in it.
        path: String,
        /// The name.
        name: String,
        /// The names of the submissions.
        names: String,
    },
    /// A file that a person has written has a fault.
    #[error(transparent)]
    Toml(#[from] TomlError),
    /// Another process is preparing the same folder.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The operating system has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
    /// The system lacks programs that submissions need.
    #[error(transparent)]
    Lacking(#[from] MissingTools),
    /// The system cannot run the build of a submission.
    #[error("{name}: the system cannot build it: {why}")]
    System {
        /// The submission.
        name: String,
        /// The reason.
        why: String,
    },
}

impl PrepareError {
    /// Returns true if the arguments or a file that a person has written are at fault.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            PrepareError::Nothing(_)
                | PrepareError::Source(_)
                | PrepareError::NoFile(_)
                | PrepareError::Table { .. }
                | PrepareError::Within { .. }
                | PrepareError::InTheWay(_)
                | PrepareError::NoSubmission { .. }
                | PrepareError::Toml(_)
        )
    }

    /// Returns a function that makes an error about a file, for [`Result::map_err`].
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> PrepareError {
        move |error| FileError::at(path, "use it")(error).into()
    }
}
