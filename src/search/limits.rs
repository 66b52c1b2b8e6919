//! The limits of a search, and the monitor that enforces them.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::entry::Entry;
use crate::clock::{Instant, Stopwatch};
use crate::score::{Bounds, Score};
use crate::table::Table;

/// The greatest depth of a search in plies. It bounds the recursion, and with it the stack.
pub const MAX_DEPTH: u32 = 200;

/// The clock that a time limit reads.
///
/// ```
/// use std::time::Duration;
///
/// use plyground::search::{Clock, Options};
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Search};
///
/// // However little time there is, there is a move.
/// let mut search = AlphaBeta::new(Flat, Options { table_mib: 1, ..Options::default() });
/// let limits = Limits::time(Clock::Wall, Duration::ZERO);
/// assert!(search.best(&TicTacToe::default(), &limits).is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// User and system time of this process, all threads together.
    #[cfg(feature = "cpu-time")]
    Cpu,
    /// Wall-clock time.
    Wall,
}

/// The limits of a search. It ends at the first limit that is reached, or when the game is decided.
///
/// With no limit except a depth the search is exact: its score is the score of plain minimax at that depth,
/// `V(p, d)` in the module [`search`](crate::search). Under the other limits it deepens until one is
/// reached, and answers from the last depth that it finished.
///
/// ```
/// use std::time::Duration;
///
/// use plyground::search::{Clock, Limits};
///
/// let exact = Limits::depth(12);
/// let quick = Limits::time(Clock::Wall, Duration::from_millis(250));
/// let both = Limits { depth: Some(12), ..quick };
/// assert_eq!(both.depth, exact.depth);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The number of plies to look ahead, from 1 to [`MAX_DEPTH`]; `None` for no limit.
    pub depth: Option<u32>,
    /// The time that the search may take, and the clock that measures it.
    pub time: Option<(Clock, Duration)>,
    /// The number of positions that each thread of the search may visit.
    pub nodes: Option<u64>,
    /// The number of positions after which each thread gives up. Unlike [`nodes`](Limits::nodes), this limit
    /// does not make the search go through every depth to have an answer when it ends.
    pub patience: Option<u64>,
    /// The time at which to give up. Like [`patience`](Limits::patience), this limit does not make the
    /// search go through every depth.
    pub give_up_at: Option<Instant>,
    /// The number of positions that may be visited, with
    /// [`Scope::BestMoves`](crate::search::Scope::BestMoves), to find the equally good moves, once a search
    /// to the end of the game has found the best; `None` for no limit.
    pub tie_nodes: Option<u64>,
    /// A guess of the value, which a search to the end of the game tests first. It changes only the time
    /// that the search takes.
    pub guess: Option<Score>,
    /// The connections of the search to other threads.
    pub context: SearchContext,
}

/// The connections of a search to other threads, which several searches may share.
#[derive(Clone, Debug, Default)]
pub struct SearchContext {
    /// A flag that ends the search when it is raised.
    pub stop: Arc<AtomicBool>,
    /// A monitor that receives the progress of the search, for other threads to read.
    pub monitor: Arc<Monitor>,
    /// A checkpoint that every thread of the search passes now and then.
    pub checkpoint: Option<Arc<dyn Checkpoint>>,
}

impl SearchContext {
    /// Returns true if the flag that ends the search is raised.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Passes the checkpoint, if there is one. Returns false if the search must end.
    pub(crate) fn pass(&self) -> bool {
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.pass();
        }
        !self.is_stopped()
    }
}

impl From<Arc<AtomicBool>> for SearchContext {
    /// Returns the context of a search that this flag ends when it is raised.
    fn from(stop: Arc<AtomicBool>) -> SearchContext {
        SearchContext { stop, ..SearchContext::default() }
    }
}

