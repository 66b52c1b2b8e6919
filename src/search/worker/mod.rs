//! The recursion of alpha-beta, and the results of a node.

use super::deferral::SearchThread;
use super::entry::{COMPLETE, Entry, LocalDepths, Stored, Tables};
use super::limits::{Limits, MAX_DEPTH, Meter};
use super::node::{Closer, Expansion, Node, decided_by, leaf_value};
use super::ordering::{Candidate, Candidates, Ordering};
use super::report::Options;
use crate::game::Turn;
use crate::hints::{Evaluator, Forcing, SearchHints, Successors};
use crate::score::{Bounds, Score};
use crate::table::{NO_MOVE, Table};

mod expansion;

/// The number of nodes between two looks at the clock, for the head start of the first thread.
const NODES_BETWEEN_LOOKS: u64 = 1_024;

/// The helpers of the first thread.
pub(super) struct Helpers<'a> {
    /// The function that starts the helpers.
    start: &'a dyn Fn(),
    /// The first thread, once it has helpers.
    thread: SearchThread<'a>,
    /// The number of nodes at which to look at the clock.
    next_look: u64,
}

impl<'a> Helpers<'a> {
    pub(super) fn new(start: &'a dyn Fn(), thread: SearchThread<'a>) -> Helpers<'a> {
        Helpers { start, thread, next_look: 0 }
    }
}

/// The state of one thread that searches.
pub(super) struct Worker<'a, G: SearchHints, E> {
    pub(super) evaluator: &'a E,
    pub(super) options: &'a Options,
    pub(super) tables: Tables<'a>,
    pub(super) meter: Meter,
    ordering: Ordering,
    pub(super) candidates: Candidates<G>,
    /// The thread; `None` while it searches alone.
    thread: Option<SearchThread<'a>>,
    /// The helpers that have not been started.
    helpers: Option<Helpers<'a>>,
    pub(super) local: LocalDepths,
    /// If true, an unfinished position was evaluated since this was last set to `false`, or a result was
    /// used that may rest on such an evaluation. Used only if [`SearchHints::MAY_END_EARLY`].
    saw_horizon: bool,
    /// The replies to a threat: one vector serves every node in turn, so that none allocates.
    replies: Vec<G::Move>,
}

impl<'a, G: SearchHints, E: Evaluator<G>> Worker<'a, G, E> {
    pub(super) fn new(
        evaluator: &'a E,
        options: &'a Options,
        table: &'a Table<Entry>,
        limits: &Limits,
        thread: Option<SearchThread<'a>>,
        helpers: Option<Helpers<'a>>,
    ) -> Self {
        Worker {
            evaluator,
            options,
            tables: Tables::new(table, options.local_table),
            meter: Meter::start(limits),
            ordering: Ordering::new(G::MOVE_CODES, MAX_DEPTH as usize + 1),
            candidates: Candidates::new(),
            thread,
            helpers,
            local: if thread.is_some() { LocalDepths::TOGETHER } else { LocalDepths::ALONE },
            saw_horizon: false,
            replies: Vec::new(),
        }
    }

    /// Returns true if this is the worker of a thread whose answer does not count.
    pub(super) fn is_helper(&self) -> bool {
        self.thread.is_some_and(|thread| !thread.is_first())
    }

    /// Starts the helpers, if the search has turned out to be long.
    #[inline]
    pub(super) fn call_for_help(&mut self) {
        if self.helpers.as_ref().is_some_and(|helpers| self.meter.nodes() >= helpers.next_look) {
            self.look_for_help();
        }
    }

    #[cold]
    fn look_for_help(&mut self) {
        let is_long = self.meter.wall() >= self.options.head_start;
        match &mut self.helpers {
            Some(helpers) if !is_long => {
                helpers.next_look = self.meter.nodes() + NODES_BETWEEN_LOOKS;
            }
            helpers => {
                let Some(Helpers { start, thread, .. }) = helpers.take() else { return };
                (self.thread, self.local) = (Some(thread), LocalDepths::TOGETHER);
                self.tables.share(self.local);
                start();
            }
        }
    }

    /// Clears the note that the horizon was seen. Returns true if it was set.
    #[inline(always)]
    fn look_afresh(&mut self) -> bool {
        G::MAY_END_EARLY && std::mem::take(&mut self.saw_horizon)
    }

    /// Notes that the horizon was seen, if `seen`.
    #[inline(always)]
    fn note_horizon(&mut self, seen: impl FnOnce() -> bool) {
        if G::MAY_END_EARLY && !self.saw_horizon {
            self.saw_horizon = seen();
        }
    }

    /// Returns the result of `find`, and true if it holds for the result of best play because every line was
    /// seen to end. The second part is always false if the game ends no sooner than `plies_left`.
    pub(super) fn ends<T>(&mut self, find: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        self.saw_horizon = false;
        let found = find(self);
        (found, G::MAY_END_EARLY && !self.saw_horizon)
    }

