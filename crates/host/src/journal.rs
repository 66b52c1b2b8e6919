//! What long work has found so far, kept so that work that was killed goes on where it was.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

/// To wait for the disk takes longer than an easy piece of work, so it is done this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Why a journal can not be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system refuses.
    #[error("cannot use the journal: {0}")]
    Io(#[from] io::Error),
    /// The journal belongs to other work.
    #[error("the journal is of another build, `{found}`; this one is `{expected}`")]
    OtherBuild {
        /// What this work is.
        expected: String,
        /// What the journal's is.
        found: String,
    },
    /// A line is not as it was written.
    #[error("line {line} of the journal is damaged")]
    Damaged {
        /// The line, counted from 1.
        line: usize,
    },
}

/// A text file with one line that says what the work is, and one for each thing that was found,
/// written as soon as it is known. A last line that was cut off is dropped.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// When what was written was last known to be on the disk.
    synced: Instant,
}

impl Journal {
    /// Opens the journal of the work that is called `work` (one line), or begins one. Each line
    /// that it has is turned into what it says by `parse`.
    ///
    /// # Errors
    ///
    /// When it can not be read or written, is damaged, or belongs to other work.
    pub fn open<T>(
        path: &Path,
        work: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<(Journal, Vec<T>), JournalError> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // Lines are ended last, so what has no end was cut off.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines().enumerate();
        match lines.next() {
            None if bytes.len() > whole && !work.as_bytes().starts_with(&bytes) => {
                let found = String::from_utf8_lossy(&bytes).escape_debug().to_string();
                return Err(JournalError::OtherBuild { expected: work.to_owned(), found });
            }
            Some((_, first)) if first != work => {
                let (expected, found) = (work.to_owned(), first.escape_debug().to_string());
                return Err(JournalError::OtherBuild { expected, found });
            }
            _ => {}
        }
        let entries =
            lines.map(|(index, line)| parse(line).ok_or(JournalError::Damaged { line: index + 1 }));
        let entries = entries.collect::<Result<_, _>>()?;
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        if whole == 0 {
            file.write_all(format!("{work}\n").as_bytes())?;
        }
        file.sync_data()?;
        Ok((Journal { file, synced: Instant::now() }, entries))
    }

    /// Adds a line. When this returns, it survives the end of this process, and a second later
    /// that of the machine too.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn add(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes())?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}
