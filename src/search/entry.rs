//! Entries of positions in the transposition table, and the tables of a thread: the shared table and a small table of
//! its own.

use crate::hints::SearchHints;
use crate::score::{Bounds, Score};
use crate::table::{Packed, Table};

/// The depth of the entry of a search to the end of the game: its bounds hold at any depth.
const END_OF_GAME: u8 = u8::MAX;

/// The entry of one position in the table.
///
/// The scores are for the position at [`depth`](Entry::depth), less its margin so far, with distances to a
/// win or loss counted from the position itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) bounds: Bounds,
    pub(super) depth: u8,
    /// The code of the best move in the orientation of the key, or [`NO_MOVE`].
    pub(super) best: u16,
    /// The base-2 logarithm of the number of nodes searched for the result: the cost of losing it. The bit
    /// [`COMPLETE`] makes the cost count as far greater.
    pub(super) work: u8,
}

/// The bit of [`Entry::work`] for bounds that hold for the result of best play: no unfinished position was
/// evaluated to find them.
pub(super) const COMPLETE: u8 = 1 << 7;

impl Entry {
    /// Returns true if the bounds are known to hold for the result of best play.
    #[inline]
    fn is_complete(&self) -> bool {
        self.work & COMPLETE != 0 || self.depth == END_OF_GAME
    }
}

impl Packed for Entry {
    #[inline]
    fn pack(self) -> u64 {
        let lower = self.bounds.lower.get() as i16 as u16;
        let upper = self.bounds.upper.get() as i16 as u16;
        u64::from(lower)
            | u64::from(upper) << 16
            | u64::from(self.best) << 32
            | u64::from(self.depth) << 48
            | u64::from(self.work) << 56
    }

    #[inline]
    fn unpack(data: u64) -> Entry {
        let score = |bits: u64| Score::from_raw(i32::from(bits as u16 as i16));
        Entry {
            bounds: Bounds { lower: score(data), upper: score(data >> 16) },
            best: (data >> 32) as u16,
            depth: (data >> 48) as u8,
            work: (data >> 56) as u8,
        }
    }
    #[inline]
    fn work(&self) -> u8 {
        self.work
    }
}

/// The depths below which positions are kept in the local table.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalDepths {
    estimated: u32,
    /// The depth for searches to the end of the game. Their keys ignore so much of a position that the same
    /// few keys recur.
    to_the_end: u32,
}

impl LocalDepths {
    /// The depths for a thread that searches alone.
    pub(super) const ALONE: LocalDepths = LocalDepths { estimated: 6, to_the_end: 16 };

    /// The depths for threads that search together: threads do not share the results in local tables
    /// (measured on Network to depth 7 with two threads: 1.3 times the nodes of one thread, in place of 2).
    pub(super) const TOGETHER: LocalDepths = LocalDepths { estimated: 3, ..LocalDepths::ALONE };

    /// Returns true if `entry` belongs in the local table.
    pub(super) fn has(self, entry: &Entry) -> bool {
        entry.depth == END_OF_GAME || u32::from(entry.depth) < self.estimated
    }
}

/// The conversion between the scores of a position on the path and those in the table, where the margin so
/// far is left out and wins are counted from the position itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    pub(super) key: u64,
    /// The depth of the entry; 0 if the position is not kept.
    pub(super) depth: u16,
    ply: u8,
    /// If true, the position belongs in the local table.
    pub(super) is_local: bool,
    /// The margin so far, as a score.
    margin: i32,
}

impl Stored {
    /// Makes the conversion for `position`, `ply` plies from the root, to be searched to `depth`; it is
    /// kept in the local table if it is near the horizon.
    #[inline(always)]
    pub(super) fn new<G: SearchHints>(
        position: &G,
        depth: u32,
        ply: u32,
        local: LocalDepths,
    ) -> Stored {
        let to_the_end = position.plies_left().is_some_and(|left| depth >= left);
        let (key, tag, is_local) = if to_the_end {
            (position.end_of_game_key(), END_OF_GAME, depth < local.to_the_end)
        } else {
            (position.key(), depth as u8, depth < local.estimated)
        };
        let margin = position.margin() * G::POINT;
        Stored { key, depth: tag.into(), ply: ply as u8, is_local, margin }
    }

    #[inline]
    pub(super) fn to_table(self, bounds: Bounds) -> Bounds {
        let convert = |score: Score| {
            if score.is_win() {
                score + i32::from(self.ply)
            } else if score.is_loss() {
                score - i32::from(self.ply)
            } else {
                score - self.margin
            }
        };
        Bounds { lower: convert(bounds.lower), upper: convert(bounds.upper) }
    }

