//! The turn between two positions: it passes to the opponent, or the same side moves again.

use std::ops::Neg;

use crate::game::{Game, Side};
use crate::score::Score;

/// The step from a position to the one after a move: the turn changes sides, or the same side moves again.
///
/// Scores, bounds and windows are as the side to move sees them. A step translates them between the two
/// positions, either way. Where sides always [alternate](Game::ALTERNATES), the compiler knows that the
/// turn changes, and nothing is tested.
///
/// ```
/// use plyground::testing::{Again, Coins, TicTacToe};
/// use plyground::{Game, Score, Turn};
///
/// let start = TicTacToe::default();
/// let turn = Turn::between(&start, &start.after("5".parse()?));
/// assert!(turn.changes());
/// assert_eq!(turn.across(Score::points(3)), Score::points(-3));
///
/// // The side that takes coins with an even sum moves again.
/// let coins = Again(Coins::new(2, 6));
/// let keeps = |&mv: &_| !Turn::between(&coins, &coins.after(mv)).changes();
/// let mv = coins.legal_moves().find(keeps).ok_or("no extra turn")?;
/// let turn = Turn::between(&coins, &coins.after(mv));
/// assert_eq!(turn.across(Score::points(3)), Score::points(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    changes: bool,
}

impl Turn {
    /// Returns the step from `before` to `after`, the position after a move of it.
    #[inline(always)]
    #[must_use]
    pub fn between<G: Game>(before: &G, after: &G) -> Turn {
        Turn { changes: G::ALTERNATES || before.side_to_move() != after.side_to_move() }
    }

    /// Returns the step between positions in which these sides are to move.
    #[inline]
    #[must_use]
    pub fn of_sides(before: Side, after: Side) -> Turn {
        Turn { changes: before != after }
    }

    /// Returns true if the other side is to move after the step.
    #[inline(always)]
    #[must_use]
    pub const fn changes(self) -> bool {
        self.changes
    }

    /// Returns the same score, value or bounds as the side to move at the other end of the step sees it.
    #[inline(always)]
    #[must_use]
    pub fn across<T: Neg<Output = T>>(self, seen: T) -> T {
        if self.changes { -seen } else { seen }
    }

    /// Returns the score that the move of this step has for the side that makes it, from that of the position
    /// after it: as the other side sees it, if the turn changes, and a forced end a ply further away.
    #[must_use]
    pub fn before_move(self, after: Score) -> Score {
        self.across(after).one_ply_further()
    }

    /// Returns the same window of a search as the side to move at the other end of the step sees it.
    #[inline(always)]
    #[must_use]
    pub fn window(self, alpha: Score, beta: Score) -> (Score, Score) {
        if self.changes { (-beta, -alpha) } else { (alpha, beta) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_a_ply_before_the_position_after_it() {
        let [changes, stays] = Side::BOTH.map(|after| Turn::of_sides(Side::Second, after));
        assert_eq!(changes.before_move(Score::win_in(2)), Score::loss_in(3));
        assert_eq!(changes.before_move(Score::loss_in(0)), Score::win_in(1));
        assert_eq!(changes.before_move(Score::points(2)), Score::points(-2));
        assert_eq!(stays.before_move(Score::win_in(2)), Score::win_in(3));
        assert_eq!(stays.before_move(Score::loss_in(2)), Score::loss_in(3));
        assert_eq!(stays.before_move(Score::points(2)), Score::points(2));
    }
}
