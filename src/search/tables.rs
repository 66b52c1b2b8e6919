//! The transposition tables of one thread: a table that all threads share, and a small one of its own.

use super::entry::Entry;
use super::stored::Stored;
use crate::table::Table;

/// A pair of tables that serves as one. Most nodes are near the horizon, and transpose soon or never: they
/// are kept in a table of the thread's own that fits into the cache of the processor. Without it the search
/// spends a third of its time waiting for memory.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    shared: &'a Table<Entry>,
    /// The local table; of no size if there must be none.
    local: Table<Entry>,
}

impl<'a> Tables<'a> {
    /// Makes the tables of a thread, with `table` as the shared one, and a local one if `local` is true and
    /// the shared table is used.
    pub(super) fn new(table: &'a Table<Entry>, local: bool) -> Tables<'a> {
        let local = if local && table.is_used() { Table::cache_sized() } else { Table::new(0) };
        Tables { shared: table, local }
    }

    /// Returns true if there is a table at all.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.shared.is_used()
    }

    #[inline]
    fn is_local(&self, stored: &Stored) -> bool {
        stored.is_local && self.local.is_used()
    }

    /// Returns true if the entry of a position is kept where other threads find it.
    #[inline]
    pub(super) fn is_shared(&self, stored: &Stored) -> bool {
        !self.is_local(stored)
    }

    #[inline]
    fn table(&self, stored: &Stored) -> &Table<Entry> {
        if self.is_local(stored) { &self.local } else { self.shared }
    }

    /// Asks the processor to fetch the entry that [`get`](Tables::get) will read.
    #[inline]
    pub(super) fn prefetch(&self, stored: &Stored) {
        self.table(stored).prefetch(stored.key);
    }

    #[inline]
    pub(super) fn get(&self, stored: &Stored) -> Option<Entry> {
        self.table(stored).get(stored.key)
    }

    #[inline]
    pub(super) fn put(&self, stored: &Stored, entry: Entry) {
        if self.is_local(stored) {
            self.local.put_latest(stored.key, entry);
        } else {
            self.shared.put(stored.key, entry);
        }
    }
}