/// A hook that each thread of a search calls about every thousand nodes.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use plyground::search::{Checkpoint, SearchContext};
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Limits, Minimax, Search};
///
/// #[derive(Debug, Default)]
/// struct Count(AtomicU32);
///
/// impl Checkpoint for Count {
///     fn pass(&self) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
/// }
///
/// let count = Arc::new(Count::default());
/// let context = SearchContext { checkpoint: Some(count.clone()), ..SearchContext::default() };
/// let limits = Limits { context, ..Limits::depth(6) };
/// Minimax::new(Flat).best(&TicTacToe::default(), &limits);
/// assert!(count.0.load(Ordering::Relaxed) > 50);
/// ```
pub trait Checkpoint: Debug + Send + Sync {
    /// Runs on a thread of the search, which continues when the method returns. The method may block, for
    /// instance to let other searches run.
    fn pass(&self);
}

impl Limits {
    /// Makes the limit of exactly this many plies; more than [`MAX_DEPTH`] counts as [`MAX_DEPTH`].
    #[must_use]
    pub fn depth(plies: u32) -> Limits {
        Limits { depth: Some(plies), ..Limits::default() }
    }

    /// Makes a limit of time: the search goes as deep as it can finish within `limit` on this clock.
    #[must_use]
    pub fn time(clock: Clock, limit: Duration) -> Limits {
        Limits { time: Some((clock, limit)), ..Limits::default() }
    }

    /// Makes a limit of nodes: the search goes as deep as it can finish within this many nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Returns the same limits, and a flag that ends the search when it is raised.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Limits {
        Limits { context: SearchContext { stop, ..self.context }, ..self }
    }

    /// Returns the greatest depth to search.
    pub(crate) fn last_depth(&self) -> u32 {
        self.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }

    /// Returns true if there is a limit besides the depth that is likely to end the search.
    pub(crate) fn may_run_out(&self) -> bool {
        self.time.is_some() || self.nodes.is_some()
    }
}

/// The number of nodes between two checks of the limits: reading the clock costs as much as a few nodes.
pub(crate) const NODES_BETWEEN_CHECKS: u64 = 1_024;

/// A meter that counts the nodes of one search and stops it at its limits.
#[derive(Debug)]
pub(crate) struct Meter {
    nodes: u64,
    /// The number of nodes reported to the monitor.
    nodes_reported: u64,
    next_check: u64,
    stopped: bool,
    limits: Limits,
    stopwatch: Stopwatch,
}

impl Meter {
    pub(crate) fn start(limits: &Limits) -> Meter {
        Meter {
            nodes: 0,
            nodes_reported: 0,
            next_check: 0,
            stopped: false,
            limits: limits.clone(),
            stopwatch: Stopwatch::start(),
        }
    }

    /// Counts one node. Returns true if the search must stop.
    #[inline]
    pub(crate) fn visit(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check();
        }
        self.stopped
    }

    /// Allows at most this many more nodes.
    pub(crate) fn allow(&mut self, nodes: u64) {
        let most = self.nodes.saturating_add(nodes);
        self.limits.nodes = Some(self.limits.nodes.map_or(most, |limit| limit.min(most)));
        self.next_check = self.next_check.min(most.saturating_add(1));
    }

    #[cold]
    fn check(&mut self) {
        self.next_check = self.nodes + NODES_BETWEEN_CHECKS;
        let context = &self.limits.context;
        self.stopped |= !context.pass();
        context.monitor.add_nodes(self.nodes - self.nodes_reported);
        self.nodes_reported = self.nodes;
        let most = [self.limits.nodes, self.limits.patience];
        if let Some(most) = most.into_iter().flatten().min() {
            self.next_check = self.next_check.min(most.saturating_add(1));
            self.stopped |= self.nodes > most;
        }
        if let Some((clock, limit)) = self.limits.time {
            let spent = match clock {
                #[cfg(feature = "cpu-time")]
                Clock::Cpu => self.cpu(),
                Clock::Wall => self.wall(),
            };
            self.stopped |= spent >= limit;
        }
        if let Some(end) = self.limits.give_up_at {
            self.stopped |= Instant::now() >= end;
        }
    }

    /// Returns true if a limit has been reached; from then on it stays true.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(crate) fn cpu(&self) -> Duration {
        self.stopwatch.cpu()
    }

    pub(crate) fn wall(&self) -> Duration {
        self.stopwatch.wall()
    }
}

