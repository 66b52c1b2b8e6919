//! What a build has found so far, kept so that a build that was killed goes on where it was.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::entry::Entry;

/// To wait for the disk takes longer than to solve an easy position, so it is done this often.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Why a journal can not be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system refuses.
    #[error("cannot use the journal: {0}")]
    Io(#[from] io::Error),
    /// The journal belongs to another build.
    #[error("the journal is of another build, `{found}`; this one is `{expected}`")]
    OtherBuild {
        /// What this build is.
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

/// A text file with one line for the build and one for each entry, written as soon as it is
/// known. A last line that was cut off is dropped.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// When what was written was last known to be on the disk.
    synced: Instant,
    entries: HashMap<u64, Entry>,
}

impl Journal {
    /// Opens the journal of the build that is called `build` (one line), or begins one.
    ///
    /// # Errors
    ///
    /// When it can not be read or written, is damaged, or belongs to another build.
    pub fn open(path: &Path, build: &str) -> Result<Journal, JournalError> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // Lines are ended last, so what has no end was cut off.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines().enumerate();
        match lines.next() {
            None => file.write_all(format!("{build}\n").as_bytes())?,
            Some((_, first)) if first == build => {}
            Some((_, first)) => {
                let (expected, found) = (build.to_owned(), first.escape_debug().to_string());
                return Err(JournalError::OtherBuild { expected, found });
            }
        }
        let entries = lines.map(|(index, line)| {
            parse(line)
                .map(|entry| (entry.key, entry))
                .ok_or(JournalError::Damaged { line: index + 1 })
        });
        let entries = entries.collect::<Result<_, _>>()?;
        file.sync_data()?;
        Ok(Journal { file, synced: Instant::now(), entries })
    }

    /// Adds an entry. When this returns, it survives the end of this process, and a second later
    /// that of the machine too.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn add(&mut self, entry: Entry) -> io::Result<()> {
        let Entry { key, to_come, code } = entry;
        self.file.write_all(format!("{key:016x} {to_come} {code}\n").as_bytes())?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        self.entries.insert(key, entry);
        Ok(())
    }

    /// Takes in entries that are known from elsewhere and need not be kept.
    pub fn know(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries.into_iter().map(|entry| (entry.key, entry)));
    }

    /// The entries by their keys.
    #[must_use]
    pub fn entries(&self) -> &HashMap<u64, Entry> {
        &self.entries
    }
}

fn parse(line: &str) -> Option<Entry> {
    let mut fields = line.split(' ');
    let entry = Entry {
        key: u64::from_str_radix(fields.next()?, 16).ok()?,
        to_come: fields.next()?.parse().ok()?,
        code: fields.next()?.parse().ok()?,
    };
    fields.next().is_none().then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry = Entry { key: 0xfeed, to_come: -200, code: 33 };

    #[test]
    fn what_was_cut_off_is_dropped_and_the_rest_goes_on() -> Result<(), Box<dyn std::error::Error>>
    {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        Journal::open(&path, "a build")?.add(ENTRY)?;
        let mut text = std::fs::read_to_string(&path)?;
        assert_eq!(text, "a build\n000000000000feed -200 33\n");
        text.push_str("00000000000000ff -2");
        std::fs::write(&path, text)?;
        let mut journal = Journal::open(&path, "a build")?;
        assert_eq!(journal.entries().len(), 1);
        journal.add(Entry { key: 1, ..ENTRY })?;
        assert_eq!(Journal::open(&path, "a build")?.entries().len(), 2);
        Ok(())
    }

    #[test]
    fn other_builds_and_damage_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        Journal::open(&path, "a build")?.add(ENTRY)?;
        let other = Journal::open(&path, "another");
        assert!(matches!(other, Err(JournalError::OtherBuild { .. })));
        std::fs::write(&path, "a build\nnonsense\n")?;
        let damaged = Journal::open(&path, "a build");
        assert!(matches!(damaged, Err(JournalError::Damaged { line: 2 })));
        Ok(())
    }
}
