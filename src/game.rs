//! The rules contract: everything the engine may ask of a game.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::forcing::Forcing;
use crate::score::{Bounds, Score};

/// One of the two players, named by the order in which they move in a game from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The player who makes the first move of a game.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Both sides, in the order of [`Side::index`].
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent of this side.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second: an index into arrays of two.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a finished game ended. A fact of the rules; [`Outcome::score`] prices it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side has won, by however much.
    Win(Side),
    /// Nobody has won.
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
    /// The side that won, or `None` for a draw.
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

    /// The price of this outcome as `side` sees it, when it is reached `ply` plies after the
    /// position from which distances are counted.
    ///
    /// A win is worth more the sooner it comes and a loss the later it comes; points are worth
    /// the same at any time.
    #[inline]
    #[must_use]
    pub fn score(self, side: Side, ply: u32) -> Score {
        match self {
            Outcome::Win(winner) if winner == side => Score::win_in(ply),
            Outcome::Win(_) => Score::loss_in(ply),
            Outcome::Draw => Score::ZERO,
            Outcome::Points { first, second } => {
                let margin = first - second;
                Score::points(if side == Side::First { margin } else { -margin })
            }
        }
    }
}

/// A position of a two-player game with full information and no chance, and the rules that lead
/// from it to the next.
///
/// What has no default is needed, and enough to be searched; the rest makes a search faster, exact, or
/// aware of points. [`testing::TicTacToe`](crate::testing::TicTacToe) is the shortest model.
///
/// A value of the type is a *position*: small, cheap to clone, with nothing in it but what the
/// rules need. The search copies a position for every move it tries and never takes a move back.
///
/// # Contract
///
/// * Sides alternate: after a move the other side is to move.
/// * While [`outcome`](Game::outcome) is `None` there is at least one legal move.
/// * [`legal_moves`](Game::legal_moves) yields exactly the moves that
///   [`check_legal`](Game::check_legal) accepts, each once, in an order that depends on the
///   position alone.
/// * `Display` of a move is its canonical notation, without blanks, and `FromStr` reads it back.
///   `Display` of a position is for people who look for a fault in the rules: say, the board, a line
///   for every row.
/// * Positions of one game that share a [`key`](Game::key) share their future and all that an
///   evaluation reads, as the side to move sees it, except for points already
///   [`banked`](Game::banked).
/// * [`bounds`](Game::bounds) and [`closer_bounds`](Game::closer_bounds) are proven: they hold for
///   the result of best play.
///
/// [`testing::check_contract`](crate::testing::check_contract) tests all of this for any game.
pub trait Game: Clone + Eq + Debug + Display + Send + Sync {
    /// A move. `Display` and `FromStr` speak the canonical notation.
    type Move: Copy + Eq + Debug + Display + FromStr + Send + Sync;

    /// Why a move is illegal, with the move in it, as one line for a person.
    type IllegalMove: Error;

    /// The name of the game as written in tables and records: lower case, no blanks.
    const NAME: &'static str;

    /// One more than the greatest number that [`move_code`](Game::move_code) returns; less than
    /// 2^16.
    const MOVE_CODES: usize;

    /// The side whose turn it is (or would be, if the game were not over).
    fn side_to_move(&self) -> Side;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves, each once. What it yields when the game is over is not specified.
    fn legal_moves(&self) -> impl Iterator<Item = Self::Move>;

    /// Whether `mv` may be played now, and if not, why.
    ///
    /// # Errors
    ///
    /// The reason, when the move is illegal; every move is illegal when the game is over.
    fn check_legal(&self, mv: Self::Move) -> Result<(), Self::IllegalMove>;

    /// Plays `mv`, which must be legal. An illegal move leaves a position without meaning (never
    /// an unsafe one).
    fn play_unchecked(&mut self, mv: Self::Move);

    /// A 64-bit key of everything in the position that its future depends on.
    fn key(&self) -> u64;

    /// A number below [`MOVE_CODES`](Game::MOVE_CODES), different for different legal moves of
    /// one position, the same for moves that are alike (same square, say) in different positions.
    /// The search keeps its statistics on what tends to be good under it.
    fn move_code(&self, mv: Self::Move) -> usize;

