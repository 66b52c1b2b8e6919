//! Why a journal cannot be used.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::lock::LockError;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Another process has it, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The system refuses.
    #[error("{}: cannot use the journal: {source}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The journal belongs to other work, or the file is not a journal.
    #[error(
        "{}: line 1 of the journal is of other work: expected `{expected}`, found `{found}`",
        path.display()
    )]
    OtherWork {
        /// The journal.
        path: PathBuf,
        /// What this work is.
        expected: String,
        /// The beginning of what the journal's is.
        found: String,
    },
    /// The journal of work that is done is still there.
    #[error("{}: cannot remove the journal: {source}", path.display())]
    Unremoved {
        /// The journal.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl JournalError {
    /// Whether the file that was named is at fault, and not the run.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(self, JournalError::OtherWork { .. })
    }
}
