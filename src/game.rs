//! The rules contract: everything that the engine may ask of a game; and perft, the number of sequences of
//! moves from a position, which is the standard test of a move generator.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::ops::Neg;
use std::str::FromStr;

use crate::score::Score;

/// One of the two players, named by the order in which they move in a game from the start.
///
/// ```
/// use plyground::Side;
///
/// assert_eq!(Side::First.other(), Side::Second);
/// assert_eq!(Side::BOTH[Side::Second.index()], Side::Second);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// The player who makes the first move of a game.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Both sides, in the order of [`Side::index`].
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// Returns the opponent of this side.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// Returns 0 for the first side, 1 for the second: an index into arrays of two.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The outcome of a finished game. It is a fact of the rules; [`Outcome::score`] gives it a score.
///
/// ```
/// use plyground::testing::{Coins, TicTacToe};
/// use plyground::{Outcome, Score, Side};
///
/// let points = Outcome::Points { first: 5, second: 3 };
/// assert_eq!(points.winner(), Some(Side::First));
/// assert_eq!(points.score::<Coins>(Side::Second, 10), Score::points(-2));
/// // A win that comes in three plies, a draw whenever it comes.
/// assert_eq!(Outcome::Win(Side::First).score::<TicTacToe>(Side::First, 3), Score::win_in(3));
/// assert_eq!(Outcome::Draw.score::<TicTacToe>(Side::First, 9), Score::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side has won, by any margin.
    Win(Side),
    /// Neither side has won.
    Draw,
    /// Each side's points; the greater number wins, and the margin matters.
    Points {
        /// Points of [`Side::First`], not negative.
        first: i32,
        /// Points of [`Side::Second`], not negative.
        second: i32,
    },
}

impl Outcome {
    /// Returns the side that won, or `None` for a draw.
    #[must_use]
    pub fn winner(self) -> Option<Side> {
        match self {
            Outcome::Win(side) => Some(side),
            Outcome::Draw => None,
            Outcome::Points { first, second } if first > second => Some(Side::First),
            Outcome::Points { first, second } if first < second => Some(Side::Second),
            Outcome::Points { .. } => None,
        }
    }

    /// Returns the score of this outcome of game `G` as `side` sees it, when it is reached `ply` plies
    /// after the position from which distances are counted.
    ///
    /// An earlier win and a later loss have greater scores; points have the same score at any time.
    #[inline]
    #[must_use]
    pub fn score<G: Game>(self, side: Side, ply: u32) -> Score {
        match self {
            Outcome::Win(winner) if winner == side => Score::win_in(ply),
            Outcome::Win(_) => Score::loss_in(ply),
            Outcome::Draw => Score::ZERO,
            Outcome::Points { first, second } => {
                let margin = first - second;
                Score::of_margin(if side == Side::First { margin } else { -margin }, G::POINT)
            }
        }
    }
}

