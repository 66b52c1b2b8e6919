//! What one thread of a search remembers: its share of the table, and a small table of its own.

use super::entry::Entry;
use super::stored::Stored;
use crate::table::Table;

/// Two tables as one. Most nodes are near the horizon, and meet their like soon or never: they are
/// kept apart, in a table that fits into the cache of the processor. Without it the search spends
/// a third of its time waiting for memory.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    far: &'a Table<Entry>,
    /// Of no size where there is to be none.
    near: Table<Entry>,
}

impl<'a> Memory<'a> {
    /// On top of `table`, with a near table if `near` and if there is a table at all.
    pub(super) fn new(table: &'a Table<Entry>, near: bool) -> Memory<'a> {
        let near = if near && table.is_used() { Table::near() } else { Table::new(0) };
        Memory { far: table, near }
    }

    /// Whether anything is remembered at all.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.far.is_used()
    }

    #[inline]
    fn is_near(&self, stored: &Stored) -> bool {
        stored.near && self.near.is_used()
    }

    /// Whether what is kept of a position is kept where other threads find it.
    #[inline]
    pub(super) fn is_shared(&self, stored: &Stored) -> bool {
        !self.is_near(stored)
    }

    #[inline]
    fn table(&self, stored: &Stored) -> &Table<Entry> {
        if self.is_near(stored) { &self.near } else { self.far }
    }

    /// Asks the processor to fetch what [`get`](Memory::get) will read.
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
        if self.is_near(stored) {
            self.near.put_latest(stored.key, entry);
        } else {
            self.far.put(stored.key, entry);
        }
    }
}
