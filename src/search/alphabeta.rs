//! Alpha-beta: the fast search, equal in value to [`Minimax`](super::Minimax).

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::candidates::{Candidate, Candidates};
use super::deepening::{FixedDepth, deepen};
use super::limits::{Limits, MAX_DEPTH, Meter};
use super::ordering::Ordering;
use super::report::{Line, Report};
use super::table::{Entry, NO_MOVE, SETTLED, Table};
use super::{Scope, Search, is_proven, leaf_value};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::{Bounds, Score};

/// Which of its techniques an [`AlphaBeta`] uses. None of them changes the value of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for the transposition table in MiB, rounded down to a power of two; 0 for none.
    pub table_mib: usize,
    /// Look for a child whose table entry settles a node before searching any (enhanced
    /// transposition cutoff; J. Schaeffer and A. Plaat, "New advances in alpha-beta searching",
    /// 1996).
    pub child_cutoff: bool,
    /// Search all moves but the first with a null window (principal variation search;
    /// T. A. Marsland and M. Campbell, 1982).
    pub null_window: bool,
    /// Search every depth before the one asked for, to learn a good order of moves.
    pub deepening: bool,
    /// Start from a narrow window around the value of the last depth.
    pub aspiration: bool,
    /// Try moves first that refuted a sibling (S. G. Akl and M. M. Newborn, 1977).
    pub killers: bool,
    /// Try moves first that caused many cutoffs elsewhere (J. Schaeffer, 1983).
    pub history: bool,
    /// Ask the evaluator how promising a move looks.
    pub evaluator_order: bool,
    /// Shuffle the root moves, so that different seeds choose different moves among equals.
    /// Without a seed the first of equals in the search's own order is chosen.
    pub seed: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            table_mib: 64,
            child_cutoff: true,
            null_window: true,
            deepening: true,
            aspiration: true,
            killers: true,
            history: true,
            evaluator_order: true,
            seed: None,
        }
    }
}

/// Alpha-beta as a negamax with principal variation search and a transposition table.
///
/// For every depth it returns the value that [`Minimax`](super::Minimax) returns, and a move that
/// has this value. It is deterministic: the same sequence of searches with the same options gives
/// the same moves, scores and node counts.
///
/// The table stays warm from one search to the next; [`clear`](AlphaBeta::clear) empties it.
#[derive(Debug)]
pub struct AlphaBeta<E> {
    evaluator: E,
    options: Options,
    table: Table,
}

impl<E> AlphaBeta<E> {
    /// A search that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E, options: Options) -> AlphaBeta<E> {
        let table = Table::new(options.table_mib);
        AlphaBeta { evaluator, options, table }
    }

    /// Forgets all that earlier searches found.
    pub fn clear(&mut self) {
        self.table.clear();
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
        let mut worker = Worker::new(&self.evaluator, &self.options, &self.table, limits);
        let roots = worker.roots(position, self.options.seed);
        let first = roots.first()?.mv;
        let score = leaf_value(&self.evaluator, position);
        let fallback = Line { score, proven: false, pv: vec![first] };
        let deepening = self.options.deepening || limits.may_interrupt();
        let first_depth = if deepening { 1 } else { limits.last_depth() };
        let mut run = Run { worker, position, scope, roots, guess: score };
        Some(deepen(&mut run, first_depth, limits, fallback, progress))
    }
}

/// A root move with what is remembered of it from one depth to the next.
#[derive(Clone, Debug)]
struct Root<G: Game> {
    mv: G::Move,
    next: G,
    /// The value at the last depth searched, where it was searched for itself.
    guess: Score,
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
}

impl<G: Game, E: Evaluator<G>> FixedDepth<G> for Run<'_, G, E> {
    fn lines(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>> {
        match self.scope {
            Scope::BestMove => self.best_line(depth).map(|line| vec![line]),
            Scope::EveryMove => self.every_line(depth),
        }
    }

    fn meter(&self) -> &Meter {
        &self.worker.meter
    }
}