    #[inline]
    fn at_node(self, score: Score) -> Score {
        if score.is_win() {
            score - i32::from(self.ply)
        } else if score.is_loss() {
            score + i32::from(self.ply)
        } else {
            score + self.margin
        }
    }

    /// Returns the limits that `entry` puts on the value of a search that need not be exact: a result of at
    /// least this depth is enough, and a win or loss of any depth.
    #[inline]
    pub(super) fn at_least(self, entry: &Entry, depth: u32) -> Bounds {
        let Bounds { lower, upper } = entry.bounds;
        let deep = u32::from(entry.depth) >= depth;
        let lower = if deep || lower.is_win() { lower } else { Score::MIN };
        let upper = if deep || upper.is_loss() { upper } else { Score::MAX };
        Bounds { lower: self.at_node(lower), upper: self.at_node(upper) }
    }

    /// Returns true if the [`usable`](Stored::usable) limits of `entry` may not hold for the result of best
    /// play, because they depend on the evaluation of an unfinished position. A win or loss holds in any
    /// case, and so does a limit that only says that the end is at least one move away.
    #[inline]
    pub(super) fn rests_on_estimates(self, entry: &Entry) -> bool {
        let Bounds { lower, upper } = entry.bounds;
        let is_open = |score: Score| Score::loss_in(1) < score && score < Score::win_in(1);
        u16::from(entry.depth) == self.depth
            && !entry.is_complete()
            && (is_open(lower) && !lower.is_win() || is_open(upper) && !upper.is_loss())
    }

    /// Returns the limits that `entry` puts on `V` at `depth`.
    ///
    /// An entry of another depth is not used, because the value would then depend on earlier searches. There
    /// are two exceptions: a win or loss near enough to be seen at this depth too, and an entry of less
    /// depth whose search saw every line end.
    #[inline]
    pub(super) fn usable(self, entry: &Entry, depth: u32) -> Bounds {
        let Bounds { lower, upper } = entry.bounds;
        let seen = |score: Score| score.plies_to_end().is_some_and(|n| n.unsigned_abs() <= depth);
        let same = u16::from(entry.depth) == self.depth
            || entry.is_complete() && u32::from(entry.depth) < depth && entry.depth != END_OF_GAME;
        let lower = if same || lower.is_win() && seen(lower) { lower } else { Score::MIN };
        let upper = if same || upper.is_loss() && seen(upper) { upper } else { Score::MAX };
        Bounds { lower: self.at_node(lower), upper: self.at_node(upper) }
    }
}

/// A pair of tables that serves as one. Most nodes are near the horizon, and transpose soon or never: they
/// are kept in a local table of the thread, which fits into the cache of the processor. Without the local
/// table, the search spends a third of its time waiting for memory.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    shared: &'a Table<Entry>,
    /// The local table. Its size is 0 in a search without one.
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

    /// Returns true if the entry of a position is kept in the shared table.
    #[inline]
    pub(super) fn is_shared(&self, stored: &Stored) -> bool {
        !self.is_local(stored)
    }

    /// Copies the entries that no longer belong in the local table, by these depths, to the shared table.
    pub(super) fn share(&self, local: LocalDepths) {
        if self.local.is_used() {
            self.local.put_into(self.shared, |entry| !local.has(entry));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::NO_MOVE;

    #[test]
    fn packing_loses_nothing() {
        for (lower, upper) in [(-30_000, 30_000), (0, 0), (-1, 28_999)] {
            let bounds = Bounds { lower: Score::from_raw(lower), upper: Score::from_raw(upper) };
            let entry = Entry { bounds, depth: 7, best: NO_MOVE, work: 3 };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn shallow_entries_tell_a_search_that_need_not_be_exact_of_wins_and_losses_alone() {
        let stored = Stored { depth: 4, ply: 2, ..Stored::default() };
        let found = |depth, lower, upper| {
            let entry = Entry { bounds: Bounds { lower, upper }, depth, best: NO_MOVE, work: 0 };
            let Bounds { lower, upper } = stored.at_least(&entry, 4);
            (lower, upper)
        };
        let (low, high) = (Score::points(-1), Score::points(2));
        let (least, most) = (Score::loss_in(2), Score::win_in(2));
        assert_eq!(
            [3, 4, 5].map(|depth| found(depth, low, high)),
            [(least, most), (low, high), (low, high)]
        );
        assert_eq!(found(1, Score::win_in(7), Score::MAX), (Score::win_in(9), most));
        assert_eq!(found(1, Score::MIN, Score::loss_in(6)), (least, Score::loss_in(8)));
        assert_eq!(found(1, Score::loss_in(6), Score::win_in(7)), (least, most));
    }
}
