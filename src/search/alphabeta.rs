//! Alpha-beta: the fast search, equal in value to [`Minimax`](super::Minimax).

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle};

use super::aspiration::{Aspiration, FixedDepth, Found, deepen};
use super::deferral::{CurrentlySearched, FIRST_THREAD, SearchThread};
use super::entry::Entry;
use super::limits::{Limits, Meter, Monitor};
use super::node::{Root, bounds_at, leaf_value, move_value, position_value};
use super::ordering::greatest_first;
use super::report::{Line, Options, Report, Scope, Search};
use super::worker::{Helpers, Worker};
use crate::game::Turn;
use crate::hints::{Evaluator, SearchHints};
use crate::score::Score;
use crate::table::Table;
use crate::value::Value;

/// Alpha-beta as a negamax with principal variation search and a transposition table.
///
/// For every depth it returns the value that [`Minimax`](super::Minimax) returns, and a move that
/// has this value. It is deterministic: the same sequence of searches with the same options gives
/// the same moves, scores and node counts.
///
/// The table keeps its contents from one search to the next; [`clear`](AlphaBeta::clear) empties it. A
/// search must serve only one game, because keys of different games may be equal.
///
/// ```
/// use plyground::search::Options;
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Game, Limits, Score, Search};
///
/// let mut search = AlphaBeta::new(Flat, Options { table_mib: 1, ..Options::default() });
/// let mut position = TicTacToe::default();
/// assert_eq!(search.best(&position, &Limits::depth(9)).ok_or("over")?.score(), Score::ZERO);
/// // The table already has the results.
/// position.play("1".parse()?)?;
/// assert_eq!(search.best(&position, &Limits::depth(8)).ok_or("over")?.score(), Score::ZERO);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AlphaBeta<E> {
    evaluator: E,
    options: Options,
    table: Arc<Table<Entry>>,
}

impl<E> AlphaBeta<E> {
    /// Makes a search that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E, options: Options) -> AlphaBeta<E> {
        let table = Arc::new(Table::new(options.table_mib));
        AlphaBeta { evaluator, options, table }
    }

    /// Returns another search that shares the transposition table with this one. Values and moves stay
    /// the same; node counts then depend on chance.
    #[must_use]
    pub fn sharing(&self, evaluator: E) -> AlphaBeta<E> {
        AlphaBeta { evaluator, options: self.options.clone(), table: Arc::clone(&self.table) }
    }

    /// Returns the same search with this number of threads, at least 1.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> AlphaBeta<E> {
        self.options.threads = threads.max(1);
        self
    }

    /// Returns the options of the search.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Removes the results of earlier searches.
    pub fn clear(&mut self) {
        self.table = Arc::new(self.table.another());
    }
}

impl<G: SearchHints, E: Evaluator<G>> Search<G> for AlphaBeta<E> {
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
        let helpers_stop = Arc::new(AtomicBool::new(false));
        let helper_limits = limits.clone().with_stop(Arc::clone(&helpers_stop));
        limits.context.monitor.set_table(&self.table);
        let this = &*self;
        let searched = CurrentlySearched::new(this.options.threads);
        let searched = &searched;
        std::thread::scope(|threads| {
            let started = Cell::new(Vec::new());
            let start = || {
                let spawned = (1..this.options.threads).map_while(|thread| {
                    let (limits, thread) = (&helper_limits, searched.thread(thread));
                    let help = move || {
                        let worker = this.worker(limits, Some(thread), None);
                        let report = this.run(worker, position, limits, scope, &mut |_| ());
                        report.map_or(0, |report| report.nodes)
                    };
                    // If no thread can be started, the first thread searches without helpers.
                    Builder::new().spawn_scoped(threads, help).ok()
                });
                started.set(spawned.collect());
            };
            let end_of_helpers = RaiseOnDrop(&helpers_stop);
            let helpers = (this.options.threads > 1)
                .then(|| Helpers::new(&start, searched.thread(FIRST_THREAD)));
            let worker = this.worker(limits, None, helpers);
            let mut report = this.run(worker, position, limits, scope, progress)?;
            drop(end_of_helpers);
            // Only the node count of a helper that panicked is lost.
            report.nodes += started
                .take()
                .into_iter()
                .filter_map(|helper: ScopedJoinHandle<'_, u64>| helper.join().ok())
                .sum::<u64>();
            Some(report)
        })
    }
}

