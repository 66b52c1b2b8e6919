//! Alpha-beta: the fast search, equal in value to [`Minimax`](super::Minimax).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::aspiration::Aspiration;
use super::crew::{Crew, FIRST_THREAD, Member};
use super::deepening::{FixedDepth, deepen};
use super::entry::Entry;
use super::limits::{Limits, Meter};
use super::report::{Line, Report};
use super::watch::Watch;
use super::worker::{Root, Worker};
use super::{Scope, Search, bounds_at, is_proven, leaf_value};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::Score;
use crate::table::Table;

/// Which of its techniques an [`AlphaBeta`] uses. None of them but
/// [`late_move_reductions`](Options::late_move_reductions) changes the value of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for the transposition table in MiB, rounded down to a power of two; less where the
    /// system refuses so much; 0 for none.
    pub table_mib: usize,
    /// The least depth at which positions are kept in the table. Below it, a search costs less
    /// than the access to memory.
    pub table_depth: u32,
    /// Keep nodes near the horizon in a small table of their own, which fits into the cache of the
    /// processor.
    pub near_table: bool,
    /// Look for a child whose table entry settles a node before searching any (enhanced
    /// transposition cutoff; J. Schaeffer and A. Plaat, "New advances in alpha-beta searching",
    /// 1996).
    pub child_cutoff: bool,
    /// The least depth at which [`child_cutoff`](Options::child_cutoff) is tried.
    pub child_cutoff_depth: u32,
    /// Search all moves but the first with a null window (principal variation search;
    /// T. A. Marsland and M. Campbell, 1982).
    pub null_window: bool,
    /// Search lesser depths before the one asked for, to learn a good order of moves.
    pub deepening: bool,
    /// Start from a narrow window around the value of the last depth.
    pub aspiration: bool,
    /// Try moves first that refuted a sibling (S. G. Akl and M. M. Newborn, 1977).
    pub killers: bool,
    /// Try moves first that caused many cutoffs elsewhere (J. Schaeffer, 1983).
    pub history: bool,
    /// Ask the evaluator how promising a move looks.
    pub evaluator_order: bool,
    /// Ask the game for wins at once, and for the replies to threats.
    pub forcing: bool,
    /// Look less deep at moves that come late in the order, where nothing but time or nodes limits
    /// the search and the end of the game is not in sight: the value is then no longer exact.
    pub late_move_reductions: bool,
    /// Shuffle the root moves, so that different seeds choose different moves among equals.
    /// Without a seed the first of equals in the search's own order is chosen: the best move of
    /// the last depth, then those that the evaluator finds most promising.
    pub seed: Option<u64>,
    /// How many threads search together, at least 1. All search the same tree and share the table;
    /// each puts off the moves that another is at (simplified ABDADA). The value stays the same;
    /// node counts, and the choice among equals, then depend on chance.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            table_mib: 64,
            table_depth: 2,
            near_table: true,
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
            seed: None,
            threads: 1,
        }
    }
}

/// Alpha-beta as a negamax with principal variation search and a transposition table.
///
/// For every depth it returns the value that [`Minimax`](super::Minimax) returns, and a move that
/// has this value. It is deterministic: the same sequence of searches with the same options gives
/// the same moves, scores and node counts.
///
/// The table stays warm from one search to the next; [`clear`](AlphaBeta::clear) empties it. It is
/// for positions of one game: keys of different games may be equal.
#[derive(Debug)]
pub struct AlphaBeta<E> {
    evaluator: E,
    options: Options,
    table: Arc<Table<Entry>>,
}

impl<E> AlphaBeta<E> {
    /// A search that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E, options: Options) -> AlphaBeta<E> {
        let table = Arc::new(Table::new(options.table_mib));
        AlphaBeta { evaluator, options, table }
    }

    /// A search of its own that shares the table with this one: what one finds, the other knows.
    /// Values stay the same; node counts, and the choice among equals, then depend on chance.
    #[must_use]
    pub fn sharing(&self, evaluator: E) -> AlphaBeta<E> {
        AlphaBeta { evaluator, options: self.options.clone(), table: Arc::clone(&self.table) }
    }

    /// The same search with so many threads, at least 1.
    #[must_use]
    pub(crate) fn with_threads(mut self, threads: usize) -> AlphaBeta<E> {
        self.options.threads = threads;
        self
    }

    /// Forgets all that earlier searches found.
    pub fn clear(&mut self) {
        self.table = Arc::new(self.table.another());
    }
}

