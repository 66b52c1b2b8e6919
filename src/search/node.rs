//! A node of the search tree, and its moves.

use super::entry::Stored;
use super::value::CLOSER_DEPTH;
use crate::hints::SearchHints;
use crate::score::{Bounds, Score};

/// A node of the search tree.
pub(super) struct Node<'a, G> {
    /// The position, which is not over.
    pub(super) position: &'a G,
    /// The form of the position in the table.
    pub(super) stored: Stored,
    /// The bounds known for its value.
    pub(super) known: Bounds,
    /// If true, `known` includes the game's closer bounds.
    pub(super) is_closer: bool,
    /// The number of plies to look ahead from here.
    pub(super) depth: u32,
    /// The number of plies from the root.
    pub(super) ply: u32,
}

/// The closer bounds of a node.
pub(super) struct Closer {
    pub(super) bounds: Bounds,
    /// The limits of the scores that the search of the node can find.
    pub(super) window: Bounds,
}

impl<G: SearchHints> Node<'_, G> {
    /// Returns the closer bounds of `V`, as far as they matter between `alpha` and `beta`.
    #[inline]
    pub(super) fn closer(&self, alpha: Score, beta: Score) -> Closer {
        let closer = if self.is_closer || self.depth < CLOSER_DEPTH {
            None
        } else {
            self.position.closer_bounds(alpha, beta)
        };
        let Some(bounds) = closer else {
            return Closer { bounds: Bounds::NONE, window: Bounds::NONE };
        };
        // A limit outside the window may not be known in full. It makes no difference to a value
        // that is the result of best play; any other may be moved into it, by an unknown amount.
        let to_the_end = self.position.plies_left().is_some_and(|left| self.depth >= left);
        let window = if to_the_end { Bounds::NONE } else { Bounds { lower: alpha, upper: beta } };
        Closer { bounds, window }
    }
}

/// Returns the limit in `known` that decides a value for the window `alpha` to `beta`, if there is one.
#[inline]
pub(super) fn decided_by(known: Bounds, alpha: Score, beta: Score) -> Option<Score> {
    if known.lower >= beta || known.lower == known.upper {
        Some(known.lower)
    } else {
        (known.upper <= alpha).then_some(known.upper)
    }
}

/// The result of generating the moves of a node.
pub(super) enum Expansion {
    /// The moves that may have a score above alpha are on the stack, from this index on; no other move has
    /// a score above this score.
    Open(Score, usize),
    /// The move with this code has a score of at least this, which is not below beta; the stack
    /// is as it was.
    Cutoff(Score, u16),
}

/// A root move with the value that is kept from one depth to the next.
#[derive(Clone, Debug)]
pub(super) struct Root<G: SearchHints> {
    pub(super) mv: G::Move,
    /// The position after the move.
    pub(super) next: G,
    /// The value at the last depth searched, if the move was searched by itself.
    pub(super) guess: Score,
}