/// A position of a two-player game with perfect information and no chance, and the rules that lead from it
/// to the next.
///
/// The trait has the rules and nothing else: hints for a search are in [`SearchHints`](crate::SearchHints),
/// which has a default for everything; a game that is to be searched needs only an empty `impl SearchHints`.
/// [`testing::TicTacToe`](crate::testing::TicTacToe) is the shortest model.
///
/// A value of the type is a *position*: small and cheap to clone, with only the facts that the rules need.
/// The search copies a position for every move it tries and never takes a move back.
///
/// # Contract
///
/// * Sides alternate: after a move the other side is to move, unless [`ALTERNATES`](Game::ALTERNATES) is
///   false. A [pass](Game::is_pass) always leaves the turn to the other side.
/// * While [`outcome`](Game::outcome) is `None` there is at least one legal move. When the game is over
///   there is no legal move.
/// * [`legal_moves`](Game::legal_moves) yields exactly the moves that
///   [`check_legal`](Game::check_legal) accepts, each once, in an order that depends on the
///   position alone.
/// * [`play`](Game::play) refuses an illegal move and leaves the position as it was. The text of the
///   refusal is one line that contains the move.
/// * A player who can do nothing passes: a [pass](Game::is_pass) is a move like others, and legal only
///   when it is the only one.
/// * [`plies_left`](Game::plies_left) shrinks with every move.
/// * No margin of points is greater than 28,999 / [`POINT`](Game::POINT), final or so far.
/// * `Display` of a move is its canonical notation, without blanks, and `FromStr` reads it back.
///   `Display` of a position is for people who debug the rules: the board, for example, a line for
///   every row.
/// * Positions of one game that share a [`key`](Game::key) share their future, their
///   [`plies_left`](Game::plies_left) and all that an
///   evaluation reads, as the side to move sees it, except for the [`margin`](Game::margin) so far.
///
/// [`testing::check_contract`](crate::testing::check_contract) tests all of this for any game.
///
/// ```
/// use plyground::Game;
/// use plyground::testing::TicTacToe;
///
/// let mut position = TicTacToe::default();
/// position.play("5".parse()?)?;
/// assert_eq!(position.to_string(), "...\n.X.\n...");
/// assert_eq!(position.legal_moves().count(), 8);
/// let error = position.play("5".parse()?).unwrap_err();
/// assert_eq!(error.to_string(), "square 5 is taken");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Game: Clone + Eq + Debug + Display + Send + Sync {
    /// A move. `Display` and `FromStr` speak the canonical notation.
    type Move: Copy + Eq + Debug + Display + FromStr + Send + Sync;

    /// The reason that a move is illegal. Its text names the move and is one line for a person.
    type IllegalMove: Error;

    /// The name of the game as written in tables and records: lower case, no blanks.
    const NAME: &'static str;

    /// The value of a point of margin as a [`Score`]. Margins of up to 28,999 / `POINT` points fit: 289
    /// with the default of 100. A game with greater margins has a smaller `POINT`, and leaves its
    /// evaluations less room between two points.
    const POINT: i32 = Score::POINT;

    /// If true, the other side is to move after every move. With `false`, a move may leave the turn to the
    /// side that made it: [`side_to_move`](Game::side_to_move) says who moves. A constant lets the search of
    /// a game with alternating sides skip the test.
    const ALTERNATES: bool = true;

    /// Returns the side whose turn it is (or would be, if the game were not over).
    fn side_to_move(&self) -> Side;

    /// Returns the outcome of the game, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// Returns the legal moves, each once; no moves if the game is over.
    fn legal_moves(&self) -> impl Iterator<Item = Self::Move>;

    /// Checks that `mv` may be played now.
    ///
    /// # Errors
    ///
    /// Returns the reason if the move is illegal; every move is illegal when the game is over.
    fn check_legal(&self, mv: Self::Move) -> Result<(), Self::IllegalMove>;

    /// Plays `mv`, which must be legal. An illegal move leads to a meaningless position, but never to
    /// undefined behavior.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// Returns a 64-bit key of everything in the position on which its future depends.
    fn key(&self) -> u64;

    /// Returns true if `mv` is a pass, by which a player who has no other move leaves the turn to the
    /// opponent. A pass is a move like others, it counts as a ply, and it is legal only when it is the only
    /// legal move.
    #[inline]
    fn is_pass(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// Plays `mv` if it is legal.
    ///
    /// # Errors
    ///
    /// Returns the reason if the move is illegal; the position is then as before.
    fn play(&mut self, mv: Self::Move) -> Result<(), Self::IllegalMove> {
        self.check_legal(mv)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// Returns a limit on the number of plies that can still be played, where the rules set one. The limit
    /// shrinks with every move, by at least one, and positions that share a [`key`](Game::key) have the same
    /// limit.
    ///
    /// A search to this depth is exact. The limit may be loose, because a search notices when all lines have
    /// ended. Without a limit, no search reaches the end of the game: there is no book, and perfect play is
    /// limited to forced wins.
    #[inline]
    fn plies_left(&self) -> Option<u32> {
        None
    }

    /// Returns the points of each side so far, [`Side::First`] first, in a game of points.
    #[inline]
    fn points(&self) -> Option<[i32; 2]> {
        None
    }

    /// Returns the points so far of the side to move less the points of the opponent; 0 in a game without
    /// points. Override it where that is faster than counting the [`points`](Game::points).
    #[inline]
    fn margin(&self) -> i32 {
        let Some([first, second]) = self.points() else { return 0 };
        if self.side_to_move() == Side::First { first - second } else { second - first }
    }

    /// Returns the position after `mv`, which must be legal.
    #[inline(always)]
    #[must_use]
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(mv);
        next
    }
}

/// The step from a position to the position after a move: the turn changes sides, or the same side moves
/// again.
///
/// Scores, bounds and windows are as the side to move sees them. A step translates them between the two
/// positions, either way. Where sides always [alternate](Game::ALTERNATES), the compiler omits the test.
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
    /// Returns the step from `before` to `after`, the position after a move.
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

    /// Returns the score of the move of this step for the side that makes it, from `after`, the score of the
    /// position after the move: the sign changes with the turn, and a forced end is a ply further away.
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

/// Returns the number of sequences of exactly `depth` legal moves from `position`. Shorter games are not
/// counted.
///
/// ```
/// use plyground::game::perft;
/// use plyground::testing::TicTacToe;
///
/// let start = TicTacToe::default();
/// assert_eq!([1, 2, 3].map(|depth| perft(&start, depth)), [9, 72, 504]);
/// ```
#[must_use]
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ if position.outcome().is_some() => 0,
        // The last moves are counted without being played.
        1 => position.legal_moves().count() as u64,
        _ => position.legal_moves().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}

/// Returns the [`perft`] of `depth`, which must not be 0, split by the first move, in the order in which
/// the game generates them.
///
/// ```
/// use plyground::game::divide;
/// use plyground::testing::TicTacToe;
///
/// let counts = divide(&TicTacToe::default(), 3);
/// assert_eq!(counts.len(), 9);
/// assert!(counts.iter().all(|(_, count)| *count == 56));
/// ```
#[must_use]
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    let count = |mv| (mv, perft(&position.after(mv), depth.saturating_sub(1)));
    position.legal_moves().map(count).collect()
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