impl<G: Game, E: Evaluator<G>> Search<G> for AlphaBeta<E> {
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
        let helper_limits = Limits { stop: Some(Arc::clone(&helpers_stop)), ..limits.clone() };
        if let Some(watch) = &limits.watch {
            watch.set_table(&self.table);
        }
        let this = &*self;
        let crew = (this.options.threads > 1).then(|| Crew::new(this.options.threads));
        let member = |thread| crew.as_ref().map(|crew| crew.member(thread));
        std::thread::scope(|threads| {
            let helpers: Vec<_> = (1..this.options.threads)
                .map(|thread| {
                    let (limits, member) = (&helper_limits, member(thread));
                    threads.spawn(move || {
                        let report = this.run(member, position, limits, scope, &mut |_| ());
                        report.map_or(0, |report| report.nodes)
                    })
                })
                .collect();
            let end_of_helpers = RaiseOnDrop(&helpers_stop);
            let mut report = this.run(member(FIRST_THREAD), position, limits, scope, progress)?;
            drop(end_of_helpers);
            // A helper that panicked has lost nothing but its node count.
            report.nodes +=
                helpers.into_iter().filter_map(|helper| helper.join().ok()).sum::<u64>();
            Some(report)
        })
    }
}

/// Raises a flag in the end, by a panic too: or those whom it is to stop would be waited for in vain.
struct RaiseOnDrop<'a>(&'a AtomicBool);

impl Drop for RaiseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<E> AlphaBeta<E> {
    /// What one thread does. The first is the only one whose answer counts.
    fn run<G: Game>(
        &self,
        member: Option<Member<'_>>,
        position: &G,
        limits: &Limits,
        scope: Scope,
        progress: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Report<G::Move>>
    where
        E: Evaluator<G>,
    {
        let worker = Worker::new(&self.evaluator, &self.options, &self.table, limits, member);
        let roots = worker.roots(position, self.options.seed);
        let first = roots.first()?.mv;
        let score = leaf_value(&self.evaluator, position);
        let fallback = Line { score, proven: false, pv: vec![first] };
        let depths = depths(position, limits, self.options.deepening);
        let watch = limits.watch.as_deref().filter(|_| member.is_none_or(Member::is_first));
        let selective = scope == Scope::BestMove
            && limits.depth.is_none()
            && limits.may_run_out()
            // What looks to the last ply counts as proven.
            && position.plies_left().is_none()
            && self.options.late_move_reductions;
        let mut run =
            Run { worker, position, scope, roots, guess: score, limits, watch, selective };
        Some(deepen(&mut run, depths, fallback, progress))
    }
}

/// The depths to search, one after the other.
///
/// When time or nodes may run out, every depth counts. Otherwise only the last does, and those up
/// to half of it are enough to learn from: they cost next to nothing. To the end of the game, fewer
/// are better: what is good for an estimate misleads there (a quarter in place of half of the depth
/// halves the nodes for positions of Max-Connect4 with 8 to 14 pieces).
fn depths<G: Game>(
    position: &G,
    limits: &Limits,
    deepening: bool,
) -> impl Iterator<Item = u32> + use<G> {
    let last = limits.last_depth();
    let settled = position.plies_left().is_some_and(|left| last >= left);
    let before = match (limits.may_run_out(), deepening) {
        (true, _) => last - 1,
        (false, true) => last / if settled { 4 } else { 2 },
        (false, false) => 0,
    };
    (1..=before).chain([last])
}

/// One call of [`Search::search`].
struct Run<'a, G: Game, E> {
    worker: Worker<'a, G, E>,
    position: &'a G,
    scope: Scope,
    /// In the order in which they are searched.
    roots: Vec<Root<G>>,
    /// The value at the last depth.
    guess: Score,
    limits: &'a Limits,
    watch: Option<&'a Watch>,
    /// Whether the value need not be exact.
    selective: bool,
}

impl<G: Game, E: Evaluator<G>> FixedDepth<G> for Run<'_, G, E> {
    fn lines(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>> {
        match self.scope {
            Scope::BestMove if self.selective => self.selective_line(depth).map(|line| vec![line]),
            Scope::BestMove => self.best_line(depth).map(|line| vec![line]),
            Scope::BestMoves => self.best_lines(depth),
            Scope::EveryMove => self.every_line(depth),
        }
    }

    fn meter(&self) -> &Meter {
        self.worker.meter()
    }
}

