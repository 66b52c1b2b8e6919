//! Evaluation: quadruples that are still open, by how much they lack.

use plyground::{Evaluator, Game, Score};

use crate::position::{Column, Position};
use crate::quads::Quads;

/// What an open quadruple with 0, 1, 2 and 3 pieces is worth, in hundredths of a point.
const WORTH: [i32; 4] = [2, 4, 7, 12];

/// Estimates are told apart in steps of this many hundredths of a point. Finer distinctions mean
/// nothing, and to prove them takes more than twice the nodes (50 M against 18 M at depth 24).
const GRAIN: i32 = 10;

/// The weight of the evaluation in the order of moves, against a history of up to 4,096.
const CONFIDENCE: i32 = 200;

/// Counts the quadruples that each side can still complete, those that lack less for more.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenQuads;

impl OpenQuads {
    /// What the side to move may hope for beyond the points made, in hundredths of a point.
    #[inline]
    fn prospects(position: &Position) -> i32 {
        let empty = position.empties();
        let worth = |stones: u64| -> i32 {
            let open = Quads::within(stones | empty).without(Quads::within(stones));
            open.count_by_stones(stones).into_iter().zip(WORTH).map(|(n, w)| n as i32 * w).sum()
        };
        worth(position.mine()) - worth(position.theirs())
    }
}

impl Evaluator<Position> for OpenQuads {
    #[inline]
    fn evaluate(&self, position: &Position) -> Score {
        Score::points(position.banked()) + Self::prospects(position) / GRAIN * GRAIN
    }

    /// The estimate after the move, in full detail. It predicts good moves much better than what
    /// the search learns about them, and counts accordingly more.
    #[inline]
    fn order(&self, _: &Position, _: Column, next: &Position) -> i32 {
        let estimate = Score::points(next.banked()) + Self::prospects(next);
        -estimate.get() * CONFIDENCE
    }
}
