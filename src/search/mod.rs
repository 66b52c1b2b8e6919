//! Search: the value of a position, and the move that reaches it.
//!
//! # The value of a fixed-depth search
//!
//! With no limit except a depth, every search here computes the same function. For a position `p` and a
//! depth `d`,
//!
//! * `V(p, d)` is the score of the [`outcome`](crate::Game::outcome), if `p` is over;
//! * `V(p, 0)` is the evaluation of `p`, moved into its [`bounds`](crate::SearchHints::bounds);
//! * `V(p, d)` is otherwise the greatest `-V(c, d - 1)` over the positions `c` after one move, or
//!   `V(c, d - 1)` where the same side is to move again (see [`Turn`]),
//!   moved into the bounds of `p`, where `d` is at least 2 into the
//!   [closest](crate::SearchHints::closest_bounds).
//!
//! [`Minimax`] computes it by this definition; [`AlphaBeta`] computes the same value faster.

mod alphabeta;
mod aspiration;
mod deferral;
mod entry;
mod limits;
mod node;
mod ordering;
mod report;
mod selective;
mod worker;

use self::aspiration::{FixedDepth, Found, deepen};
use self::node::{move_value, position_value};
use crate::game::Turn;
use crate::hints::{Evaluator, SearchHints};
use crate::score::Score;
use crate::value::Value;

pub use alphabeta::AlphaBeta;
pub use limits::{Checkpoint, Clock, Limits, MAX_DEPTH, Monitor, RootState, SearchContext};
pub(crate) use limits::{Meter, NODES_BETWEEN_CHECKS};
pub(crate) use node::{bounds_at, is_result, is_seen_to_end, leaf_value};
pub(crate) use ordering::greatest_first;
pub use report::{Line, Options, Report, Scope, Search};

/// Minimax without pruning, table or ordering: the definition of `V(p, d)` as a program.
///
/// Among equally good moves it prefers the first that the game generates.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Limits, Minimax, Score, Search};
///
/// let report = Minimax::new(Flat).best(&TicTacToe::default(), &Limits::depth(9)).ok_or("over")?;
/// assert_eq!((report.score(), report.nodes), (Score::ZERO, 549_945));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Minimax<E> {
    evaluator: E,
}

impl<E> Minimax<E> {
    /// Makes a search that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E) -> Minimax<E> {
        Minimax { evaluator }
    }
}

impl<G: SearchHints, E: Evaluator<G>> Search<G> for Minimax<E> {
    fn search(
        &mut self,
        position: &G,
        limits: &Limits,
        scope: Scope,
        progress: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Report<G::Move>> {
        if position.outcome().is_some() {
            return None;
        }
        let mut run =
            Run { position, evaluator: &self.evaluator, scope, meter: Meter::start(limits) };
        let first = position.legal_moves().next()?;
        let fallback =
            Line { value: Value::Estimate(leaf_value(&self.evaluator, position)), pv: vec![first] };
        // This search keeps no results, so searches of shallower depths would not help it.
        let last = limits.last_depth();
        let first = if limits.may_run_out() { 1 } else { last };
        Some(deepen(&mut run, first..=last, fallback, progress))
    }
}

/// One call of [`Search::search`].
struct Run<'a, G, E> {
    position: &'a G,
    evaluator: &'a E,
    scope: Scope,
    meter: Meter,
}

impl<G: SearchHints, E: Evaluator<G>> FixedDepth<G> for Run<'_, G, E> {
    fn look(&mut self, depth: u32) -> Option<Found<G::Move>> {
        let bounds = bounds_at(self.position, depth);
        let mut moves = Vec::new();
        for mv in self.position.legal_moves() {
            let next = self.position.after(mv);
            let (score, mut pv) = self.value(&next, depth - 1, 1)?;
            pv.push(mv);
            pv.reverse();
            moves.push((Turn::between(self.position, &next).across(score), next, pv));
        }
        // As in the search for the best moves, a score above the upper bound is no better.
        greatest_first(&mut moves, |&(score, ..)| score.min(bounds.upper).get());
        let best = moves.first()?.0.min(bounds.upper);
        let is_every = self.scope == Scope::EveryMove;
        if !is_every {
            moves.retain(|&(score, ..)| score >= best);
            if self.scope == Scope::BestMove {
                moves.truncate(1);
            }
        }
        let mut value = position_value(self.position, depth, bounds.clamp(best));
        let reached = !is_every && bounds.exact().is_some();
        let lines: Vec<_> = moves
            .into_iter()
            .map(|(score, next, pv)| Line {
                value: move_value((self.position, &next), depth, score, bounds.upper, reached),
                pv,
            })
            .collect();
        if is_every && lines.iter().all(|line| line.value.is_exact()) {
            value = Value::Exact(value.score());
        }
        Some(Found { value, lines })
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

impl<G: SearchHints, E: Evaluator<G>> Run<'_, G, E> {
    /// Returns `V(position, depth)` and its principal variation, last move first.
    fn value(&mut self, position: &G, depth: u32, ply: u32) -> Option<(Score, Vec<G::Move>)> {
        if self.meter.visit() {
            return None;
        }
        if let Some(outcome) = position.outcome() {
            return Some((outcome.score::<G>(position.side_to_move(), ply), Vec::new()));
        }
        if depth == 0 {
            return Some((leaf_value(self.evaluator, position), Vec::new()));
        }
        let mut best: Option<(Score, Vec<G::Move>)> = None;
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let (score, mut pv) = self.value(&next, depth - 1, ply + 1)?;
            let score = Turn::between(position, &next).across(score);
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                pv.push(mv);
                best = Some((score, pv));
            }
        }
        let (score, pv) = best?;
        Some((bounds_at(position, depth).clamp(score), pv))
    }
}
