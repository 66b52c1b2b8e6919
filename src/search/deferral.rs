//! The deferral of moves: the marks by which the threads of a search leave a move to each other (ABDADA).

use std::sync::atomic::{AtomicU64, Ordering};

use super::limits::MAX_DEPTH;
use super::node::Node;

/// The mark of a ply at which nothing is being searched.
const NOTHING: u64 = 0;

/// The number of the thread whose answer counts.
pub(super) const FIRST_THREAD: usize = 0;

/// The number of bits of a depth.
const DEPTH_BITS: u32 = 8;

/// The number of possible plies of a node, the root included.
const PLIES: usize = MAX_DEPTH as usize + 1;

/// The nodes that the threads of a search are searching, by thread and ply. A thread that has a choice
/// defers a node that another thread is searching: by the time the first thread comes back to the node, the
/// transposition table has the result.
///
/// This is "simplified ABDADA" (T. Kerrigan, <http://www.tckerrigan.com/Chess/Parallel_Search/>, after
/// J.-C. Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19(1), 1996), with a path
/// for each thread in place of a hash table for all.
#[derive(Debug)]
pub(super) struct CurrentlySearched(Vec<Path>);

/// The nodes that a thread is searching, by ply. Aligned to cache lines, to avoid false sharing.
#[derive(Debug)]
#[repr(align(64))]
struct Path([AtomicU64; PLIES]);

impl CurrentlySearched {
    /// Makes the paths for this number of threads.
    pub(super) fn new(threads: usize) -> CurrentlySearched {
        let path = || Path([const { AtomicU64::new(NOTHING) }; PLIES]);
        CurrentlySearched(std::iter::repeat_with(path).take(threads).collect())
    }

    /// Returns the thread of this number, from 0.
    pub(super) fn thread(&self, thread: usize) -> SearchThread<'_> {
        SearchThread { searched: self, thread }
    }
}

/// One of the threads of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchThread<'a> {
    searched: &'a CurrentlySearched,
    thread: usize,
}

impl SearchThread<'_> {
    /// Returns true if this is the thread whose answer counts.
    pub(super) fn is_first(self) -> bool {
        self.thread == FIRST_THREAD
    }

    /// Notes that this thread begins to search `node`.
    pub(super) fn start<G>(self, node: &Node<'_, G>) {
        self.mark(node, mark(node));
    }

    /// Notes that this thread has searched `node`.
    pub(super) fn finish<G>(self, node: &Node<'_, G>) {
        self.mark(node, NOTHING);
    }

    fn mark<G>(self, node: &Node<'_, G>, mark: u64) {
        self.searched.0[self.thread].0[node.ply as usize].store(mark, Ordering::Relaxed);
    }

    /// Returns true if another thread is searching `node`, so that this one defers it.
    pub(super) fn must_defer<G>(self, node: &Node<'_, G>) -> bool {
        let (ply, mark) = (node.ply as usize, mark(node));
        let is_there = |path: &Path| path.0[ply].load(Ordering::Relaxed) == mark;
        let mut paths = self.searched.0.iter().enumerate();
        paths.any(|(thread, path)| thread != self.thread && is_there(path))
    }
}

/// Returns the mark that stands for `node`. If two nodes share a mark, one is deferred without need, which
/// changes no value.
fn mark<G>(node: &Node<'_, G>) -> u64 {
    node.stored.key.rotate_left(DEPTH_BITS) ^ u64::from(node.stored.depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Bounds;
    use crate::search::entry::Stored;

    #[test]
    fn a_node_is_deferred_while_another_thread_searches_it() {
        let stored = |key, depth| {
            let mut stored = Stored::default();
            (stored.key, stored.depth) = (key, depth);
            stored
        };
        let node = |stored, ply| Node {
            position: &(),
            stored,
            known: Bounds::NONE,
            is_closer: false,
            depth: 9,
            ply,
        };
        let searched = CurrentlySearched::new(3);
        let [me, other, third] = [0, 1, 2].map(|thread| searched.thread(thread));
        let here = node(stored(1_234, 9), 5);
        other.start(&here);
        assert!(me.must_defer(&here) && third.must_defer(&here));
        assert!(!other.must_defer(&here), "a thread does not defer its own node");
        for elsewhere in [(1_235, 9, 5), (1_234, 8, 5), (1_234, 9, 4)] {
            let (key, depth, ply) = elsewhere;
            assert!(!me.must_defer(&node(stored(key, depth), ply)), "{elsewhere:?}");
        }
        other.finish(&here);
        assert!(!me.must_defer(&here));
    }
}
