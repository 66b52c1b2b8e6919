//! State files, read from disk or standard input.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::text::{StateText, TextError};
use plyground_durable::input::read_bytes;
use plyground_durable::plain_text::decode_lossy;

/// The most bytes of a state file. A longer file need not be read to the end.
const MAX_BYTES: u64 = 64 * 1024;

/// The reason why a position could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("{}: cannot read the state file: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is far longer than any state file.
    #[error("{}: expected a state file, found more than {MAX_BYTES} bytes", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The text is JSON, such as that of a recorded game.
    #[error(
        "{}: expected a state file, found JSON, such as a recorded game (`replay` shows those)",
        .path.display()
    )]
    Json {
        /// The file.
        path: PathBuf,
    },
    /// The text is not that of a position.
    #[error("{}:{fault}", .path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The fault and its place.
        fault: TextError,
    },
}

impl ReadError {
    /// If true, the file does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, ReadError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// Reads the text of a state file, or of standard input if the path is
/// [`STDIN`](plyground_durable::input::STDIN).
///
/// Bytes that are neither UTF-8 nor marked as UTF-16 are read as U+FFFD, which is not a symbol of any format.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or is too long to be a state file.
pub fn read_text(path: &Path) -> Result<StateText, ReadError> {
    match read_bytes(path, MAX_BYTES) {
        Ok(Some(bytes)) => Ok(StateText::new(decode_lossy(&bytes))),
        Ok(None) => Err(ReadError::TooLong { path: path.to_owned() }),
        Err(source) => Err(ReadError::Io { path: path.to_owned(), source }),
    }
}
