//! What the threads of one search tell each other, besides what the table says.

use std::sync::atomic::{AtomicU64, Ordering};

use super::limits::MAX_DEPTH;
use super::node::Node;

/// Nothing is being searched.
const NOTHING: u64 = 0;

/// The plies that the root of a search and all its nodes can be at.
const PLIES: usize = MAX_DEPTH as usize + 1;

/// For every thread of a search and every ply the position that it is at. A thread that has a
/// choice puts off what another is at: by the time it comes back to it, the table knows the
/// result.
///
/// That is "simplified ABDADA" (T. Kerrigan, <http://www.tckerrigan.com/Chess/Parallel_Search/>,
/// after J.-C. Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal 19(1),
/// 1996), with a path for each thread in place of a hash table for all.
#[derive(Debug)]
pub(super) struct Crew {
    paths: Vec<Path>,
}

/// Starts a cache line, so that threads do not take each other's.
#[derive(Debug)]
#[repr(align(64))]
struct Path([AtomicU64; PLIES]);

impl Crew {
    /// For so many threads.
    pub(super) fn new(threads: usize) -> Crew {
        let path = || Path(std::array::from_fn(|_| AtomicU64::new(NOTHING)));
        Crew { paths: std::iter::repeat_with(path).take(threads).collect() }
    }
}

/// One of the threads of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'a> {
    crew: &'a Crew,
    thread: usize,
}

impl<'a> Member<'a> {
    /// The thread of this number from 0, if there are others.
    pub(super) fn new(crew: &'a Crew, thread: usize) -> Option<Member<'a>> {
        (crew.paths.len() > 1).then_some(Member { crew, thread })
    }

    /// Says that this thread is at `node` from now on.
    pub(super) fn enter<G>(self, node: &Node<'_, G>) {
        self.crew.paths[self.thread].0[node.ply as usize].store(mark(node), Ordering::Relaxed);
    }

    /// Says that this thread is done with `node`.
    pub(super) fn leave<G>(self, node: &Node<'_, G>) {
        self.crew.paths[self.thread].0[node.ply as usize].store(NOTHING, Ordering::Relaxed);
    }

    /// Whether another thread is at `node`.
    pub(super) fn is_taken<G>(self, node: &Node<'_, G>) -> bool {
        let mark = mark(node);
        let others =
            self.crew.paths.iter().enumerate().filter(|(thread, _)| *thread != self.thread);
        others
            .map(|(_, path)| path.0[node.ply as usize].load(Ordering::Relaxed))
            .any(|at| at == mark)
    }
}

/// What stands for `node`: two that share a mark are taken for one, which changes no value.
fn mark<G>(node: &Node<'_, G>) -> u64 {
    node.stored.key.rotate_left(8) ^ u64::from(node.stored.depth)
}
