//! The knowledge of a game beyond its rules: the hints that it gives to a search, and its evaluation, the
//! estimate of a position at the horizon of a search.

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
    /// limit. The search then notes whether all searched lines end, and stops deepening when they do.
    /// `false` saves the small cost of this test where [`plies_left`](Game::plies_left) is the exact number
    /// of remaining plies, or where the game has no limit.
    const MAY_END_EARLY: bool = true;

    /// Returns a number below [`MOVE_CODES`](SearchHints::MOVE_CODES), different for different legal moves
    /// of one position, the same for moves that are alike (same square, say) in different positions. The
    /// search keeps its statistics on good moves under this number.
    ///
    /// The default counts through the legal moves, which is slow and does not recognize similar moves. Of
    /// all hints, override this one first.
    #[inline]
    fn move_code(&self, mv: Self::Move) -> usize {
        self.legal_moves().position(|legal| legal == mv).unwrap_or(0)
    }

    /// Returns [`legal_moves`](Game::legal_moves) of a position that is known not to be over, in the same
    /// order. Override it where the test for the end of the game is slow.
    #[inline(always)]
    fn open_moves(&self) -> impl Iterator<Item = Self::Move> {
        self.legal_moves()
    }

    /// Returns a key for play to the end of the game: positions that share it have the same result of best
    /// play, each less its [`margin`](Game::margin) so far. The key may ignore more than [`key`](Game::key),
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
    /// A limit between `alpha` and `beta` must be the same in every window. A limit outside the window may
    /// be looser, as long as it stays on the same side of the window. Returns `None` for a position that has
    /// no such limits in any window.
    #[inline]
    fn closer_bounds(&self, alpha: Score, beta: Score) -> Option<Bounds> {
        let _ = (alpha, beta);
        None
    }

    /// Returns the intersection of [`bounds`](SearchHints::bounds) and the
    /// [`closer_bounds`](SearchHints::closer_bounds) of the full window.
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

    /// Returns a maker of the positions [`after`](Game::after) the moves of this position, which is not
    /// over. `forcing` is the answer of its [`forcing`](SearchHints::forcing): if that is a threat, only the
    /// replies may be played, otherwise any legal move. Override it where moves can share work, such as the
    /// test for the end of the game.
    #[inline(always)]
    fn successors(&self, forcing: Forcing<Self::Move>) -> impl Successors<Self> {
        let _ = forcing;
        Each(self)
    }
}

/// A maker of the positions after the moves of one position: the return type of [`SearchHints::successors`].
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

/// The default [`Successors`], which makes each position separately.
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
    /// No move wins at once, and the opponent could not win at once if it were their turn.
    Quiet,
    /// No move wins at once, and the opponent threatens to win at once. Every move that is not among the
    /// replies loses, immediately or by the opponent's next move. At least one legal move does not end the
    /// game. A reply may fail to help, and the list of replies may be empty.
    Threatened,
}

/// The judgment of positions of a game. Heuristics live here, never in the rules.
///
/// Threads that search together share one evaluator.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Evaluator, Game, Limits, Score, Search, search::Options};
///
/// /// The side with more choice is better, by 5 hundredths of a point for each move.
/// struct Choice;
///
/// impl Evaluator<TicTacToe> for Choice {
///     fn evaluate(&self, position: &TicTacToe) -> Score {
///         Score::estimate(5 * position.legal_moves().count() as i32)
///     }
/// }
///
/// let mut search = AlphaBeta::new(Choice, Options { table_mib: 1, ..Options::default() });
/// let report = search.best(&TicTacToe::default(), &Limits::depth(2)).ok_or("over")?;
/// assert_eq!(report.score(), Score::estimate(35));
/// assert!(!report.proven());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Evaluator<G: Game>: Sync {
    /// Returns an estimate of the result from the view of the side to move, with the
    /// [`margin`](Game::margin) so far included, for a position that is not over.
    ///
    /// The estimate must be a function of [`Game::key`] and [`Game::margin`] alone, in which each point of
    /// margin counts [`Game::POINT`]. The search clamps the estimate below every won score and into the
    /// position's [bounds](crate::SearchHints::bounds). In a game with margins, the estimate must fit the
    /// band of estimates both with and without the margin, because the table stores it without.
    fn evaluate(&self, position: &G) -> Score;

    /// Returns the terms that [`evaluate`](Evaluator::evaluate) adds up for this position: the sum of their
    /// [scores](Term::score) is the evaluation. The terms are for display; no search calls this function.
    fn terms(&self, position: &G) -> Vec<Term> {
        let counts = [self.evaluate(position).get(), 0];
        vec![Term { name: "evaluation", counts, weight: 1 }]
    }

    /// Returns the promise of `mv`, which leads from `position` to `next`, as a number: the search tries
    /// moves with a higher number first. The number does not change the value of a search, only its speed.
    /// The search adds up to ±4,596 from its own statistics, so an evaluator that knows better should return
    /// larger numbers, up to ±10^8.
    #[inline]
    fn order(&self, position: &G, mv: G::Move, next: &G) -> i32 {
        let _ = (position, mv, next);
        0
    }

    /// Returns a function that computes [`order`](Evaluator::order) for the moves of `position`, one after
    /// the other. Override it where moves share work that can be done once.
    #[inline(always)]
    fn orders(&self, position: &G) -> impl FnMut(G::Move, &G) -> i32 {
        |mv, next| self.order(position, mv, next)
    }

    /// Returns the least depth at which the search orders the moves. If [`order`](Evaluator::order) takes as
    /// long as [`evaluate`](Evaluator::evaluate), ordering the moves to the horizon does not pay.
    #[inline]
    fn order_depth(&self) -> u32 {
        1
    }
}

/// A part of an evaluation: a feature counted for both sides, with a weight.
///
/// ```
/// use plyground::hints::Term;
///
/// let goals = Term { name: "goals with a chip", counts: [2, 1], weight: 80 };
/// assert_eq!(goals.score(), 80);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The name of the thing counted, in a few words.
    pub name: &'static str,
    /// The counts for the side to move and for the opponent.
    pub counts: [i32; 2],
    /// The value of one count, in hundredths of a point.
    pub weight: i32,
}

impl Term {
    /// Returns the term of the points so far.
    #[must_use]
    pub fn of_points<G: Game>(position: &G, points: [i32; 2]) -> Term {
        let side = position.side_to_move();
        let counts = [points[side.index()], points[side.other().index()]];
        Term { name: "points made", counts, weight: G::POINT }
    }

    /// Returns the amount that the term adds to the evaluation, as the side to move sees it.
    #[must_use]
    pub fn score(&self) -> i32 {
        let [own, others] = self.counts;
        (own - others) * self.weight
    }
}

/// An evaluator that returns the margin so far, as if the rest of every game were even. Searches that reach
/// the end of the game need no other.
///
/// ```
/// use plyground::testing::{Coins, TicTacToe};
/// use plyground::{Evaluator, Flat, Game, Score};
///
/// assert_eq!(Flat.evaluate(&TicTacToe::default()), Score::ZERO);
/// let coins = Coins::new(1, 6);
/// assert_eq!(Flat.evaluate(&coins), Score::points(coins.margin()));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Flat;

impl<G: Game> Evaluator<G> for Flat {
    #[inline]
    fn evaluate(&self, position: &G) -> Score {
        Score::of_margin(position.margin(), G::POINT)
    }

    fn terms(&self, position: &G) -> Vec<Term> {
        position.points().map(|points| Term::of_points(position, points)).into_iter().collect()
    }
}
