//! What a build has found so far, kept so that a build that was killed goes on where it was.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::entry::Entry;
use crate::journal;
pub use crate::journal::JournalError;

/// A [journal](journal::Journal) of entries, which it also knows.
#[derive(Debug)]
pub struct Journal {
    lines: journal::Journal,
    entries: HashMap<u64, Entry>,
}

impl Journal {
    /// Opens the journal of the build that is called `build` (one line), or begins one.
    ///
    /// # Errors
    ///
    /// When it can not be read or written, is damaged, or belongs to another build.
    pub fn open(path: &Path, build: &str) -> Result<Journal, JournalError> {
        let (lines, entries) = journal::Journal::open(path, build, parse)?;
        let entries = entries.into_iter().map(|entry: Entry| (entry.key, entry)).collect();
        Ok(Journal { lines, entries })
    }

    /// Adds an entry. When this returns, it survives the end of this process, and a second later
    /// that of the machine too.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn add(&mut self, entry: Entry) -> io::Result<()> {
        let Entry { key, to_come, code } = entry;
        self.lines.add(&format!("{key:016x} {to_come} {code}"))?;
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
