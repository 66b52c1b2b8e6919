//! What the threads of one search tell each other, besides what the table says.

use std::sync::atomic::{AtomicU64, Ordering};

use super::limits::MAX_DEPTH;
use super::node::Node;

/// Nothing is being searched.
const NOTHING: u64 = 0;

/// The number of the thread whose answer counts.
pub(super) const FIRST_THREAD: usize = 0;

/// Depths are below 2 to this power.
const DEPTH_BITS: u32 = 8;

/// The plies that the root of a search and all its nodes can be at.
const PLIES: usize = MAX_DEPTH as usize + 1;

/// For every thread of a search and every ply, the position that the thread is at. A thread that
/// has a choice puts off what another is at: by the time it comes back to it, the table tells the
/// result.
///
/// That is "simplified ABDADA" (T. Kerrigan, <http://www.tckerrigan.com/Chess/Parallel_Search/>,
/// after J.-C. Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19(1), 1996),
/// with a path for each thread in place of a hash table for all.
#[derive(Debug)]
pub(super) struct Crew(Vec<Path>);

/// What a thread is at, by ply. Starts a cache line, so that threads do not take each other's.
#[derive(Debug)]
#[repr(align(64))]
struct Path([AtomicU64; PLIES]);

impl Crew {
    /// For so many threads.
    pub(super) fn new(threads: usize) -> Crew {
        let path = || Path([const { AtomicU64::new(NOTHING) }; PLIES]);
        Crew(std::iter::repeat_with(path).take(threads).collect())
    }

    /// The thread of this number, from 0.
    pub(super) fn member(&self, thread: usize) -> Member<'_> {
        Member { crew: self, thread }
    }
}

/// One of the threads of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    crew: &'a Crew,
    thread: usize,
}

impl Member<'_> {
    /// Whether this is the thread whose answer counts.
    pub(super) fn is_first(self) -> bool {
        self.thread == FIRST_THREAD
    }

    /// Says that this thread is at `node` from now on.
    pub(super) fn enter<G>(self, node: &Node<'_, G>) {
        self.say(node, mark(node));
    }

    /// Says that this thread is done with `node`.
    pub(super) fn leave<G>(self, node: &Node<'_, G>) {
        self.say(node, NOTHING);
    }

    fn say<G>(self, node: &Node<'_, G>, mark: u64) {
        self.crew.0[self.thread].0[node.ply as usize].store(mark, Ordering::Relaxed);
    }

    /// Whether another thread is at `node`.
    pub(super) fn is_taken<G>(self, node: &Node<'_, G>) -> bool {
        let (ply, mark) = (node.ply as usize, mark(node));
        let is_there = |path: &Path| path.0[ply].load(Ordering::Relaxed) == mark;
        let mut paths = self.crew.0.iter().enumerate();
        paths.any(|(thread, path)| thread != self.thread && is_there(path))
    }
}

/// What stands for `node`. Where two share a mark, one is put off without need: that changes no
/// value.
fn mark<G>(node: &Node<'_, G>) -> u64 {
    node.stored.key.rotate_left(DEPTH_BITS) ^ u64::from(node.stored.depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Bounds;
    use crate::search::stored::Stored;

    #[test]
    fn a_node_is_taken_while_another_thread_is_at_it() {
        let stored = |key, depth| {
            let mut stored = Stored::default();
            (stored.key, stored.depth) = (key, depth);
            stored
        };
        let node = |stored, ply| Node { position: &(), stored, known: Bounds::NONE, depth: 9, ply };
        let crew = Crew::new(3);
        let [me, other, third] = [0, 1, 2].map(|thread| crew.member(thread));
        let here = node(stored(1_234, 9), 5);
        other.enter(&here);
        assert!(me.is_taken(&here) && third.is_taken(&here));
        assert!(!other.is_taken(&here), "one is not in one's own way");
        for elsewhere in [(1_235, 9, 5), (1_234, 8, 5), (1_234, 9, 4)] {
            let (key, depth, ply) = elsewhere;
            assert!(!me.is_taken(&node(stored(key, depth), ply)), "{elsewhere:?}");
        }
        other.leave(&here);
        assert!(!me.is_taken(&here));
    }
}