impl<G: Game, E: Evaluator<G>> Run<'_, G, E> {
    /// Whether a search to this depth reaches the end of the game.
    fn is_settled(&self, depth: u32) -> bool {
        self.position.plies_left().is_some_and(|left| depth >= left)
    }

    fn best_line(&mut self, depth: u32) -> Option<Line<G::Move>> {
        let bounds = bounds_at(self.position, depth);
        let mut best = 0;
        let settled = self.is_settled(depth);
        let guess = self.limits.guess.filter(|_| settled).unwrap_or(self.guess);
        let mut window = Aspiration::new(self.position, depth, guess, self.worker.options());
        // A move that reaches the upper bound is best, whatever it may be worth beyond. The lower
        // bound is no such help: a move that reaches it has yet to be found.
        window.cap(bounds.upper);
        while let Some((alpha, beta)) = window.next() {
            if let Some(watch) = self.watch.filter(|_| settled) {
                watch.set_root(window.bounds().intersect(bounds), beta);
            }
            let (score, index) = self.worker.search_roots(&self.roots, depth, 0, alpha, beta)?;
            if score > alpha {
                best = index;
            }
            window.narrow(alpha, beta, score);
        }
        self.guess = window.value();
        self.roots[..=best].rotate_right(1);
        let mut line = self.line(0, depth, window.value());
        line.proven = is_proven(self.position, depth, line.score);
        Some(line)
    }

    /// The best line of a search that need not be exact. When it is stopped, the moves that it has
    /// searched count, if the best of the last depth is among them, unless all of them lose: one that
    /// it has not searched may not.
    fn selective_line(&mut self, depth: u32) -> Option<Line<G::Move>> {
        let mut window = Aspiration::new(self.position, depth, self.guess, self.worker.options());
        let mut found = None;
        while let Some((alpha, beta)) = window.next() {
            let (best, complete) =
                self.worker.search_roots_selectively(&self.roots, depth, alpha, beta);
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
        let is_stopped = self.worker.meter().is_stopped();
        let score =
            if is_stopped { found.filter(|score| !score.is_loss())? } else { window.value() };
        self.guess = score;
        let proven = score.plies_to_end().is_some();
        Some(Line { score, proven, pv: vec![self.roots[0].mv] })
    }

    /// The best line, and those of the moves that are as good.
    fn best_lines(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>> {
        let best = self.best_line(depth)?;
        // What is below the lower bound of the root is worse, what is above the upper one no better.
        let value = self.guess.min(bounds_at(self.position, depth).upper);
        let mut lines = vec![best];
        if let Some(nodes) = self.limits.tie_nodes.filter(|_| self.is_settled(depth)) {
            self.worker.meter_mut().allow(nodes);
        }
        for index in 1..self.roots.len() {
            let root = &self.roots[index..=index];
            let Some((score, _)) = self.worker.search_roots(root, depth, 0, value - 1, value)
            else {
                break;
            };
            if score >= value {
                // To follow every line to its end would take far more than to find the moves.
                lines.push(Line { pv: vec![root[0].mv], ..lines[0].clone() });
            }
        }
        Some(lines)
    }

    fn every_line(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>> {
        let mut lines = Vec::with_capacity(self.roots.len());
        for index in 0..self.roots.len() {
            let Root { next, guess, .. } = self.roots[index].clone();
            let score = -self.worker.value(&next, depth - 1, 1, -guess)?;
            self.roots[index].guess = score;
            lines.push(self.line(index, depth, score));
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        self.roots.sort_by_key(|root| std::cmp::Reverse(root.guess));
        Some(lines)
    }

    /// The line of the root move at `index`, whose value before the root's bounds is `score`.
    fn line(&mut self, index: usize, depth: u32, score: Score) -> Line<G::Move> {
        let Root { mv, next, .. } = self.roots[index].clone();
        let proven = is_proven(&next, depth - 1, -score);
        let mut pv = vec![mv];
        self.worker.trace(next, depth - 1, -score, &mut pv);
        Line { score: bounds_at(self.position, depth).clamp(score), proven, pv }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Coins, Digraph, HashNoise, Reference, random_position};

    const NOISE: HashNoise = HashNoise { seed: 21, amplitude: 300 };

    /// Plays `positions` out of one table of so many buckets, in which nothing lasts.
    fn agree<G: Game>(positions: impl Iterator<Item = G>, depth: u32, buckets: usize) {
        let options = Options { table_depth: 1, near_table: false, ..Options::default() };
        let searches = [1, 3].map(|threads| AlphaBeta {
            evaluator: NOISE,
            options: Options { threads, ..options.clone() },
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

    /// Every entry is soon in the way of another, so that results are lost at every moment.
    #[test]
    fn a_crowded_table_changes_no_value() {
        for buckets in [1, 2, 32] {
            agree((0..60).map(|seed| Digraph::new(seed / 3, 30, 4)), 6, buckets);
            let rows = (0..60).map(|seed| random_position(&Coins::new(seed / 4, 12), 2, seed));
            agree(rows, 5, buckets);
        }
    }
}
