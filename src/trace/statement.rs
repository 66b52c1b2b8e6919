//! The window in which a node is searched, and the statement that its score makes.

use crate::score::{Bounds, Score};

/// The window of a search: it asks for the value of a position if that is between the two scores. Both are
/// as the side to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The score that the side to move has already, by a move elsewhere.
    pub alpha: Score,
    /// The score from which on the opponent avoids the position, by a move elsewhere.
    pub beta: Score,
}

impl Window {
    /// The window that asks for the value in any case.
    pub const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// Returns the same window as the other side sees it.
    #[must_use]
    pub fn flip(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Returns true if no value is left to ask for.
    #[must_use]
    pub fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }

    /// Returns `best`, moved into `limits`, and its relation to the value of a position whose value is
    /// known to be within `limits`. `best` is the greatest score of the moves that were searched, which are
    /// all moves if none reached beta.
    #[must_use]
    pub fn statement(self, best: Score, limits: Bounds) -> (Score, Statement) {
        let score = limits.clamp(best);
        let statement = match best {
            _ if best >= self.beta && score < limits.upper => Statement::AtLeast,
            _ if best <= self.alpha && score > limits.lower => Statement::AtMost,
            _ => Statement::Exact,
        };
        (score, statement)
    }
}

/// The relation of a score to the value of a position at the depth of its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The score is the value.
    Exact,
    /// The value is the score or greater: a move was good enough for a cut.
    AtLeast,
    /// The value is the score or less: no move reached alpha.
    AtMost,
}

impl Statement {
    /// Returns true if the statement about `score` is true of `value`.
    #[must_use]
    pub fn holds(self, score: Score, value: Score) -> bool {
        match self {
            Statement::Exact => value == score,
            Statement::AtLeast => value >= score,
            Statement::AtMost => value <= score,
        }
    }

    /// Returns the statement about the score with the sign changed, for the other side.
    #[must_use]
    pub fn flip(self) -> Statement {
        match self {
            Statement::Exact => Statement::Exact,
            Statement::AtLeast => Statement::AtMost,
            Statement::AtMost => Statement::AtLeast,
        }
    }

    /// Returns true if `score` with this statement answers the question of `window`.
    #[must_use]
    pub fn answers(self, score: Score, window: Window) -> bool {
        match self {
            Statement::Exact => true,
            Statement::AtLeast => score >= window.beta,
            Statement::AtMost => score <= window.alpha,
        }
    }
}