impl<G: Game, E: Evaluator<G>> Run<'_, G, E> {
    fn best_line(&mut self, depth: u32) -> Option<Line<G::Move>> {
        let settled = self.position.plies_left().is_some_and(|left| depth >= left);
        let mut best = 0;
        let mut window = Aspiration::new(self.guess, self.worker.options.aspiration, settled);
        while let Some((alpha, beta)) = window.next() {
            let (score, index) = self.worker.search_roots(&self.roots, depth, 0, alpha, beta)?;
            if score > alpha {
                best = index;
            }
            window.narrow(alpha, beta, score);
        }
        self.guess = window.value();
        self.roots[..=best].rotate_right(1);
        // The other moves must be no better at any depth, so the line's own proof is not enough.
        let proven = is_proven(self.position, depth, window.value());
        Some(Line { proven, ..self.line(0, depth, window.value()) })
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
        let proven = is_proven(&next, depth - 1, score);
        let mut pv = vec![mv];
        self.worker.trace(next, depth - 1, -score, &mut pv);
        Line { score: self.position.bounds().clamp(score), proven, pv }
    }
}

/// The windows in which a value is searched for, until it is found.
struct Aspiration {
    lower: Score,
    upper: Score,
    guess: Score,
    /// Half the width of the next window; 0 for null windows, `None` for the full window.
    margin: Option<i32>,
}

/// Half the width of the first window: a third of a point.
const FIRST_MARGIN: i32 = 33;
/// By how much a window grows when the value was outside.
const MARGIN_GROWTH: i32 = 4;

impl Aspiration {
    /// `settled` says that the value is a result of play to the end, of which there are so few
    /// that null windows close in on it quickly.
    fn new(guess: Score, narrow: bool, settled: bool) -> Aspiration {
        let margin = match (narrow, settled) {
            (false, _) => None,
            (true, false) => Some(FIRST_MARGIN),
            (true, true) => Some(0),
        };
        Aspiration { lower: Score::MIN, upper: Score::MAX, guess, margin }
    }

    /// The next window to search, or `None` when the value is known.
    fn next(&self) -> Option<(Score, Score)> {
        if self.lower == self.upper {
            return None;
        }
        let (alpha, beta) = match self.margin {
            None => (self.lower - 1, self.upper + 1),
            Some(0) if self.guess == self.lower => (self.guess, self.guess + 1),
            Some(0) => (self.guess - 1, self.guess),
            Some(margin) => (self.guess - margin, self.guess + margin),
        };
        Some((alpha.max(self.lower - 1), beta.min(self.upper + 1)))
    }

    /// Takes in that the search of `alpha` to `beta` returned `score`.
    fn narrow(&mut self, alpha: Score, beta: Score, score: Score) {
        if score > alpha {
            self.lower = score;
        }
        if score < beta {
            self.upper = score;
        }
        self.guess = score;
        self.margin = self.margin.map(|margin| margin * MARGIN_GROWTH);
    }

    fn value(&self) -> Score {
        self.lower
    }
}

/// The state of one thread that searches.
struct Worker<'a, G: Game, E> {
    evaluator: &'a E,
    options: &'a Options,
    table: &'a Table,
    meter: Meter,
    ordering: Ordering,
    candidates: Candidates<G>,
}

impl<'a, G: Game, E: Evaluator<G>> Worker<'a, G, E> {
    fn new(evaluator: &'a E, options: &'a Options, table: &'a Table, limits: &Limits) -> Self {
        Worker {
            evaluator,
            options,
            table,
            meter: Meter::start(limits),
            ordering: Ordering::new(G::MOVE_CODES, MAX_DEPTH as usize + 1),
            candidates: Candidates::new(),
        }
    }

    /// The moves of `position`, the most promising first, equals in the order of `seed`.
    fn roots(&mut self, position: &G, seed: Option<u64>) -> Vec<Root<G>> {
        let mut roots: Vec<(i32, Root<G>)> = position
            .legal_moves()
            .map(|mv| {
                let next = position.after(mv);
                let order = self.evaluator.order(position, mv, &next);
                (order, Root { mv, next, guess: Score::ZERO })
            })
            .collect();
        if let Some(seed) = seed {
            roots.shuffle(&mut StdRng::seed_from_u64(seed));
        } else {
            roots.sort_by_key(|(order, _)| std::cmp::Reverse(*order));
        }
        roots.into_iter().map(|(_, root)| root).collect()
    }