    /// Plays `mv` if it is legal.
    ///
    /// # Errors
    ///
    /// The reason, when the move is illegal; the position is then as before.
    fn play(&mut self, mv: Self::Move) -> Result<(), Self::IllegalMove> {
        self.check_legal(mv)?;
        self.play_unchecked(mv);
        Ok(())
    }

    /// A key for play to the very end: positions that share it have the same result of best
    /// play, each less what is [`banked`](Game::banked). It may ignore more than
    /// [`key`](Game::key), such as stones and squares that can no longer matter, and is used only
    /// where the search reaches the last ply.
    #[inline]
    fn settled_key(&self) -> u64 {
        self.key()
    }

    /// Translates a move code between this position and the orientation in which its keys are
    /// taken, either way: its own inverse, and for positions that share a key, moves that
    /// correspond have the same translation. To be overridden where the keys merge mirror images.
    #[inline]
    fn canonical_code(&self, code: usize) -> usize {
        code
    }

    /// Points margin that the side to move has already secured: his points less the opponent's.
    /// Between this and any final margin there are at most 289 points, see [`Score::points`].
    #[inline]
    fn banked(&self) -> i32 {
        0
    }

    /// The points of each side so far, [`Side::First`] first, in a game of points.
    #[inline]
    fn points_by_side(&self) -> Option<[i32; 2]> {
        None
    }

    /// Proven limits on the result of best play from here, as the side to move sees it, in whole
    /// points with those [`banked`](Game::banked) included.
    #[inline]
    fn bounds(&self) -> Bounds {
        Bounds::NONE
    }

    /// Limits like [`bounds`](Game::bounds) that take longer to find. The search asks for them where
    /// those leave open whether the value is above `alpha` and below `beta`.
    ///
    /// A limit between `alpha` and `beta` must be the same in every window. One that is outside may be
    /// wider, on the same side: how far outside it is is of no use. `None` for a position that has no
    /// such limits in any window.
    #[inline]
    fn closer_bounds(&self, alpha: Score, beta: Score) -> Option<Bounds> {
        let _ = (alpha, beta);
        None
    }

    /// [`bounds`](Game::bounds) and [`closer_bounds`](Game::closer_bounds) together, in full.
    #[inline]
    fn closest_bounds(&self) -> Bounds {
        let closer = self.closer_bounds(Score::MIN, Score::MAX).unwrap_or(Bounds::NONE);
        self.bounds().intersect(closer)
    }

    /// What the side to move must do, for a position that is not over, where the game can tell
    /// faster than a search of two plies. The replies to a threat are added to `replies`, in the
    /// order of [`legal_moves`](Game::legal_moves).
    #[inline]
    fn forcing(&self, replies: &mut Vec<Self::Move>) -> Forcing<Self::Move> {
        let _ = replies;
        Forcing::Unknown
    }

    /// Makes the positions [`after`](Game::after) one move of this position or another, where it
    /// is not over and [`forcing`](Game::forcing) has told this of it: any legal move, or of a
    /// position that is threatened any of the replies. To be overridden where a game finds out
    /// about all moves together what it would else find out for each, such as which end the game.
    #[inline(always)]
    fn successors(&self, told: Forcing<Self::Move>) -> impl Successors<Self> {
        let _ = told;
        Each(self)
    }

    /// The greatest number of plies that can still be played, where the rules limit it. A search
    /// that looks that far ahead is exact. Without it there is no search to the end of the game: no
    /// book, no `solve`, and no perfect play but by forced wins.
    #[inline]
    fn plies_left(&self) -> Option<u32> {
        None
    }

    /// The position after `mv`, which must be legal.
    #[inline(always)]
    #[must_use]
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(mv);
        next
    }
}

/// Makes the positions after the moves of one position: what [`Game::successors`] returns.
///
/// A trait rather than a closure, for a closure cannot ask to be compiled into its caller: a position
/// that is returned through memory costs as much as making it.
pub trait Successors<G: Game> {
    /// The position after `mv`, one of the moves that [`Game::successors`] allows.
    fn after(&mut self, mv: G::Move) -> G;
}

/// Makes each position by itself.
struct Each<'a, G>(&'a G);

impl<G: Game> Successors<G> for Each<'_, G> {
    #[inline(always)]
    fn after(&mut self, mv: G::Move) -> G {
        self.0.after(mv)
    }
}
