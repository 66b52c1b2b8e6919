//! What is said of a game that breaks the contract.

use std::fmt;

use crate::game::{Game, Side};

/// A part of the contract of [`Game`] and [`Evaluator`](crate::Evaluator).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `NAME` is a lower-case word, and `MOVE_CODES` is from 1 to 2^16 - 1, and `POINT` from
    /// 1 to 28,999.
    Constants,
    /// A game that is not over has a legal move, and one that is over has none.
    Moves,
    /// `legal_moves` yields exactly the moves that `check_legal` accepts, each once, in an order
    /// that depends on the position alone.
    Generator,
    /// `play` refuses an illegal move, leaves the position as it was, and says which and why on
    /// one line.
    Refusal,
    /// After a move the other side is to move; `play`, `after` and `play_unchecked` agree.
    Play,
    /// `Display` and `FromStr` of moves are inverse; legal moves have different texts.
    Notation,
    /// Move codes are below `MOVE_CODES` and differ.
    MoveCode,
    /// `canonical_code` is its own inverse, and below `MOVE_CODES`.
    CanonicalCode,
    /// Equal positions have equal keys, and are equal in all else.
    EqualPositions,
    /// Positions that share `key` are alike but for the margin so far, `plies_left` among all else.
    Key,
    /// Positions that share `end_of_game_key` have the same result but for the margin so far.
    EndOfGameKey,
    /// Bounds are whole points in order, or open.
    Bounds,
    /// Bounds hold for the result of best play.
    BoundsHold,
    /// A pass is legal only when it is the only move.
    Pass,
    /// Points and margins agree, and no margin is too great for a score.
    Points,
    /// `plies_left` is never exceeded, and shrinks with every move.
    PliesLeft,
    /// What `forcing` returns is true, and it does nothing else to `replies` than add to them. What
    /// the opponent could do if it were their turn, the second half of what
    /// [`Forcing::Quiet`](crate::Forcing::Quiet) says, cannot be tried by the moves of a game.
    Forcing,
    /// Evaluations and move orders are within their limits, and the same each time.
    Evaluation,
}

/// A game does not keep the contract: where, and which rule.
#[derive(Clone, PartialEq, Eq)]
pub struct Breach {
    /// The name of the game.
    pub game: &'static str,
    /// What it breaks.
    pub rule: Rule,
    /// The position where it shows, with the side to move, as text.
    pub position: String,
    /// What was found: the move if there is one, what was expected and what came.
    pub found: String,
}

impl Breach {
    pub(super) fn new<G: Game>(rule: Rule, position: &G, found: String) -> Breach {
        Breach { game: G::NAME, rule, position: describe(position), found }
    }
}

/// The position as a person reads it, with the side to move.
pub(super) fn describe<G: Game>(position: &G) -> String {
    let side = match position.side_to_move() {
        Side::First => "first",
        Side::Second => "second",
    };
    format!("{position}\n({side} side to move)")
}

/// `Ok` if `holds`, and otherwise the breach of `rule` in `position`.
#[inline]
pub(super) fn require<G: Game>(
    holds: bool,
    rule: Rule,
    position: &G,
    found: impl FnOnce() -> String,
) -> Result<(), Breach> {
    if holds { Ok(()) } else { Err(Breach::new(rule, position, found())) }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Breach { game, rule, position, found } = self;
        write!(f, "{game} breaks the contract, rule {rule:?}: {found}\nin the position\n{position}")
    }
}

/// As `Display`, since a test that returns the error, or unwraps it, shows `Debug`.
impl fmt::Debug for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Breach {}