    /// Returns the value of any position: over, at the horizon or neither. See [`node`](Worker::node) for
    /// its guarantees.
    fn child(&mut self, position: &G, depth: u32, ply: u32, alpha: Score, beta: Score) -> Score {
        if let Some(outcome) = position.outcome() {
            self.meter.visit();
            return outcome.score::<G>(position.side_to_move(), ply);
        }
        if depth == 0 {
            self.meter.visit();
            self.note_horizon(|| position.bounds().exact().is_none());
            return leaf_value(self.evaluator, position);
        }
        let stored = self.stored(position, depth, ply);
        let known = position.bounds();
        self.node(&Node { position, stored, known, is_closer: false, depth, ply }, alpha, beta)
    }

    /// Returns the value of a node within a window.
    ///
    /// Requires `alpha < beta`, `depth > 0`, a position that is not over, and `V` within the known bounds.
    /// Returns a score `v` such that, with `V` as in the definition of the [`search`](super) module,
    /// `V <= v` if `v <= alpha`; `V >= v` if `v >= beta`; and `V == v` otherwise. The result has no meaning
    /// if the search was stopped meanwhile.
    fn node(&mut self, node: &Node<'_, G>, alpha: Score, beta: Score) -> Score {
        // Step 1: count the node; leave if the search is over.
        if self.meter.visit() {
            return Score::ZERO;
        }

        // Step 2: use the limits known without searching. A win or a loss is at least one move away.
        let distance =
            Bounds { lower: Score::loss_in(node.ply + 1), upper: Score::win_in(node.ply + 1) };
        let mut known = node.known.intersect(distance);
        let mut best_code = NO_MOVE;
        let seen_before = self.look_afresh();
        if let Some(entry) = self.lookup(node) {
            best_code = translate(node.position, entry.best);
            let usable = node.stored.usable(&entry, node.depth);
            self.note_horizon(|| node.stored.rests_on_estimates(&entry));
            known = known.intersect(usable);
        }
        if let Some(value) = decided_by(known, alpha, beta) {
            self.note_horizon(|| seen_before);
            return value;
        }
        let Closer { bounds, window } = node.closer(alpha, beta);
        known = known.intersect(bounds);
        if let Some(value) = decided_by(known, alpha, beta) {
            self.note_horizon(|| seen_before);
            return value;
        }
        let (alpha, beta) = (alpha.max(known.lower), beta.min(known.upper));

        // Steps 3 and 4: generate the moves and search them.
        let nodes_before = self.meter.nodes();
        let best = if self.is_unordered(node.depth) {
            self.best_leaf(node.position, node.ply, Forcing::Unknown, beta)
        } else {
            self.search_ordered(node, alpha, beta, &mut best_code)
        };
        if self.meter.is_stopped() {
            return Score::ZERO;
        }

        // Step 5: store the result.
        let value = known.clamp(window.clamp(best));
        if value > alpha {
            known.lower = value;
        }
        if value < beta {
            known.upper = value;
        }
        self.store(node, known, best_code, self.meter.nodes() - nodes_before);
        // A win or loss beyond the window holds even if the horizon was seen.
        if value >= beta && value.is_win() || value <= alpha && value.is_loss() {
            self.look_afresh();
        }
        self.note_horizon(|| seen_before);
        value
    }

    /// Returns true if the moves of a node at this depth are tried in the order of the game.
    #[inline]
    pub(super) fn is_unordered(&self, depth: u32) -> bool {
        depth == 1 && depth < self.evaluator.order_depth()
    }

    /// Returns the greatest value of a move of a node, or a value not below `beta`; below `alpha` it is a
    /// bound. Leaves the code of a move above `alpha` that has the value in `best_code`, which holds the
    /// move of the table before.
    fn search_ordered(
        &mut self,
        node: &Node<'_, G>,
        alpha: Score,
        beta: Score,
        best_code: &mut u16,
    ) -> Score {
        match self.expand(node, alpha, beta, *best_code) {
            Expansion::Cutoff(score, code) => {
                *best_code = code;
                score
            }
            Expansion::Open(hopeless, start) => {
                let best = self.search_candidates(node, start, hopeless, alpha, beta, best_code);
                self.candidates.truncate(start);
                best
            }
        }
    }

