//! Tools for tests of games and searches: the contract check, toy games and plain references.
//!
//! * [`check_contract`] plays a game at random and tests every promise of [`Game`]
//!   and [`Evaluator`](crate::Evaluator). A new game needs no more than this one call.
//! * [`Reference`] holds the result of plain minimax for a position; it checks the report of any search.
//! * [`exact_result`] and [`random_position`] are the small tools behind them.
//! * Three toy games are models of a [`Game`], and together have everything that makes a search hard:
//!   [`TicTacToe`] is the shortest, [`Digraph`] has cycles, wins, losses and draws at every distance,
//!   [`Coins`] has points, bounds and mirror images. [`Again`] adds extra turns to them.
//! * [`HashNoise`] is an evaluator that returns noise, for any game.

mod contract;
mod digraph;
#[cfg(test)]
mod faults;
mod keys;
mod reference;
mod sample;
mod toys;

use std::fmt;

use crate::game::{Game, Side};

pub use contract::{Checked, check_contract};
pub use digraph::{Again, Digraph, ExtraTurns, NoSuchEdge, Node};
pub use reference::{Disagreement, Reference, every_option, exact_result};
pub use sample::{HashNoise, Sample, random_position};
pub use toys::{CannotTake, Coins, End, IllegalMark, NotAMove, Square, Take, TicTacToe};

/// A part of the contract of [`Game`] and [`Evaluator`](crate::Evaluator).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `NAME` is a lower-case word, and `MOVE_CODES` is from 1 to 2^16 - 1, and `POINT` from
    /// 1 to 28,999.
    Constants,
    /// A game that is not over has a legal move, and a game that is over has none.
    Moves,
    /// `legal_moves` yields exactly the moves that `check_legal` accepts, each once, in an order
    /// that depends on the position alone.
    Generator,
    /// `play` refuses an illegal move, leaves the position as it was, and gives the move and the reason on
    /// one line.
    Refusal,
    /// After a move the other side is to move, unless `ALTERNATES` is false, and after a pass always; `play`,
    /// `after` and `play_unchecked` agree.
    Play,
    /// `Display` and `FromStr` of moves are inverse; legal moves have different texts.
    Notation,
    /// Move codes are below `MOVE_CODES` and differ.
    MoveCode,
    /// `canonical_code` is its own inverse, and below `MOVE_CODES`.
    CanonicalCode,
    /// Equal positions have equal keys, and agree in everything else.
    EqualPositions,
    /// Positions that share `key` are alike except for the margin so far; they have the same `plies_left`
    /// too.
    Key,
    /// Positions that share `end_of_game_key` have the same result except for the margin so far.
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
    /// The answer of `forcing` is true, and `forcing` only adds to `replies`. The second half of
    /// [`Forcing::Quiet`](crate::Forcing::Quiet), about the opponent's moves if it were their turn, cannot
    /// be tested with the moves of a game.
    Forcing,
    /// Evaluations and move orders are within their limits, and the same each time.
    Evaluation,
}

/// A breach of the contract by a game: the rule and the position.
#[derive(Clone, PartialEq, Eq)]
pub struct Breach {
    /// The name of the game.
    pub game: &'static str,
    /// The broken rule.
    pub rule: Rule,
    /// The position of the breach, as `Display` and `Debug` write it, with the side to move.
    pub position: String,
    /// The finding: the move if there is one, the expected result and the actual one.
    pub found: String,
}

impl Breach {
    fn new<G: Game>(rule: Rule, position: &G, found: String) -> Breach {
        Breach { game: G::NAME, rule, position: describe(position), found }
    }
}

/// Returns the position as `Display` and `Debug` write it, with the side to move: the board may not show all
/// that the rules know.
fn describe<G: Game>(position: &G) -> String {
    let side = match position.side_to_move() {
        Side::First => "first",
        Side::Second => "second",
    };
    format!("{position}\n({side} side to move)\n{position:?}")
}

/// Returns `Ok` if `holds`, otherwise the breach of `rule` in `position`.
#[inline]
fn require<G: Game>(
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

/// Writes the same text as `Display`, since a test that returns or unwraps the error shows `Debug`.
impl fmt::Debug for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Breach {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breach_shows_what_the_board_may_hide() {
        let breach = Breach::new(Rule::Key, &TicTacToe::default(), "an error".to_owned());
        assert!(breach.to_string().ends_with("TicTacToe { marks: [0, 0] }"), "{breach}");
    }
}
