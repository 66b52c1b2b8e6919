//! The hints that a game gives to a search beyond its rules.

use crate::game::Game;
use crate::score::{Bounds, Score};

/// Hints that make a search of a game faster. Everything has a default that is true of any game, so that
/// `impl SearchHints for MyGame {}` is enough; a game overrides the hints that it can give quickly.
///
/// A hint is a promise: [`testing::check_contract`](crate::testing::check_contract) tests each on
/// random positions.
///
/// * [`bounds`](SearchHints::bounds) and [`closer_bounds`](SearchHints::closer_bounds) are proven:
///   they hold for the result of best play.
/// * Positions that share a [`key`](Game::key) have the same hints, as the side to move sees them, except
///   for the [`margin`](Game::margin) so far and the orientation of their moves.
///
/// ```
/// use plyground::SearchHints;
/// use plyground::perfect::plain_value;
/// use plyground::testing::Coins;
///
/// // The bounds of a row of coins hold its value, which a plain search finds.
/// let coins = Coins::new(1, 6);
/// let value = plain_value(&coins, 10_000)?;
/// let bounds = coins.closest_bounds();
/// assert!(bounds.lower <= value && value <= bounds.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SearchHints: Game {
    /// One more than the greatest number that [`move_code`](SearchHints::move_code) returns; less
    /// than 2^16. The default is enough for the default of `move_code` in games with at most 1,024
    /// moves in a position.
    const MOVE_CODES: usize = 1 << 10;

    /// If true, games may end sooner than [`plies_left`](Game::plies_left) says, because it is a loose
    /// limit. The search then notes whether every line that it searches ends, and stops deepening when all
    /// do. Where [`plies_left`](Game::plies_left) is the exact number of plies to come, or the game has
    /// none, `false` saves the little time that this takes.
    const MAY_END_EARLY: bool = true;

    /// Returns a number below [`MOVE_CODES`](SearchHints::MOVE_CODES), different for different legal moves
    /// of one position, the same for moves that are alike (same square, say) in different positions. The
    /// search keeps its statistics on good moves under this number.
    ///
    /// The default counts through the legal moves, which is slow and says little about which moves are
    /// alike. This is the first hint that is worth giving.
    #[inline]
    fn move_code(&self, mv: Self::Move) -> usize {
        self.legal_moves().position(|legal| legal == mv).unwrap_or(0)
    }

    /// Returns [`legal_moves`](Game::legal_moves) of a position that is known not to be over, in the same
    /// order. Override it where it takes long to find out whether the game is over.
    #[inline(always)]
    fn open_moves(&self) -> impl Iterator<Item = Self::Move> {
        self.legal_moves()
    }

    /// Returns a key for play to the end of the game: positions that share it have the same result of best
    /// play, each less its [`margin`](Game::margin) so far. It may ignore more than [`key`](Game::key),
    /// such as pieces and squares that can no longer matter, and is used only where the search reaches the
    /// last ply.
    #[inline]
    fn end_of_game_key(&self) -> u64 {
        self.key()
    }

    /// Translates a move code between this position and the orientation in which its keys are taken, either
    /// way: the function is its own inverse, and for positions that share a key, moves that correspond have
    /// the same translation. Override it where the keys merge mirror images.
    #[inline]
    fn canonical_code(&self, code: usize) -> usize {
        code
    }

    /// Returns proven limits on the result of best play from here, as the side to move sees it, in whole
    /// points with the [`margin`](Game::margin) so far included.
    #[inline]
    fn bounds(&self) -> Bounds {
        Bounds::NONE
    }

    /// Returns limits like [`bounds`](SearchHints::bounds) that take longer to find. The search asks for
    /// them where [`bounds`](SearchHints::bounds) leaves open whether the value is above `alpha` and below
    /// `beta`.
    ///
    /// A limit between `alpha` and `beta` must be the same in every window. One that is outside may be
    /// wider, on the same side: the distance does not matter. Returns `None` for a position that has no
    /// such limits in any window.
    #[inline]
    fn closer_bounds(&self, alpha: Score, beta: Score) -> Option<Bounds> {
        let _ = (alpha, beta);
        None
    }

    /// Returns [`bounds`](SearchHints::bounds) and [`closer_bounds`](SearchHints::closer_bounds) together,
    /// in full.
    #[inline]
    fn closest_bounds(&self) -> Bounds {
        let closer = self.closer_bounds(Score::MIN, Score::MAX).unwrap_or(Bounds::NONE);
        self.bounds().intersect(closer)
    }

    /// Returns the obligation of the side to move, for a position that is not over, where the game finds it
    /// faster than a search of two plies. The replies to a threat are added to `replies`, in the order of
    /// [`legal_moves`](Game::legal_moves).
    #[inline]
    fn forcing(&self, replies: &mut Vec<Self::Move>) -> Forcing<Self::Move> {
        let _ = replies;
        Forcing::Unknown
    }

    /// Makes the positions [`after`](Game::after) one move of this position or another, where the position
    /// is not over and `forcing` is the answer of its [`forcing`](SearchHints::forcing): any legal move, or
    /// any of the replies to a threat. Override it where a game can compute something for all moves
    /// together that it would otherwise compute for each, such as the end of the game.
    #[inline(always)]
    fn successors(&self, forcing: Forcing<Self::Move>) -> impl Successors<Self> {
        let _ = forcing;
        Each(self)
    }
}

/// Makes the positions after the moves of one position: the return type of [`SearchHints::successors`].
///
/// A trait rather than a closure, because a closure cannot be marked `#[inline(always)]`: returning a
/// position through memory costs as much as making it.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{Forcing, Game, SearchHints, Successors};
///
/// let position = TicTacToe::default();
/// let mut successors = position.successors(Forcing::Unknown);
/// for mv in position.legal_moves() {
///     assert_eq!(successors.after(mv), position.after(mv));
/// }
/// ```
pub trait Successors<G: Game> {
    /// Returns the position after `mv`, one of the moves that [`SearchHints::successors`] allows.
    fn after(&mut self, mv: G::Move) -> G;
}

/// The default [`Successors`]: makes each position by itself.
struct Each<'a, G>(&'a G);

impl<G: Game> Successors<G> for Each<'_, G> {
    #[inline(always)]
    fn after(&mut self, mv: G::Move) -> G {
        self.0.after(mv)
    }
}

/// The obligation of the side to move, in a position that is not over.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{Forcing, SearchHints};
///
/// // Tic-tac-toe leaves it to the search.
/// let mut replies = Vec::new();
/// assert_eq!(TicTacToe::default().forcing(&mut replies), Forcing::Unknown);
/// assert!(replies.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forcing<M> {
    /// The game knows nothing of the next two plies.
    Unknown,
    /// This move ends the game at once, and the side that makes it wins.
    Win(M),
    /// No move wins at once, nor could the opponent win at once if it were their turn.
    Quiet,
    /// No move wins at once, and the opponent threatens to. Every move that is not among the replies loses:
    /// the opponent wins with the next move, if the game has not been lost before. There is a legal move
    /// that does not end the game. The replies may or may not help, and there may be no replies.
    Threatened,
}