/// The progress of one search after another, for other threads to read. A search updates it about
/// every thousand nodes and at every window of the root.
///
/// ```
/// use std::sync::Arc;
///
/// use plyground::search::{Monitor, Options, SearchContext};
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Score, Search};
///
/// let monitor = Arc::new(Monitor::default());
/// let context = SearchContext { monitor: Arc::clone(&monitor), ..SearchContext::default() };
/// let limits = Limits { context, ..Limits::depth(9) };
/// AlphaBeta::new(Flat, Options::default()).best(&TicTacToe::default(), &limits);
/// // Another thread could have read this meanwhile.
/// assert!(monitor.nodes() > 0);
/// let root = monitor.root().ok_or("no search to the end")?;
/// assert!(root.proven.lower <= Score::ZERO && root.proven.upper >= Score::ZERO);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Monitor {
    nodes: AtomicU64,
    root: Mutex<Option<RootState>>,
    table: Mutex<Option<Arc<Table<Entry>>>>,
}

/// The progress of a search of the root to the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootState {
    /// The bounds proven for the value.
    pub proven: Bounds,
    /// The score that the search tests: is the value at least this?
    pub test: Score,
}

impl Monitor {
    /// Returns the number of positions visited by all searches with this monitor so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Returns the progress of the latest search to the end of the game; `None` before the first.
    #[must_use]
    pub fn root(&self) -> Option<RootState> {
        *lock(&self.root)
    }

    /// Forgets the root of an earlier search.
    pub fn forget_root(&self) {
        *lock(&self.root) = None;
    }

    /// Returns the share of the transposition table that is in use, from 0 to 1.
    #[must_use]
    pub fn table_fill(&self) -> f64 {
        lock(&self.table).as_ref().map_or(0.0, |table| table.fill())
    }

    pub(super) fn set_table(&self, table: &Arc<Table<Entry>>) {
        *lock(&self.table) = Some(Arc::clone(table));
    }

    pub(super) fn add_nodes(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    pub(super) fn set_root(&self, proven: Bounds, test: Score) {
        *lock(&self.root) = Some(RootState { proven, test });
    }
}

/// Locks `mutex`, even after a panic: every update is a single assignment, so a panic leaves nothing half
/// done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// More nodes than any limit here.
    const MANY: u64 = 10 * NODES_BETWEEN_CHECKS;

    const HOUR: Duration = Duration::from_secs(3_600);

    /// Returns the number of nodes that may be visited within `limits`: [`MANY`], or fewer if they end the
    /// search.
    fn allowed(limits: &Limits) -> u64 {
        allowed_by(&mut Meter::start(limits))
    }

    fn allowed_by(meter: &mut Meter) -> u64 {
        let before = meter.nodes();
        let allowed = (0..MANY).take_while(|_| !meter.visit()).count() as u64;
        assert_eq!(meter.is_stopped(), allowed < MANY);
        assert_eq!(meter.nodes() - before, allowed + u64::from(meter.is_stopped()));
        allowed
    }

    #[test]
    fn the_nearest_limit_of_nodes_is_kept() {
        let limits = |nodes, patience| Limits { nodes, patience, ..Limits::default() };
        for most in [0, 1, 2, 1_000, 1_023, 1_024, 1_025, 2_049, 5_000] {
            assert_eq!(allowed(&limits(Some(most), None)), most);
            assert_eq!(allowed(&limits(None, Some(most))), most);
            assert_eq!(allowed(&limits(Some(most), Some(3_000))), most.min(3_000));
            assert_eq!(allowed(&limits(Some(3_000), Some(most))), most.min(3_000));
        }
        assert_eq!(allowed(&limits(None, None)), MANY);
    }

