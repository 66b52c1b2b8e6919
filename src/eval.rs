//! Evaluation: the estimate of a position at the horizon of a search.

use crate::game::Game;
use crate::score::Score;

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
    /// It must be a function of [`Game::key`] and [`Game::margin`] alone, and the margin must enter
    /// it as [`Game::POINT`] for each point. The search holds it below every won score and within
    /// the position's [bounds](crate::SearchHints::bounds); where there is a margin, the score
    /// must fit the band of estimates both with and without it, because the table keeps it without.
    fn evaluate(&self, position: &G) -> Score;

    /// Returns the terms that [`evaluate`](Evaluator::evaluate) adds up for this position: the sum of their
    /// [scores](Term::score) is the evaluation. They are for people who look at a search; no search asks
    /// for them.
    fn terms(&self, position: &G) -> Vec<Term> {
        let counts = [self.evaluate(position).get(), 0];
        vec![Term { name: "evaluation", counts, weight: 1 }]
    }

    /// Returns a number that says how promising `mv` looks, which leads from `position` to `next`: the
    /// search tries moves with a higher number first. The number does not change the value of a search,
    /// only its speed. The search adds up to ±4,596 from its own statistics, so a confident
    /// evaluator answers in large numbers: ±10^8 at most.
    #[inline]
    fn order(&self, position: &G, mv: G::Move, next: &G) -> i32 {
        let _ = (position, mv, next);
        0
    }

    /// Returns a function that answers like [`order`](Evaluator::order) for one move of `position` after
    /// the other. Override it where moves have something in common that needs to be computed only once.
    #[inline(always)]
    fn orders(&self, position: &G) -> impl FnMut(G::Move, &G) -> i32 {
        |mv, next| self.order(position, mv, next)
    }

    /// Returns the least depth at which a search does well to put the moves in order before it tries them.
    /// If [`order`](Evaluator::order) takes as long as [`evaluate`](Evaluator::evaluate), moves to the
    /// horizon are better tried as they come.
    #[inline]
    fn order_depth(&self) -> u32 {
        1
    }
}

/// A part of an evaluation: something that is counted for both sides, with a weight.
///
/// ```
/// use plyground::eval::Term;
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

/// An evaluator that finds every unfinished position even. Searches that reach the end of the game need no
/// more.
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
