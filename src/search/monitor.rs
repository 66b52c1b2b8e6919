//! The progress of a search, for other threads to read.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::entry::Entry;
use crate::score::{Bounds, Score};
use crate::table::Table;

/// The progress of one search after another, for other threads to read. A search updates it about
/// every thousand nodes and at every window of the root.
///
/// ```
/// use std::sync::Arc;
///
/// use plyground::search::{Monitor, Options};
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Score, Search};
///
/// let monitor = Arc::new(Monitor::default());
/// let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::depth(9) };
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

/// Locks `mutex`, even after a panic: a thread that panics leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

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