    /// The greatest value among `roots`, moves of a position that is `ply` plies from the root,
    /// and the index of a move that has it (of no meaning when the value is not above `alpha`).
    /// The value is exact between `alpha` and `beta`, and a bound outside. Not moved into the
    /// bounds of the position, so that the moves stay comparable.
    fn search_roots(
        &mut self,
        roots: &[Root<G>],
        depth: u32,
        ply: u32,
        alpha: Score,
        beta: Score,
    ) -> Option<(Score, usize)> {
        let mut best = (Score::MIN, 0);
        for (index, root) in roots.iter().enumerate() {
            let alpha = alpha.max(best.0);
            let mut score = if index > 0 && self.options.null_window {
                -self.child(&root.next, depth - 1, ply + 1, -alpha - 1, -alpha)
            } else {
                -self.child(&root.next, depth - 1, ply + 1, -beta, -alpha)
            };
            if index > 0 && score > alpha && score < beta {
                score = -self.child(&root.next, depth - 1, ply + 1, -beta, -alpha);
            }
            if self.meter.is_stopped() {
                return None;
            }
            if score > best.0 {
                best = (score, index);
            }
            if score >= beta {
                break;
            }
        }
        Some(best)
    }

    /// `V(position, depth)`, or `None` when the search was stopped.
    fn value(&mut self, position: &G, depth: u32, ply: u32, guess: Score) -> Option<Score> {
        let settled = position.plies_left().is_some_and(|left| depth >= left);
        let mut window = Aspiration::new(guess, self.options.aspiration, settled);
        while let Some((alpha, beta)) = window.next() {
            let score = self.child(position, depth, ply, alpha, beta);
            if self.meter.is_stopped() {
                return None;
            }
            window.narrow(alpha, beta, score);
        }
        Some(window.value())
    }

    /// Follows best play from `position`, whose value is `value`, and adds the moves to `pv`.
    fn trace(&mut self, mut position: G, depth: u32, mut value: Score, pv: &mut Vec<G::Move>) {
        for depth in (1..=depth).rev() {
            if position.outcome().is_some() {
                return;
            }
            let roots = self.roots(&position, None);
            let ply = pv.len() as u32;
            // The first move that reaches the value is as good as any: no need to look for better.
            let found = self.search_roots(&roots, depth, ply, value - 1, value);
            let Some((score, index)) = found.filter(|(score, _)| *score == value) else { return };
            pv.push(roots[index].mv);
            position = roots[index].next.clone();
            value = -score;
        }
    }

    /// The value of any position, whether over, at the horizon or neither. See
    /// [`node`](Worker::node) for what it promises.
    fn child(&mut self, position: &G, depth: u32, ply: u32, alpha: Score, beta: Score) -> Score {
        match position.outcome() {
            Some(outcome) => outcome.score(position.side_to_move(), ply),
            None if depth == 0 => leaf_value(self.evaluator, position),
            None => self.node(position, position.bounds(), depth, ply, alpha, beta),
        }
    }

    /// The value of a position within a window.
    ///
    /// Requires `alpha < beta`, `depth > 0`, a position that is not over, and `V` within `known`.
    /// Returns a score `v` such that, with `V` as in the [module's](super) definition,
    /// `V <= v` if `v <= alpha`; `V >= v` if `v >= beta`; and `V == v` otherwise. The result has
    /// no meaning when the search was stopped meanwhile.
    fn node(
        &mut self,
        position: &G,
        known: Bounds,
        depth: u32,
        ply: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        // Step 1: count the node; leave if the search is over.
        if self.meter.visit() {
            return Score::ZERO;
        }

        // Step 2: what is known without searching. A win needs a move at least, and so does a loss.
        let mut known = intersect(known, Score::loss_in(ply + 1), Score::win_in(ply + 1));
        let stored = Stored::new(position, depth, ply);
        let mut best_code = NO_MOVE;
        if let Some(entry) = self.lookup(&stored) {
            best_code = translate(position, entry.best);
            let (lower, upper) = stored.usable(&entry, depth);
            known = intersect(known, lower, upper);
        }
        if known.lower >= beta || known.lower == known.upper {
            return known.lower;
        }
        if known.upper <= alpha {
            return known.upper;
        }
        let mut alpha = alpha.max(known.lower);
        let beta = beta.min(known.upper);
        let first_alpha = alpha;

        // Step 3: generate the moves, unless one of them settles the matter at once.
        let start = self.candidates.top();
        let nodes_before = self.meter.nodes();
        let mut best = match self.expand(position, depth, ply, beta, best_code) {
            Expansion::Cutoff(score, code) => {
                best_code = code;
                score
            }
            Expansion::Open => Score::MIN,
        };

        // Step 4: search them, the most promising first, all but the first with a null window.
        let end = self.candidates.top();
        let mut searched = 0;
        for index in start..end {
            if best >= beta {
                break;
            }
            let Candidate { mv, ref next, bounds, .. } = *self.candidates.select(index);
            let score = if bounds.upper <= alpha || bounds.lower == bounds.upper {
                bounds.upper
            } else {
                let next = next.clone();
                let below = bounds.flip();
                let null_window = searched > 0 && self.options.null_window;
                searched += 1;
                let high = if null_window { alpha + 1 } else { beta };
                let mut score = -self.node_or_leaf(&next, below, depth - 1, ply + 1, -high, -alpha);
                if null_window && score > alpha && score < beta {
                    score = -self.node_or_leaf(&next, below, depth - 1, ply + 1, -beta, -alpha);
                }
                score
            };
            if self.meter.is_stopped() {
                break;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                best_code = position.move_code(mv) as u16;
                if score >= beta {
                    self.reward(position, start, index, depth, ply);
                }
            }
        }
        self.candidates.truncate(start);
        if self.meter.is_stopped() {
            return Score::ZERO;
        }

        // Step 5: remember what was learned.
        let value = known.clamp(best);
        if value > first_alpha {
            known.lower = value;
        }
        if value < beta {
            known.upper = value;
        }
        self.store(
            &stored,
            known,
            translate(position, best_code),
            self.meter.nodes() - nodes_before,
        );
        value
    }

