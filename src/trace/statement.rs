//! What a node is asked, and what it answers.

use crate::score::{Bounds, Score};

/// What a position is searched for: the value, if it is between the two scores. Both are as the side
/// to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What the side to move has already, by a move elsewhere.
    pub alpha: Score,
    /// From here on the opponent avoids the position, by a move elsewhere.
    pub beta: Score,
}

impl Window {
    /// Asks for the value, whatever it is.
    pub const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// The same window as the other side sees it.
    #[must_use]
    pub fn flip(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether no value is left to ask for.
    #[must_use]
    pub fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }

    /// What the greatest score of the moves that were searched, or of all of them where none reached
    /// beta, says of the value of a position whose value is known to be within `limits`; and the
    /// score itself, moved into these limits.
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

/// What a score says of the value of a position at the depth of its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// It is the value.
    Exact,
    /// The value is this or greater: a move was good enough for a cut.
    AtLeast,
    /// The value is this or less: no move reached alpha.
    AtMost,
}

impl Statement {
    /// Whether `score`, of which this is said, is true of `value`.
    #[must_use]
    pub fn holds(self, score: Score, value: Score) -> bool {
        match self {
            Statement::Exact => value == score,
            Statement::AtLeast => value >= score,
            Statement::AtMost => value <= score,
        }
    }

    /// What is said of the score with the sign changed, for the other side.
    #[must_use]
    pub fn flip(self) -> Statement {
        match self {
            Statement::Exact => Statement::Exact,
            Statement::AtLeast => Statement::AtMost,
            Statement::AtMost => Statement::AtLeast,
        }
    }

    /// Whether a score of which this is said answers what `window` asks.
    #[must_use]
    pub fn answers(self, score: Score, window: Window) -> bool {
        match self {
            Statement::Exact => true,
            Statement::AtLeast => score >= window.beta,
            Statement::AtMost => score <= window.alpha,
        }
    }
}
