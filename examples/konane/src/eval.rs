//! The evaluation of positions that are not over.

use plyground::{Evaluator, Game, Score};

use crate::rules::Position;

/// The value of a jump more than the opponent has.
const JUMP: i32 = 100;

/// An evaluator that counts the jumps of each side: who runs out of them loses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Evaluator<Position> for Mobility {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| position.jumps(side).count() as i32);
        Score::estimate(JUMP * (own - other))
    }
}