/// A guard that raises a flag when it is dropped, also by a panic, so that the helpers always end.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<E> AlphaBeta<E> {
    fn worker<'a, G: SearchHints>(
        &'a self,
        limits: &Limits,
        thread: Option<SearchThread<'a>>,
        helpers: Option<Helpers<'a>>,
    ) -> Worker<'a, G, E>
    where
        E: Evaluator<G>,
    {
        Worker::new(&self.evaluator, &self.options, &self.table, limits, thread, helpers)
    }

    /// Runs the search of one thread. Only the answer of the first thread counts.
    fn run<G: SearchHints>(
        &self,
        worker: Worker<'_, G, E>,
        position: &G,
        limits: &Limits,
        scope: Scope,
        progress: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Report<G::Move>>
    where
        E: Evaluator<G>,
    {
        let roots = worker.first_roots(position);
        let first = roots.first()?.mv;
        let score = leaf_value(&self.evaluator, position);
        let fallback = Line { value: Value::Estimate(score), pv: vec![first] };
        let depths = depths(position, limits, self.options.deepening);
        let monitor = (!worker.is_helper()).then_some(&*limits.context.monitor);
        let selective = scope == Scope::BestMove
            && limits.depth.is_none()
            && limits.may_run_out()
            // A search to the last ply counts as proven, so it must be exact.
            && position.plies_left().is_none()
            && self.options.late_move_reductions;
        let mut run =
            Run { worker, position, scope, roots, guess: score, limits, monitor, selective };
        Some(deepen(&mut run, depths, fallback, progress))
    }
}

/// Returns the depths to search, one after the other.
///
/// If time or nodes may run out, every depth is searched, because it may be the last. Otherwise the
/// shallower depths only improve the order of moves: depths up to half of the last are enough, and cost next
/// to nothing. In a search to the end of the game, depths up to a quarter are better, because moves with
/// good estimates mislead there (measured: half of the nodes for positions of Max-Connect4 with 8 to 14
/// pieces).
fn depths<G: SearchHints>(
    position: &G,
    limits: &Limits,
    deepening: bool,
) -> impl Iterator<Item = u32> + use<G> {
    let last = limits.last_depth();
    let to_the_end = position.plies_left().is_some_and(|left| last >= left);
    let before = match (limits.may_run_out(), deepening) {
        (true, _) => last - 1,
        (false, true) => last / if to_the_end { 4 } else { 2 },
        (false, false) => 0,
    };
    (1..=before).chain([last])
}

/// One call of [`Search::search`].
struct Run<'a, G: SearchHints, E> {
    worker: Worker<'a, G, E>,
    position: &'a G,
    scope: Scope,
    /// The root moves in the order in which they are searched.
    roots: Vec<Root<G>>,
    /// The value at the last depth; at first, the evaluation.
    guess: Score,
    limits: &'a Limits,
    monitor: Option<&'a Monitor>,
    /// If true, the value need not be exact.
    selective: bool,
}

impl<G: SearchHints, E: Evaluator<G>> FixedDepth<G> for Run<'_, G, E> {
    fn look(&mut self, depth: u32) -> Option<Found<G::Move>> {
        match self.scope {
            Scope::BestMove if self.selective => self.selective_line(depth).map(Found::one),
            Scope::BestMove => self.best_line(depth),
            Scope::BestMoves => self.best_lines(depth),
            Scope::EveryMove => self.every_line(depth),
        }
    }

    fn meter(&self) -> &Meter {
        &self.worker.meter
    }
}

