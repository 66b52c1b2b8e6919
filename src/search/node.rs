//! A node of the search tree.

use super::CLOSER_DEPTH;
use super::stored::Stored;
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
