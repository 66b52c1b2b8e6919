//! The evaluation of positions that are not over.

use plyground::{Evaluator, Game, Score};

use crate::rules::{Move, Position};

/// The value of a corner, and of a square that a side can move to, in hundredths of a disc.
const CORNER: i32 = 600;
const PLACE: i32 = 60;

/// An evaluator that counts corners, and the squares that each side can move to: discs themselves say
/// little before the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discs;

impl Evaluator<Position> for Discs {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| {
            let corners = (position.discs(side) & corners(position.size())).count_ones() as i32;
            CORNER * corners + PLACE * position.places(side).count_ones() as i32
        });
        Score::points(position.margin()) + (own - other)
    }

    /// Puts corners first, then moves that leave the opponent few replies.
    fn order(&self, position: &Position, mv: Move, next: &Position) -> i32 {
        let is_corner = matches!(mv, Move::Place(at) if corners(position.size()) >> at & 1 == 1);
        let replies = next.places(next.side_to_move()).count_ones() as i32;
        10_000 * (i32::from(is_corner) * 10 - replies)
    }
}

fn corners(size: u8) -> u64 {
    let last = size - 1;
    1 | 1 << last | 1 << (8 * last) | 1 << (9 * last)
}