    /// [`node`](Worker::node) with a depth that may be 0.
    #[inline]
    fn node_or_leaf(
        &mut self,
        position: &G,
        known: Bounds,
        depth: u32,
        ply: u32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        if depth > 0 {
            return self.node(position, known, depth, ply, alpha, beta);
        }
        self.meter.visit();
        known.clamp(Score::estimate(self.evaluator.evaluate(position).get()))
    }

    /// Puts the moves of `position` on the stack of candidates, with what is known of each.
    fn expand(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        beta: Score,
        table_move: u16,
    ) -> Expansion {
        let start = self.candidates.top();
        let look_up_children = self.options.child_cutoff && self.table.is_used() && depth > 1;
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let bounds = match next.outcome() {
                Some(outcome) => {
                    let score = outcome.score(next.side_to_move(), ply + 1);
                    Bounds { lower: score, upper: score }
                }
                None => next.bounds(),
            }
            .flip();
            if bounds.lower >= beta {
                self.candidates.truncate(start);
                return Expansion::Cutoff(bounds.lower, position.move_code(mv) as u16);
            }
            if look_up_children {
                self.table.prefetch(table_key(&next, depth - 1).0);
            }
            self.candidates.push(Candidate { mv, next, bounds, order: 0 });
        }
        if look_up_children
            && let Some(cutoff) = self.child_cutoff(position, start, depth, ply, beta)
        {
            self.candidates.truncate(start);
            return cutoff;
        }
        self.order(position, start, ply, table_move);
        Expansion::Open
    }

    /// Takes what the table knows of the children into account, and says whether one of them
    /// causes a cutoff.
    fn child_cutoff(
        &mut self,
        position: &G,
        start: usize,
        depth: u32,
        ply: u32,
        beta: Score,
    ) -> Option<Expansion> {
        for candidate in self.candidates.since(start) {
            if candidate.bounds.lower == candidate.bounds.upper {
                continue;
            }
            let stored = Stored::new(&candidate.next, depth - 1, ply + 1);
            let Some(entry) = self.table.get(stored.key) else { continue };
            let (lower, upper) = stored.usable(&entry, depth - 1);
            candidate.bounds = intersect(candidate.bounds, -upper, -lower);
            if candidate.bounds.lower >= beta {
                let code = position.move_code(candidate.mv) as u16;
                return Some(Expansion::Cutoff(candidate.bounds.lower, code));
            }
        }
        None
    }

    /// Gives the candidates from `start` on their numbers in the order of search.
    fn order(&mut self, position: &G, start: usize, ply: u32, table_move: u16) {
        let side = position.side_to_move();
        for candidate in self.candidates.since(start) {
            let mv = candidate.mv;
            let code = position.move_code(mv);
            if code == usize::from(table_move) {
                candidate.order = i32::MAX;
                continue;
            }
            if self.options.evaluator_order {
                candidate.order += self.evaluator.order(position, mv, &candidate.next);
            }
            if self.options.history {
                candidate.order += self.ordering.history(side, code);
            }
            if self.options.killers {
                candidate.order += self.ordering.killer_bonus(ply, code);
            }
        }
    }

    /// Notes that the candidate at `index` caused a cutoff and those before it did not.
    fn reward(&mut self, position: &G, start: usize, index: usize, depth: u32, ply: u32) {
        let side = position.side_to_move();
        let tried = &self.candidates.since(start)[..=index - start];
        let Some((cutter, failed)) = tried.split_last() else { return };
        self.ordering.reward(side, position.move_code(cutter.mv), depth, ply);
        for candidate in failed {
            self.ordering.punish(side, position.move_code(candidate.mv), depth);
        }
    }

    #[inline]
    fn lookup(&self, stored: &Stored) -> Option<Entry> {
        if self.table.is_used() { self.table.get(stored.key) } else { None }
    }

    #[inline]
    fn store(&self, stored: &Stored, bounds: Bounds, best: u16, nodes: u64) {
        if self.table.is_used() {
            let entry = Entry {
                bounds: stored.to_table(bounds),
                depth: stored.depth,
                best,
                work: (nodes + 1).ilog2() as u8,
            };
            self.table.put(stored.key, entry);
        }
    }
}