    /// Searches the candidates from `start` on, the most promising first, all but the first with a null
    /// window, until one causes a cutoff. `best` is the greatest score that any other move can have.
    /// Returns the greatest score, and leaves the code of a move above `alpha` that has this score in
    /// `best_code`.
    fn search_candidates(
        &mut self,
        node: &Node<'_, G>,
        start: usize,
        mut best: Score,
        mut alpha: Score,
        beta: Score,
        best_code: &mut u16,
    ) -> Score {
        self.call_for_help();
        let mut searched = 0;
        while let Some(selection) = self.candidates.select(start) {
            let candidate = self.candidates.get(selection);
            let Candidate { mv, bounds, is_closer, .. } = *candidate;
            let score = if bounds.upper <= alpha || bounds.lower == bounds.upper {
                bounds.upper
            } else {
                let next = candidate.next.clone();
                let (depth, ply) = (node.depth - 1, node.ply + 1);
                let mut stored = candidate.stored;
                if stored.depth == 0 {
                    stored = self.stored(&next, depth, ply);
                }
                let turn = Turn::between(node.position, &next);
                let known = turn.across(bounds);
                let child = Node { position: &next, stored, known, is_closer, depth, ply };
                let thread = self.thread.filter(|_| self.is_shared(&child));
                if let Some(thread) = thread {
                    if searched > 0 && !selection.is_deferred && thread.must_defer(&child) {
                        self.candidates.defer(selection);
                        continue;
                    }
                    thread.start(&child);
                }
                let null_window = searched > 0 && self.options.null_window;
                searched += 1;
                let high = if null_window { alpha + 1 } else { beta };
                let mut search = |beta| {
                    let (alpha, beta) = turn.window(alpha, beta);
                    turn.across(self.node_or_leaf(&child, alpha, beta))
                };
                let mut score = search(high);
                if null_window && score > alpha && score < beta {
                    score = search(beta);
                }
                if let Some(thread) = thread {
                    thread.finish(&child);
                }
                score
            };
            if self.meter.is_stopped() {
                break;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                *best_code = node.position.move_code(mv) as u16;
                if score >= beta {
                    self.reward(node, mv, start);
                    break;
                }
            }
        }
        best
    }

    /// Does the same as [`node`](Worker::node), for a depth that may be 0.
    #[inline]
    fn node_or_leaf(&mut self, node: &Node<'_, G>, alpha: Score, beta: Score) -> Score {
        if node.depth > 0 {
            return self.node(node, alpha, beta);
        }
        self.meter.visit();
        self.note_horizon(|| node.known.exact().is_none());
        let estimate = self.evaluator.evaluate(node.position).get();
        node.known.clamp(Score::estimate(estimate))
    }

    /// Returns the greatest value of a move to the horizon, or a value not below `beta`, from a position
    /// `ply` plies from the root, with the moves in the order of the game; `forcing` is the game's answer
    /// about it.
    #[inline]
    pub(super) fn best_leaf(
        &mut self,
        position: &G,
        ply: u32,
        forcing: Forcing<G::Move>,
        beta: Score,
    ) -> Score {
        let mut best = Score::MIN;
        let mut successors = position.successors(forcing);
        for mv in position.open_moves() {
            let next = successors.after(mv);
            if self.meter.visit() {
                break;
            }
            let value = match next.outcome() {
                Some(outcome) => outcome.score::<G>(next.side_to_move(), ply + 1),
                None => {
                    self.note_horizon(|| next.bounds().exact().is_none());
                    leaf_value(self.evaluator, &next)
                }
            };
            best = best.max(Turn::between(position, &next).across(value));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Notes that `cutter` caused a cutoff, and that the others tried before it did not.
    pub(super) fn reward(&mut self, node: &Node<'_, G>, cutter: G::Move, start: usize) {
        let side = node.position.side_to_move();
        self.ordering.reward(side, node.position.move_code(cutter), node.depth, node.ply);
        for candidate in self.candidates.selected(start) {
            if candidate.mv != cutter {
                self.ordering.punish(side, node.position.move_code(candidate.mv), node.depth);
            }
        }
    }

    /// Returns true if positions are kept in the table at this depth.
    #[inline]
    fn is_kept(&self, depth: u32) -> bool {
        depth >= self.options.table_depth.max(1) && self.tables.is_used()
    }

    /// Returns true if the threads that search together share their results for the node.
    fn is_shared(&self, node: &Node<'_, G>) -> bool {
        self.is_kept(node.depth) && self.tables.is_shared(&node.stored)
    }

    #[inline]
    fn stored(&self, position: &G, depth: u32, ply: u32) -> Stored {
        if self.is_kept(depth) {
            Stored::new(position, depth, ply, self.local)
        } else {
            Stored::default()
        }
    }

    #[inline]
    fn lookup(&self, node: &Node<'_, G>) -> Option<Entry> {
        if self.is_kept(node.depth) { self.tables.get(&node.stored) } else { None }
    }

    #[inline]
    fn store(&self, node: &Node<'_, G>, bounds: Bounds, best: u16, nodes: u64) {
        if self.is_kept(node.depth) {
            let complete = if G::MAY_END_EARLY && !self.saw_horizon { COMPLETE } else { 0 };
            let entry = Entry {
                bounds: node.stored.to_table(bounds),
                depth: node.stored.depth as u8,
                best: translate(node.position, best),
                work: (nodes + 1).ilog2() as u8 | complete,
            };
            self.tables.put(&node.stored, entry);
        }
    }
}

/// Translates a move code between `position` and the table, either way.
#[inline]
pub(super) fn translate<G: SearchHints>(position: &G, code: u16) -> u16 {
    if code == NO_MOVE { NO_MOVE } else { position.canonical_code(code.into()) as u16 }
}
