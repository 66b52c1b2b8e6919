//! What a long run has found so far, kept so that a run that was killed continues where it was.

mod contents;
mod error;
mod loss;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground::clock::Instant;

pub use self::error::JournalError;
pub use self::loss::JournalLoss;

use self::contents::Contents;
use crate::lock::open_locked;
use crate::output::{WriteError, sync_folder};
use crate::sealed_line::seal;

/// Waiting for the disk takes longer than an easy piece of work, so it happens this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Separates a line from its checksum.
const SEPARATOR: &str = " ";
/// The first word of the line that ends a run: no entry begins with it. The other is the number of
/// the line.
const CLOSED: &str = "closed";

/// A text file with one line that says what the work is, and one for each thing that was found,
/// written as soon as it is known. Every line ends in a checksum of it and of the first line. A run
/// that ends in order adds a line that says so, with its number, so that a later loss of lines is
/// noticed. One process has it at a time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    work: String,
    /// How many lines there are.
    lines: usize,
    is_closed: bool,
    /// When what was written was last known to be on the disk.
    synced: Instant,
}

/// A journal, and what was in it.
#[derive(Debug)]
pub struct OpenedJournal<T> {
    /// The journal, for what will be found.
    pub journal: Journal,
    /// What has been found, in order.
    pub entries: Vec<T>,
    /// What was in it once and is not any more; nothing of it is among the entries.
    pub loss: Option<JournalLoss>,
}

impl Journal {
    /// Opens the journal of the work that is called `work` (one line), or begins one. Each line
    /// that it has is turned into what it says by `parse`; one that is none, or is not as it was
    /// written, is left out and named as a [loss](JournalLoss).
    ///
    /// # Errors
    ///
    /// When it cannot be read or written, belongs to other work, or another process has it.
    pub fn open<T>(
        path: &Path,
        work: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<OpenedJournal<T>, JournalError> {
        let failed = |source| JournalError::Io { path: path.to_owned(), source };
        // A device may never end, and a pipe would wait for a writer.
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "expected a file")));
        }
        let mut file = open_locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let contents = Contents::read(&bytes, work, parse).map_err(|found| {
            JournalError::OtherWork { path: path.to_owned(), expected: work.to_owned(), found }
        })?;
        let loss = contents.loss(path);
        let (path, work, synced) = (path.to_owned(), work.to_owned(), Instant::now());
        let Contents { lines, is_closed, .. } = contents;
        let mut journal = Journal { file, path, work, lines, is_closed, synced };
        journal.begin(contents.whole).map_err(failed)?;
        Ok(OpenedJournal { journal, entries: contents.entries, loss })
    }

    /// Keeps the lines in the first bytes, and begins with the title if there are none.
    fn begin(&mut self, whole: usize) -> io::Result<()> {
        self.file.set_len(whole as u64)?;
        if whole == 0 {
            let title = seal("", &self.work, SEPARATOR) + "\n";
            self.file.write_all(title.as_bytes())?;
            (self.lines, self.is_closed) = (1, false);
        }
        self.file.sync_data()?;
        sync_folder(&self.path)
    }

    /// Adds a line. When this returns, the line survives a crash of this process, and a second
    /// later a crash of the machine.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn add(&mut self, line: &str) -> Result<(), WriteError> {
        self.is_closed = false;
        self.append(line, self.synced.elapsed() >= SYNC_INTERVAL)
    }

    /// Ends a run in order. Everything that was added survives a crash of the machine.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn close(mut self) -> Result<(), WriteError> {
        if self.is_closed {
            return Ok(());
        }
        self.append(&format!("{CLOSED} {}", self.lines + 1), true)
    }

    fn append(&mut self, line: &str, is_synced: bool) -> Result<(), WriteError> {
        let mut write = || {
            self.file.write_all((seal(&self.work, line, SEPARATOR) + "\n").as_bytes())?;
            self.lines += 1;
            if is_synced {
                self.file.sync_data()?;
                self.synced = Instant::now();
            }
            Ok(())
        };
        write().map_err(|source| WriteError { path: self.path.clone(), source })
    }

    /// Removes the journal of work that is done.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn remove(self) -> Result<(), JournalError> {
        // Locked until it is gone, so that no other process opens it.
        let removed = fs::remove_file(&self.path);
        removed.map_err(|source| JournalError::Unremoved { path: self.path, source })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests;
