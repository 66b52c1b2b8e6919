//! What a build has found so far, kept so that a build that was killed continues where it was.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use plyground::book::Entry;
use plyground_durable::journal::{Journal, JournalError, JournalLoss, OpenedJournal};
use plyground_durable::output::WriteError;

/// The journal of the book in this file: beside it, with `.journal` at the end of the name.
#[must_use]
pub fn journal_path(out: &Path) -> PathBuf {
    let mut path = out.to_owned().into_os_string();
    path.push(".journal");
    path.into()
}

/// The entries that are known, of which those that were found are kept in a [`Journal`].
#[derive(Debug)]
pub(super) struct KnownEntries {
    journal: Journal,
    entries: HashMap<u64, Entry>,
}

impl KnownEntries {
    /// Opens the journal of the build that is called `build` (one line), or begins one. What is
    /// known from `elsewhere` need not be kept.
    pub(super) fn open(
        path: &Path,
        build: &str,
        elsewhere: impl IntoIterator<Item = Entry>,
    ) -> Result<(KnownEntries, Option<JournalLoss>), JournalError> {
        let opened = Journal::open(path, build, |line| line.parse::<Entry>().ok())?;
        let OpenedJournal { journal, entries, loss } = opened;
        let entries = entries.into_iter().chain(elsewhere).map(|entry| (entry.key(), entry));
        Ok((KnownEntries { journal, entries: entries.collect() }, loss))
    }

    /// Adds an entry that was found.
    pub(super) fn add(&mut self, entry: Entry) -> Result<(), WriteError> {
        self.journal.add(&entry.to_string())?;
        self.entries.insert(entry.key(), entry);
        Ok(())
    }

    /// The entries by their keys.
    pub(super) fn entries(&self) -> &HashMap<u64, Entry> {
        &self.entries
    }

    /// The journal, when nothing more will be found.
    pub(super) fn into_journal(self) -> Journal {
        self.journal
    }
}
