//! Search: the value of a position, and the move that gets it.
//!
//! # The value of a fixed-depth search
//!
//! Every search here computes the same function. For a position `p` and a depth `d`,
//!
//! * `V(p, d)` is the score of the [`outcome`](crate::Game::outcome), if `p` is over;
//! * `V(p, 0)` is the evaluation of `p`, moved into its [`bounds`](crate::SearchHints::bounds);
//! * `V(p, d)` is otherwise the greatest `-V(c, d - 1)` over the positions `c` after one move,
//!   moved into the bounds of `p`, where `d` is at least 2 into the
//!   [closest](crate::SearchHints::closest_bounds).
//!
//! [`Minimax`] computes it by this definition; [`AlphaBeta`] is faster and never different.

use std::time::Duration;

use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::score::{Bounds, Score};
use crate::value::Value;

pub use alphabeta::AlphaBeta;
pub(crate) use limits::Meter;
pub use limits::{Checkpoint, Clock, Limits, MAX_DEPTH, Monitor, RootState};
pub use minimax::Minimax;
pub use report::{Line, Report};

mod alphabeta;
mod aspiration;
mod entry;
mod limits;
mod minimax;
mod ordering;
mod report;
mod selective;
mod tables;
mod worker;

/// The least depth at which a search may take so much longer than
/// [`closer_bounds`](crate::SearchHints::closer_bounds) that these pay.
const CLOSER_DEPTH: u32 = 2;

/// The root moves for which a search must find a score and a principal variation.
///
/// ```
/// use plyground::search::{Options, Scope};
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Search};
///
/// let mut search = AlphaBeta::new(Flat, Options { table_mib: 1, ..Options::default() });
/// let mut lines = |scope| {
///     let report = search.search(&TicTacToe::default(), &Limits::depth(9), scope, &mut |_| ());
///     report.map(|report| report.lines.len())
/// };
/// assert_eq!(lines(Scope::BestMove), Some(1));
/// // With best play, every first move leads to a draw.
/// assert_eq!(lines(Scope::BestMoves), Some(9));
/// assert_eq!(lines(Scope::EveryMove), Some(9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the best move.
    BestMove,
    /// Every legal move that is as good as the best. The move that [`BestMove`](Scope::BestMove) gives
    /// comes first; the principal variation of the others is the move alone. If the search is stopped after
    /// the best move is known, only the moves that were found by then.
    BestMoves,
    /// Every legal move.
    EveryMove,
}

