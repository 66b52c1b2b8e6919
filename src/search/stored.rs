//! How the scores of a position on the path relate to those in the table.

use super::entry::{Entry, SETTLED};
use crate::game::Game;
use crate::score::{Bounds, Score};

/// Positions at a lesser depth than this are kept in the table for nodes near the horizon...
const NEAR: u32 = 6;

/// ...and these when the search reaches the end of the game, where it forgets so much of a
/// position that the same few come up again and again.
const NEAR_SETTLED: u32 = 16;

/// How the scores of a position on the path relate to those in the table, where banked points
/// are left out and wins are counted from the position itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    pub(super) key: u64,
    /// What the entry calls the depth; 0 where the position is not kept.
    pub(super) depth: u16,
    ply: u8,
    /// Whether the position belongs in the table for nodes near the horizon.
    pub(super) near: bool,
    /// In hundredths of a point.
    banked: i32,
}

impl Stored {
    /// For `position`, `ply` plies from the root, to be searched to `depth`.
    #[inline(always)]
    pub(super) fn new<G: Game>(position: &G, depth: u32, ply: u32) -> Stored {
        let settled = position.plies_left().is_some_and(|left| depth >= left);
        let (key, tag, near) = if settled {
            (position.settled_key(), SETTLED, depth < NEAR_SETTLED)
        } else {
            (position.key(), depth as u8, depth < NEAR)
        };
        let banked = position.banked() * Score::POINT;
        Stored { key, depth: tag.into(), ply: ply as u8, near, banked }
    }

    #[inline]
    pub(super) fn to_table(self, bounds: Bounds) -> Bounds {
        let convert = |score: Score| {
            if score.is_win() {
                score + i32::from(self.ply)
            } else if score.is_loss() {
                score - i32::from(self.ply)
            } else {
                score - self.banked
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
        let same = u16::from(entry.depth) == self.depth;
        let lower = if same || lower.is_win() && seen(lower) { lower } else { Score::MIN };
        let upper = if same || upper.is_loss() && seen(upper) { upper } else { Score::MAX };
        Bounds { lower: self.at_node(lower), upper: self.at_node(upper) }
    }
}
