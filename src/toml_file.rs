//! Files in TOML by which people tell a command what they want, and where they are wrong.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

/// Why a file cannot be used, as one line.
#[derive(Debug, Error)]
pub enum TomlError {
    /// The file, or one that it names, cannot be read.
    #[error("{}: cannot read it: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file does not say what it should.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong.
        fault: String,
    },
}

/// A file, and its text.
#[derive(Clone, Debug)]
pub(crate) struct TomlFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: String,
}

impl TomlFile<'_> {
    pub(crate) fn read(path: &Path) -> Result<TomlFile<'_>, TomlError> {
        match fs::read_to_string(path) {
            Ok(text) => Ok(TomlFile { path, text }),
            Err(source) => Err(TomlError::Unreadable { path: path.to_owned(), source }),
        }
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, TomlError> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            self.fault(error.span().unwrap_or(0..0), message)
        })
    }

    /// That what stands at `span`, in bytes, is wrong.
    pub(crate) fn fault(&self, span: Range<usize>, fault: String) -> TomlError {
        let (line, column) = place(&self.text, span.start);
        TomlError::Fault { path: self.path.to_owned(), line, column, fault }
    }
}

/// The line and the column, in characters, of a byte of a text, both from 1.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
