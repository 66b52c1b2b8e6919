//! How the scores of a position on the path relate to those in the table.

use super::table::{Entry, SETTLED};
use crate::game::Game;
use crate::score::{Bounds, Score};

/// The key under which `position` is kept for a search of this depth, and the depth of the entry.
#[inline]
fn table_key<G: Game>(position: &G, depth: u32) -> (u64, u8) {
    if position.plies_left().is_some_and(|left| depth >= left) {
        (position.settled_key(), SETTLED)
    } else {
        (position.key(), depth as u8)
    }
}

/// How the scores of a position on the path relate to those in the table, where banked points
/// are left out and wins are counted from the position itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    pub(super) key: u64,
    pub(super) depth: u8,
    banked: i32,
    ply: i32,
}

impl Stored {
    #[inline]
    pub(super) fn new<G: Game>(position: &G, depth: u32, ply: u32) -> Stored {
        let (key, depth) = table_key(position, depth);
        Stored { key, depth, banked: position.banked() * Score::POINT, ply: ply as i32 }
    }

    #[inline]
    pub(super) fn to_table(self, bounds: Bounds) -> Bounds {
        let convert = |score: Score| {
            if score.is_win() {
                score + self.ply
            } else if score.is_loss() {
                score - self.ply
            } else {
                score - self.banked
            }
        };
        Bounds { lower: convert(bounds.lower), upper: convert(bounds.upper) }
    }

    #[inline]
    fn at_node(self, score: Score) -> Score {
        if score.is_win() {
            score - self.ply
        } else if score.is_loss() {
            score + self.ply
        } else {
            score + self.banked
        }
    }

    /// The limits that `entry` puts on `V` at `depth`.
    ///
    /// An entry of another depth says nothing, or the value would depend on what happened to be
    /// searched before, with one exception: a win or loss that is near enough to be seen at this
    /// depth too.
    #[inline]
    pub(super) fn usable(self, entry: &Entry, depth: u32) -> Bounds {
        let Bounds { lower, upper } = entry.bounds;
        let seen = |score: Score| score.plies_to_end().is_some_and(|n| n.unsigned_abs() <= depth);
        let same = entry.depth == self.depth;
        let lower = if same || lower.is_win() && seen(lower) { lower } else { Score::MIN };
        let upper = if same || upper.is_loss() && seen(upper) { upper } else { Score::MAX };
        Bounds { lower: self.at_node(lower), upper: self.at_node(upper) }
    }
}