    #[test]
    fn as_many_more_nodes_are_allowed_as_asked_for() {
        for (before, more) in [(0, 0), (1, 0), (1, 7), (500, 3_000), (1_024, 1), (3_000, 1_024)] {
            for nodes in [None, Some(before + more), Some(before + more + 1)] {
                let mut meter = Meter::start(&Limits { nodes, ..Limits::default() });
                assert!((0..before).all(|_| !meter.visit()));
                meter.allow(more);
                assert_eq!(allowed_by(&mut meter), more);
            }
        }
        let mut meter = Meter::start(&Limits::nodes(5));
        meter.allow(6);
        assert_eq!(allowed_by(&mut meter), 5);
    }

    #[test]
    fn time_ends_a_search_when_it_is_over() {
        let clocks = [
            #[cfg(feature = "cpu-time")]
            Clock::Cpu,
            Clock::Wall,
        ];
        for clock in clocks {
            assert_eq!(allowed(&Limits::time(clock, Duration::ZERO)), 0);
            assert_eq!(allowed(&Limits::time(clock, HOUR)), MANY);
        }
        let until = |end| Limits { give_up_at: Some(end), ..Limits::default() };
        assert_eq!(allowed(&until(Instant::now())), 0);
        assert_eq!(allowed(&until(Instant::now() + HOUR)), MANY);
    }

    #[test]
    fn a_flag_is_noticed_soon_and_for_good() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut meter = Meter::start(&Limits::default().with_stop(Arc::clone(&stop)));
        assert_eq!(allowed_by(&mut meter), MANY);
        stop.store(true, Ordering::Relaxed);
        assert!(allowed_by(&mut meter) < NODES_BETWEEN_CHECKS);
        stop.store(false, Ordering::Relaxed);
        assert!((0..MANY).all(|_| meter.visit()));
    }

    #[test]
    fn others_hear_of_every_thousand_nodes() {
        #[derive(Debug, Default)]
        struct Count(AtomicU64);

        impl Checkpoint for Count {
            fn pass(&self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }

        let (monitor, count) = (Arc::new(Monitor::default()), Arc::new(Count::default()));
        let context = SearchContext {
            monitor: Arc::clone(&monitor),
            checkpoint: Some(count.clone()),
            ..SearchContext::default()
        };
        let limits = Limits { context, ..Limits::default() };
        for searches in 1..=3 {
            let mut meter = Meter::start(&limits);
            let earlier = monitor.nodes();
            for nodes in 1..=MANY {
                meter.visit();
                let told = monitor.nodes() - earlier;
                assert!(told <= nodes && nodes < told + NODES_BETWEEN_CHECKS, "{told}, {nodes}");
            }
            let passed = count.0.load(Ordering::Relaxed);
            assert_eq!(passed * NODES_BETWEEN_CHECKS, searches * MANY);
        }
    }

    #[test]
    fn a_monitor_tells_what_it_was_told() {
        let monitor = Monitor::default();
        assert_eq!((monitor.nodes(), monitor.root(), monitor.table_fill()), (0, None, 0.0));
        monitor.add_nodes(3);
        monitor.add_nodes(4);
        let state = RootState { proven: Bounds::points(-1, 2), test: Score::points(1) };
        monitor.set_root(state.proven, state.test);
        let table = Arc::new(Table::with_buckets(1));
        monitor.set_table(&table);
        assert_eq!((monitor.nodes(), monitor.root(), monitor.table_fill()), (7, Some(state), 0.0));
        table.put(1, Entry { bounds: state.proven, depth: 1, best: 0, work: 0 });
        assert_eq!(monitor.table_fill(), 0.25);
        monitor.forget_root();
        assert_eq!((monitor.nodes(), monitor.root()), (7, None));
    }
}
