//! A goal for any game.

use super::goal::Goal;
use super::numbers::Numbers;
use crate::game::Side;
use crate::hints::SearchHints;
use crate::score::Score;

/// The goal that the attacker wins by `margin` points or more. In a game without points, a positive margin
/// asks for a win; with a margin of 0 a draw is enough.
///
/// ```
/// use plyground::proof::{AtLeast, Prover};
/// use plyground::testing::TicTacToe;
/// use plyground::{Limits, Side};
///
/// let reaches = |attacker, margin| {
///     let goal = AtLeast { attacker, margin };
///     Prover::new(1).prove(&goal, &TicTacToe::default(), 9, &Limits::default()).reached
/// };
/// // Neither side wins tic-tac-toe, and both can hold the draw.
/// assert_eq!([Side::First, Side::Second].map(|side| reaches(side, 1)), [Some(false); 2]);
/// assert_eq!([Side::First, Side::Second].map(|side| reaches(side, 0)), [Some(true); 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AtLeast {
    /// The side that wants to reach the goal.
    pub attacker: Side,
    /// The least margin, which may be negative.
    pub margin: i32,
}

impl<G: SearchHints> Goal<G> for AtLeast {
    fn attacker(&self) -> Side {
        self.attacker
    }

    fn judge(&self, position: &G, plies: u32) -> Numbers {
        let wanted = Score::of_margin(self.margin, G::POINT);
        let decided = |reached| if reached { Numbers::PROVEN } else { Numbers::DISPROVEN };
        if let Some(outcome) = position.outcome() {
            return decided(outcome.score::<G>(self.attacker, 0) >= wanted);
        }
        if plies == 0 {
            return Numbers::DISPROVEN;
        }
        let bounds = position.bounds();
        let bounds = if position.side_to_move() == self.attacker { bounds } else { bounds.flip() };
        match (bounds.lower >= wanted, bounds.upper < wanted) {
            // The bounds speak of the end of the game, which must be within reach.
            (true, _) if position.plies_left().is_some_and(|left| left <= plies) => Numbers::PROVEN,
            (_, true) => Numbers::DISPROVEN,
            _ => Numbers::open(1, 1),
        }
    }

    /// Returns the number of the question as the side to move sees it: a key says no more of a position.
    fn salt(&self, position: &G) -> u64 {
        const OF_MARGINS: u64 = 0xd6e8_feb8_6659_fd93;
        let is_mover = position.side_to_move() == self.attacker;
        let question = 2 * i64::from(self.margin) + i64::from(is_mover);
        OF_MARGINS.wrapping_mul(question as u64)
    }
}
