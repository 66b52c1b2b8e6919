//! The evaluation of positions that are not over.

use plyground::{Evaluator, Game, Score};

use crate::rules::{Pit, Position};

/// The value of a seed in the pits of a side, in hundredths of a seed in its store.
const IN_PITS: i32 = 20;

/// An evaluator that counts the seeds in the stores, and a little for those in the pits of each side, which
/// are its own if the game ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seeds;

impl Evaluator<Position> for Seeds {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| position.in_pits(side));
        Score::points(position.margin()) + IN_PITS * (own - other)
    }

    /// Puts moves that keep the turn first, then those that store many seeds.
    fn order(&self, position: &Position, _: Pit, next: &Position) -> i32 {
        let mover = position.side_to_move();
        let stored = next.store(mover) - position.store(mover);
        1_000 * stored + if next.side_to_move() == mover { 10_000 } else { 0 }
    }
}
