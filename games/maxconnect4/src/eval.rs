//! Evaluation: quadruples that are still open, by how much they lack.

use plyground::{Evaluator, Game, Score};

use crate::position::{Column, Position};
use crate::quads::Quads;

/// What an open quadruple with 0, 1, 2 and 3 pieces is worth, in hundredths of a point.
const WORTH: [i32; 4] = [2, 4, 7, 12];

/// The weight of the evaluation in the order of moves, against a history of up to 4,096.
const CONFIDENCE: i32 = 200;

/// Counts the quadruples that each side can still complete, those that lack less for more.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenQuads;

impl OpenQuads {
    #[inline]
    fn prospects(stones: u64, empty: u64) -> i32 {
        let open = Quads::within(stones | empty).without(Quads::within(stones));
        open.count_by_stones(stones).into_iter().zip(WORTH).map(|(n, worth)| n as i32 * worth).sum()
    }
}

impl Evaluator<Position> for OpenQuads {
    #[inline]
    fn evaluate(&self, position: &Position) -> Score {
        let empty = position.empties();
        let mine = Self::prospects(position.mine(), empty);
        let theirs = Self::prospects(position.theirs(), empty);
        Score::points(position.banked()) + (mine - theirs)
    }

    /// The evaluation after the move, which predicts good moves much better than what the search
    /// learns about them, and counts accordingly more.
    #[inline]
    fn order(&self, _: &Position, _: Column, next: &Position) -> i32 {
        -self.evaluate(next).get() * CONFIDENCE
    }
}