impl<G: SearchHints, E: Evaluator<G>> Run<'_, G, E> {
    /// Returns true if a search to this depth reaches the end of the game.
    fn reaches_end(&self, depth: u32) -> bool {
        self.position.plies_left().is_some_and(|left| depth >= left)
    }

    /// Returns the best line and the value of the position.
    fn best_line(&mut self, depth: u32) -> Option<Found<G::Move>> {
        let bounds = bounds_at(self.position, depth);
        let mut best = 0;
        let to_the_end = self.reaches_end(depth);
        let guess = self.limits.guess.filter(|_| to_the_end).unwrap_or(self.guess);
        let mut window = Aspiration::new(self.position, depth, guess, self.worker.options);
        // A move that reaches the upper bound is best, even if its own value is greater. The lower bound
        // does not help in the same way, because a move that reaches it must still be found.
        window.cap(bounds.upper);
        let mut all_end = true;
        while let Some((alpha, beta)) = window.next() {
            if let Some(monitor) = self.monitor.filter(|_| to_the_end) {
                monitor.set_root(window.bounds().intersect(bounds), beta);
            }
            let roots = (self.position, &*self.roots);
            let (found, ends) =
                self.worker.ends(|worker| worker.search_roots(roots, depth, 0, alpha, beta));
            let (score, index) = found?;
            all_end &= ends;
            if score > alpha {
                best = index;
            }
            window.narrow(alpha, beta, score);
        }
        self.guess = window.value();
        self.roots[..=best].rotate_right(1);
        let mut value = position_value(self.position, depth, bounds.clamp(window.value()));
        let mut line = self.line(0, depth, window.value(), bounds.exact().is_some());
        if all_end {
            value = Value::Exact(value.score());
            line.value = Value::Exact(line.score());
        }
        Some(Found { value, lines: vec![line] })
    }

    /// Returns the best line of a search that need not be exact. If the search is stopped, the result is the
    /// best of the searched moves, provided that the best move of the last depth is among them and that not
    /// all of them lose: an unsearched move may not lose.
    fn selective_line(&mut self, depth: u32) -> Option<Line<G::Move>> {
        let mut window = Aspiration::new(self.position, depth, self.guess, self.worker.options);
        let mut found = None;
        while let Some((alpha, beta)) = window.next() {
            let (best, complete) = self.worker.search_roots_selectively(
                (self.position, &self.roots),
                depth,
                alpha,
                beta,
            );
            if let Some((score, index)) = best.filter(|(score, _)| *score > alpha) {
                self.roots[..=index].rotate_right(1);
                found = Some(score);
            }
            if !complete {
                break;
            }
            if let Some((score, _)) = best {
                window.narrow(alpha, beta, score);
                self.guess = score;
            }
        }
        let is_stopped = self.worker.meter.is_stopped();
        let score =
            if is_stopped { found.filter(|score| !score.is_loss())? } else { window.value() };
        self.guess = score;
        // The search skipped a part of this depth: it may have missed a sooner end.
        let value = if score.is_win() {
            Value::at_least(score)
        } else if score.is_loss() {
            Value::at_most(score)
        } else {
            Value::Estimate(score)
        };
        Some(Line { value, pv: vec![self.roots[0].mv] })
    }

    /// Returns the best line, and the lines of the equally good moves.
    fn best_lines(&mut self, depth: u32) -> Option<Found<G::Move>> {
        let mut found = self.best_line(depth)?;
        let bounds = bounds_at(self.position, depth);
        // A score below the lower bound of the root is worse, a score above the upper bound no better.
        let value = self.guess.min(bounds.upper);
        let all_end = G::MAY_END_EARLY && found.value.is_exact();
        if let Some(nodes) = self.limits.tie_nodes.filter(|_| all_end || self.reaches_end(depth)) {
            self.worker.meter.allow(nodes);
        }
        for index in 1..self.roots.len() {
            let next = &self.roots[index].next;
            let root = (self.position, &self.roots[index..=index]);
            let (score, ends) =
                self.worker.ends(|worker| worker.search_roots(root, depth, 0, value - 1, value));
            let Some((score, _)) = score else { break };
            if score >= value {
                // Following every line to its end would take far more time than finding the moves.
                let reached = bounds.exact().is_some();
                let mut value =
                    move_value((self.position, next), depth, value, bounds.upper, reached);
                // The move is at least as good as the best move, and no better than the position.
                if ends && all_end {
                    value = Value::Exact(value.score());
                }
                found.lines.push(Line { value, pv: vec![root.1[0].mv] });
            }
        }
        Some(found)
    }

    fn every_line(&mut self, depth: u32) -> Option<Found<G::Move>> {
        let mut lines = Vec::with_capacity(self.roots.len());
        for index in 0..self.roots.len() {
            let Root { next, guess, .. } = self.roots[index].clone();
            let turn = Turn::between(self.position, &next);
            let (value, ends) =
                self.worker.ends(|worker| worker.value(&next, depth - 1, 1, turn.across(guess)));
            let score = turn.across(value?);
            self.roots[index].guess = score;
            let mut line = self.line(index, depth, score, false);
            if ends {
                line.value = Value::Exact(line.score());
            }
            lines.push(line);
        }
        greatest_first(&mut lines, |line| line.score().get());
        greatest_first(&mut self.roots, |root| root.guess.get());
        let best = bounds_at(self.position, depth).clamp(lines[0].score());
        let value = if lines.iter().all(|line| line.value.is_exact()) {
            Value::Exact(best)
        } else {
            position_value(self.position, depth, best)
        };
        Some(Found { value, lines })
    }

    /// Returns the line of the root move at `index`, whose value is `score` before the root's bounds are
    /// applied; `reached` as in [`move_value`].
    fn line(&mut self, index: usize, depth: u32, score: Score, reached: bool) -> Line<G::Move> {
        let Root { mv, next, .. } = self.roots[index].clone();
        let upper = bounds_at(self.position, depth).upper;
        let value = move_value((self.position, &next), depth, score, upper, reached);
        let mut pv = vec![mv];
        let score = Turn::between(self.position, &next).across(score);
        self.worker.trace(next, depth - 1, score, &mut pv);
        Line { value, pv }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::{Coins, Digraph, HashNoise, Reference, random_position};

    const NOISE: HashNoise = HashNoise { seed: 21, amplitude: 300 };

    /// Compares searches of `positions` with minimax, using a table so small that entries are soon replaced.
    fn agree<G: SearchHints>(positions: impl Iterator<Item = G>, depth: u32, buckets: usize) {
        let options = Options { table_depth: 1, local_table: false, ..Options::default() };
        let searches = [1, 3].map(|threads| AlphaBeta {
            evaluator: NOISE,
            options: Options { threads, head_start: Duration::ZERO, ..options.clone() },
            table: Arc::new(Table::with_buckets(buckets)),
        });
        let references = positions.filter_map(|position| Reference::new(&position, depth, NOISE));
        let references: Vec<_> = references.collect();
        for mut search in searches {
            for (index, reference) in references.iter().enumerate() {
                let scope = [Scope::BestMove, Scope::BestMoves, Scope::EveryMove][index % 3];
                reference.compare(&mut search, scope, &NOISE).expect("no difference");
            }
        }
    }

    #[test]
    fn threads_are_those_asked_for_and_one_at_least() {
        let threads = [0, 1, 3].map(|threads| {
            AlphaBeta::new(NOISE, Options::default()).with_threads(threads).options().threads
        });
        assert_eq!(threads, [1, 1, 3]);
    }

    /// Uses tables so small that results are lost all the time.
    #[test]
    fn a_crowded_table_changes_no_value() {
        for buckets in [1, 2, 32] {
            agree((0..60).map(|seed| Digraph::new(seed / 3, 30, 4)), 6, buckets);
            let rows = (0..60).map(|seed| random_position(&Coins::new(seed / 4, 12), 2, seed));
            agree(rows, 5, buckets);
        }
    }
}
