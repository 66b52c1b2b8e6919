//! The entry of one position in the transposition table of the search.

use crate::score::{Bounds, Score};
use crate::table::Packed;

/// The depth of the entry of a search to the end of the game: its bounds hold at any depth.
pub(super) const END_OF_GAME: u8 = u8::MAX;

/// The entry of one position in the table.
///
/// The scores are those of the position at [`depth`](Entry::depth), less its margin so far, with
/// distances to a win or loss counted from the position itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) bounds: Bounds,
    pub(super) depth: u8,
    /// The code of the best move in the orientation of the key, or [`NO_MOVE`].
    pub(super) best: u16,
    /// The base-2 logarithm of the number of nodes that the result took, so of the cost of losing it. With
    /// [`COMPLETE`] added it counts as a multiple of that.
    pub(super) work: u8,
}

/// The bit of [`Entry::work`] for bounds that hold for the result of best play: no unfinished position was
/// evaluated to find them.
pub(super) const COMPLETE: u8 = 1 << 7;

impl Entry {
    /// Returns true if the bounds are known to hold for the result of best play.
    #[inline]
    pub(super) fn is_complete(&self) -> bool {
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
}
