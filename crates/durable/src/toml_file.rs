//! TOML files in which people configure a command, and errors that name the place of a fault.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::input::{FileError, read_regular, read_text};
use crate::one_line;

/// The most bytes of a file, far more than people write.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The action that fails when the file cannot be read.
const READ: &str = "read the file";

/// The reason why a file cannot be used, as one line.
#[derive(Debug, Error)]
pub enum TomlError {
    /// The file, or a file or folder that it names, cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file, or one that it names, is far longer than any that people write.
    #[error("{}: expected at most {MAX_BYTES} bytes, found more", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The contents of the file are wrong.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The fault.
        fault: String,
    },
}

/// A file and its text.
#[derive(Clone, Debug)]
pub struct TomlFile<'a> {
    /// The name of the file.
    pub path: &'a Path,
    /// The text of the file.
    pub text: String,
}

impl TomlFile<'_> {
    /// Reads a file, or standard input if the path is `-`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or if it is far too long.
    pub fn read(path: &Path) -> Result<TomlFile<'_>, TomlError> {
        read(path).map(|text| TomlFile { path, text })
    }

    /// Reads a file in a folder of a stranger, which must be a regular file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is something else, or is far too long.
    pub fn read_regular(path: &Path) -> Result<TomlFile<'_>, TomlError> {
        let unreadable = FileError::at(path, READ);
        let bytes = read_regular(path, MAX_BYTES).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| TomlError::TooLong { path: path.to_owned() })?;
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "it is not in UTF-8");
        let text = String::from_utf8(bytes).map_err(|_| unreadable(wrong()))?;
        Ok(TomlFile { path, text })
    }

    /// Parses the text of the file.
    ///
    /// # Errors
    ///
    /// Returns an error with the first place that is wrong.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, TomlError> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            let message = plainly(&one_line(&message));
            self.fault(error.span().unwrap_or(0..0), message)
        })
    }

    /// Returns the error that the text at `span`, in bytes, is wrong.
    pub fn fault(&self, span: Range<usize>, fault: String) -> TomlError {
        let (line, column) = place(&self.text, span.start);
        TomlError::Fault { path: self.path.to_owned(), line, column, fault }
    }
}

/// Returns a message of the parser with words in place of Rust's types.
fn plainly(message: &str) -> String {
    let whole = |least: u32, most: u64| format!("expected a whole number from {least} to {most}");
    [
        ("expected a nonzero u32", whole(1, u32::MAX.into())),
        ("expected u16", whole(0, u16::MAX.into())),
        ("expected u32", whole(0, u32::MAX.into())),
        ("expected u64", whole(0, u64::MAX)),
        ("expected usize", whole(0, usize::MAX as u64)),
    ]
    .iter()
    .fold(message.to_owned(), |message, (rust, words)| message.replace(rust, words))
}

/// Reads the text of a file that people write, or of standard input if the path is `-`.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if it is far too long.
pub fn read(path: &Path) -> Result<String, TomlError> {
    match read_text(path, MAX_BYTES) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(TomlError::TooLong { path: path.to_owned() }),
        Err(error) => Err(FileError::at(path, READ)(error).into()),
    }
}

/// Returns the line and the column, in characters, of a byte of a text, both from 1.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
