//! Plain minimax: the reference that every other search is tested against.

use super::deepening::{FixedDepth, deepen};
use super::limits::{Limits, Meter};
use super::report::{Line, Report};
use super::{Scope, Search, bounds_at, is_proven, leaf_value};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::Score;

/// Minimax without pruning, table or ordering: the definition of `V(p, d)` as a program.
///
/// Among equally good moves it prefers the first that the game generates.
#[derive(Clone, Debug)]
pub struct Minimax<E> {
    evaluator: E,
}

impl<E> Minimax<E> {
    /// A search that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E) -> Minimax<E> {
        Minimax { evaluator }
    }
}

impl<G: Game, E: Evaluator<G>> Search<G> for Minimax<E> {
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
            Line { score: leaf_value(&self.evaluator, position), proven: false, pv: vec![first] };
        // Shallower depths would be wasted on a search that remembers nothing.
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

impl<G: Game, E: Evaluator<G>> FixedDepth<G> for Run<'_, G, E> {
    fn lines(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>> {
        let bounds = bounds_at(self.position, depth);
        let mut lines = Vec::new();
        for mv in self.position.legal_moves() {
            let next = self.position.after(mv);
            let (score, mut pv) = self.value(&next, depth - 1, 1)?;
            // As in the search for the best moves, what is below the lower bound is worse.
            let score = (-score).min(bounds.upper);
            pv.push(mv);
            pv.reverse();
            lines.push(Line { score, proven: is_proven(&next, depth - 1, -score), pv });
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        if self.scope != Scope::EveryMove {
            let best = lines.first()?.score;
            lines.retain(|line| line.score == best);
            if self.scope == Scope::BestMove {
                lines.truncate(1);
            }
            let proven = is_proven(self.position, depth, bounds.clamp(best));
            lines.iter_mut().for_each(|line| line.proven = proven);
        }
        lines.iter_mut().for_each(|line| line.score = bounds.clamp(line.score));
        Some(lines)
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

impl<G: Game, E: Evaluator<G>> Run<'_, G, E> {
    /// `V(position, depth)` and its principal variation, last move first.
    fn value(&mut self, position: &G, depth: u32, ply: u32) -> Option<(Score, Vec<G::Move>)> {
        if self.meter.visit() {
            return None;
        }
        if let Some(outcome) = position.outcome() {
            return Some((outcome.score(position.side_to_move(), ply), Vec::new()));
        }
        if depth == 0 {
            return Some((leaf_value(self.evaluator, position), Vec::new()));
        }
        let mut best: Option<(Score, Vec<G::Move>)> = None;
        for mv in position.legal_moves() {
            let (score, mut pv) = self.value(&position.after(mv), depth - 1, ply + 1)?;
            if best.as_ref().is_none_or(|(most, _)| -score > *most) {
                pv.push(mv);
                best = Some((-score, pv));
            }
        }
        let (score, pv) = best?;
        Some((bounds_at(position, depth).clamp(score), pv))
    }
}