/// A search for the value of a position.
///
/// ```
/// use plyground::search::Scope;
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Limits, Minimax, Search};
///
/// let mut depths = Vec::new();
/// let limits = Limits::nodes(2_000);
/// Minimax::new(Flat).search(&TicTacToe::default(), &limits, Scope::BestMove, &mut |report| {
///     depths.push(report.depth);
/// });
/// assert_eq!(depths, [1, 2, 3]);
/// ```
pub trait Search<G: SearchHints> {
    /// Finds the value of `position` within `limits`, with the best move, or every move.
    ///
    /// `progress` is called with the state of affairs after each finished depth. Returns `None`
    /// exactly when the game is over.
    fn search(
        &mut self,
        position: &G,
        limits: &Limits,
        scope: Scope,
        progress: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Report<G::Move>>;

    /// Finds the value of `position` within `limits` and the best move; `None` if the game is over.
    fn best(&mut self, position: &G, limits: &Limits) -> Option<Report<G::Move>> {
        self.search(position, limits, Scope::BestMove, &mut |_| ())
    }
}

/// Returns `V(position, 0)`: the evaluation, moved below every won score and into the bounds.
#[inline(always)]
pub(crate) fn leaf_value<G: SearchHints, E: Evaluator<G>>(evaluator: &E, position: &G) -> Score {
    let estimate = Score::estimate(evaluator.evaluate(position).get());
    position.bounds().clamp(estimate)
}

/// Returns the limits that `V(position, depth)` is moved into.
pub(crate) fn bounds_at<G: SearchHints>(position: &G, depth: u32) -> Bounds {
    if depth < CLOSER_DEPTH { position.bounds() } else { position.closest_bounds() }
}

/// Returns the value that `score`, found for `position` at `depth`, proves or estimates.
fn position_value<G: SearchHints>(position: &G, depth: u32, score: Score) -> Value {
    if is_result(position, depth, score) { Value::Exact(score) } else { Value::Estimate(score) }
}

/// Returns the value that `score` proves or estimates for the move to `next`: the score at `depth` before
/// the limits of the position are applied.
///
/// `upper` is a limit on the result of every move. Where it is the result of the position, `reached`
/// is set: a move whose position's own limits say that it is at least as good has this result.
fn move_value<G: SearchHints>(
    next: &G,
    depth: u32,
    score: Score,
    upper: Score,
    reached: bool,
) -> Value {
    let capped = score.min(upper);
    let is_exact =
        is_result(next, depth - 1, -score) || reached && -bounds_at(next, depth - 1).upper >= upper;
    if is_exact { Value::Exact(capped) } else { Value::Estimate(capped) }
}

/// Returns true if `score`, the value of `position` at `depth`, is the result of best play.
///
/// A win or a loss at a fixed depth is the result: the search would have seen a sooner end.
pub(crate) fn is_result<G: SearchHints>(position: &G, depth: u32, score: Score) -> bool {
    is_seen_to_end(position, depth, score) || bounds_at(position, depth).exact().is_some()
}

/// Returns true if the search that found `score` has seen the end of the game, without the limits.
pub(crate) fn is_seen_to_end<G: SearchHints>(position: &G, depth: u32, score: Score) -> bool {
    score.plies_to_end().is_some()
        || position.outcome().is_some()
        || position.plies_left().is_some_and(|left| depth >= left)
}

/// The techniques that an [`AlphaBeta`] uses. Only
/// [`late_move_reductions`](Options::late_move_reductions) changes the value of a search.
///
/// ```
/// use plyground::search::Options;
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Search};
///
/// let plain = Options { table_mib: 0, killers: false, history: false, ..Options::default() };
/// let mut nodes = [Options::default(), plain].map(|options| {
///     let report = AlphaBeta::new(Flat, options).best(&TicTacToe::default(), &Limits::depth(9));
///     report.map(|report| (report.score(), report.nodes))
/// });
/// // The same value, by more positions.
/// assert_eq!(nodes[0].map(|(score, _)| score), nodes[1].map(|(score, _)| score));
/// assert!(nodes[0].map(|(_, nodes)| nodes) < nodes[1].map(|(_, nodes)| nodes));
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for the transposition table in MiB, rounded down to a power of two; less where the system
    /// refuses that; 0 for no table.
    pub table_mib: usize,
    /// The least depth at which positions are kept in the table. Below it, a search costs less
    /// than the access to memory.
    pub table_depth: u32,
    /// If true, nodes near the horizon are kept in a small table of each thread's own, which fits into the
    /// cache of the processor.
    pub local_table: bool,
    /// If true, the search looks for a child whose table entry settles a node before it searches any
    /// (enhanced transposition cutoff; J. Schaeffer and A. Plaat, "New advances in alpha-beta searching",
    /// 1996), or whose closer bounds settle it.
    pub child_cutoff: bool,
    /// The least depth at which [`child_cutoff`](Options::child_cutoff) is tried.
    pub child_cutoff_depth: u32,
    /// If true, all moves except the first are searched with a null window (principal variation search; T.
    /// A. Marsland and M. Campbell, 1982).
    pub null_window: bool,
    /// If true, lesser depths are searched before the one asked for, to learn a good order of moves.
    pub deepening: bool,
    /// If true, the search starts from a narrow window around the value of the last depth.
    pub aspiration: bool,
    /// If true, moves that refuted a sibling are tried first (S. G. Akl and M. M. Newborn, 1977).
    pub killers: bool,
    /// If true, moves that caused many cutoffs elsewhere are tried first (J. Schaeffer, 1983).
    pub history: bool,
    /// If true, the order of moves includes the evaluator's.
    pub evaluator_order: bool,
    /// If true, the game is asked for wins at once, and for the replies to threats.
    pub forcing: bool,
    /// If true, moves that come late in the order are searched less deep, where only time or nodes limit
    /// the search and the end of the game is not in sight: the value is then no longer exact.
    pub late_move_reductions: bool,
    /// The seed that shuffles the root moves, so that different seeds choose different moves among equals.
    /// Without a seed the first among equals in the search's own order is chosen: the best move of the last
    /// depth, then those that the evaluator finds most promising.
    #[cfg(feature = "rand")]
    pub seed: Option<u64>,
    /// The number of threads that search together, at least 1. All search the same tree and share the
    /// table; each defers the moves that another is searching (simplified ABDADA). To a fixed depth, values
    /// and moves stay the same; node counts, the ends of principal variations and what a limit of time or
    /// nodes finds then depend on chance.
    pub threads: usize,
    /// The time for which the first thread searches alone. In a shorter search, the others would take more
    /// time to start, and to find what it has found, than they save (measured on the empty board of
    /// Max-Connect4 to depth 10: 1.3 times the time of one thread).
    pub head_start: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            table_mib: 64,
            table_depth: 2,
            local_table: true,
            child_cutoff: true,
            child_cutoff_depth: 4,
            null_window: true,
            deepening: true,
            aspiration: true,
            killers: true,
            history: true,
            evaluator_order: true,
            forcing: true,
            late_move_reductions: true,
            #[cfg(feature = "rand")]
            seed: None,
            threads: 1,
            head_start: Duration::from_millis(50),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::testing::{Coins, TicTacToe, random_position};

    #[test]
    fn wins_ends_and_closed_bounds_are_results() {
        let start = TicTacToe::default();
        assert!(is_result(&start, 3, Score::win_in(3)) && is_result(&start, 4, Score::loss_in(4)));
        assert!(!is_result(&start, 8, Score::ZERO) && is_result(&start, 9, Score::ZERO));
        let over = random_position(&start, 9, 1);
        assert!(is_result(&over, 0, Score::ZERO));
        let coins = |seed| Coins::new(seed, 8);
        for coins in (0..100).map(coins) {
            assert_eq!(is_result(&coins, 1, Score::ZERO), coins.bounds().exact().is_some());
        }
    }

    #[test]
    fn a_move_has_the_result_that_its_own_limits_reach() {
        let mut shown = 0;
        for seed in 0..50 {
            let coins = Coins::new(seed, 8);
            let mv = coins.legal_moves().next().expect("a move");
            let next = coins.after(mv);
            let least = -next.bounds().upper;
            if next.bounds().exact().is_some() {
                continue;
            }
            let value = |upper, reached| move_value(&next, 2, least + 1, upper, reached);
            assert_eq!(value(least, true), Value::Exact(least));
            assert_eq!(value(least, false), Value::Estimate(least));
            assert_eq!(value(least + 1, true), Value::Estimate(least + 1));
            shown += 1;
        }
        assert!(shown > 10, "only {shown} positions");
    }
}