/// What [`Worker::expand`] left behind.
enum Expansion {
    /// The moves are on the stack.
    Open,
    /// The move with this code has a score of at least this, which is not below beta; the
    /// stack is as it was.
    Cutoff(Score, u16),
}

/// `bounds` with the further knowledge that the score is between `lower` and `upper`.
#[inline]
fn intersect(bounds: Bounds, lower: Score, upper: Score) -> Bounds {
    Bounds { lower: bounds.lower.max(lower), upper: bounds.upper.min(upper) }
}

/// A move code between `position` and the table, either way.
#[inline]
fn translate<G: Game>(position: &G, code: u16) -> u16 {
    if code == NO_MOVE { NO_MOVE } else { position.canonical_code(code.into()) as u16 }
}

/// The key under which `position` is kept for a search of this depth, and the depth of the entry.
#[inline]
fn table_key<G: Game>(position: &G, depth: u32) -> (u64, u8) {
    if position.plies_left().is_some_and(|left| depth >= left) {
        (position.settled_key(), SETTLED)
    } else {
        (position.key(), depth as u8)
    }
}

/// How the scores of a position on the path relate to those in the table, where banked points
/// are left out and wins are counted from the position itself.
struct Stored {
    key: u64,
    depth: u8,
    banked: i32,
    ply: i32,
}

impl Stored {
    #[inline]
    fn new<G: Game>(position: &G, depth: u32, ply: u32) -> Stored {
        let (key, depth) = table_key(position, depth);
        Stored { key, depth, banked: position.banked() * Score::POINT, ply: ply as i32 }
    }

    #[inline]
    fn to_table(&self, bounds: Bounds) -> Bounds {
        let convert = |score: Score| {
            if score.is_win() {
                score + self.ply
            } else if score.is_loss() {
                score - self.ply
            } else {
                score - self.banked
            }
        };
        Bounds { lower: convert(bounds.lower), upper: convert(bounds.upper) }
    }

    #[inline]
    fn at_node(&self, score: Score) -> Score {
        if score.is_win() {
            score - self.ply
        } else if score.is_loss() {
            score + self.ply
        } else {
            score + self.banked
        }
    }

    /// The limits that `entry` puts on `V` at `depth`.
    ///
    /// An entry of another depth says nothing, or the value would depend on what happened to be
    /// searched before, with one exception: a win or loss that is near enough to be seen at this
    /// depth too.
    #[inline]
    fn usable(&self, entry: &Entry, depth: u32) -> (Score, Score) {
        let Bounds { lower, upper } = entry.bounds;
        let seen = |score: Score| score.plies_to_end().is_some_and(|n| n.unsigned_abs() <= depth);
        let same = entry.depth == self.depth;
        let lower = if same || lower.is_win() && seen(lower) { lower } else { Score::MIN };
        let upper = if same || upper.is_loss() && seen(upper) { upper } else { Score::MAX };
        (self.at_node(lower), self.at_node(upper))
    }
}
