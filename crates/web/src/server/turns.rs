//! Turns at the processors, for more searches than there are processors.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use plyground::search::Checkpoint;

/// The time that a search runs while others wait. It is short enough that two hundred searches on two
/// processors all have a turn within a second, and long enough to be worth the switch.
const SLICE: Duration = Duration::from_millis(5);

/// Lets a limited number of searches run at a time. The others wait, and a running search makes way after
/// [`SLICE`], first for urgent searches, then for the search that has waited longest. So threads that do
/// little, such as those of a server, always find a processor soon.
#[derive(Debug)]
pub(crate) struct Turns {
    most: NonZeroUsize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// The waiting searches, by [`Urgency`].
    waiting: [VecDeque<Arc<Waiter>>; 2],
}

/// A thread that waits for its turn.
#[derive(Debug)]
struct Waiter {
    thread: Thread,
    called: AtomicBool,
}

/// The urgency of a search: urgent searches go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A client waits for the end of the search.
    Urgent,
    /// A client uses intermediate results, and can wait for the next one.
    Patient,
}

impl Turns {
    /// Allows at most `most` searches at a time.
    pub(crate) fn new(most: NonZeroUsize) -> Arc<Turns> {
        Arc::new(Turns { most, state: Mutex::default() })
    }

    /// Returns the greatest number of searches at a time.
    pub(crate) fn most(&self) -> NonZeroUsize {
        self.most
    }

    /// Waits for the first turn of a search. The first turn is urgent even for a patient search, so that
    /// every client soon has a result.
    pub(crate) fn begin(self: &Arc<Turns>, urgency: Urgency) -> SearchTurn {
        let mut state = self.lock();
        if state.running < self.most.get() {
            state.running += 1;
        } else {
            let waiter = state.queue(Urgency::Urgent);
            drop(state);
            waiter.wait();
        }
        SearchTurn { turns: Arc::clone(self), urgency, end: Mutex::new(Instant::now() + SLICE) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn queue(&mut self, urgency: Urgency) -> Arc<Waiter> {
        let waiter = Arc::new(Waiter { thread: thread::current(), called: AtomicBool::new(false) });
        self.waiting[urgency as usize].push_back(Arc::clone(&waiter));
        waiter
    }

    /// Calls the next waiting thread; returns false if no thread waits.
    fn call(&mut self) -> bool {
        let next = self.waiting.iter_mut().find_map(VecDeque::pop_front);
        let Some(next) = next else { return false };
        next.called.store(true, Ordering::Release);
        next.thread.unpark();
        true
    }
}

impl Waiter {
    fn wait(&self) {
        while !self.called.load(Ordering::Acquire) {
            thread::park();
        }
    }
}

/// The right of one search, with all its threads, to run. Dropping it gives the right up.
#[derive(Debug)]
pub(crate) struct SearchTurn {
    turns: Arc<Turns>,
    urgency: Urgency,
    end: Mutex<Instant>,
}

impl Checkpoint for SearchTurn {
    /// Makes way for others if any wait and the turn is over, and waits for the next turn.
    fn pass(&self) {
        // The lock is held while waiting, so that the other threads of the search wait too.
        let mut end = lock(&self.end);
        if Instant::now() < *end {
            return;
        }
        let mut state = self.turns.lock();
        if state.call() {
            let waiter = state.queue(self.urgency);
            drop(state);
            waiter.wait();
        }
        *end = Instant::now() + SLICE;
    }
}

impl Drop for SearchTurn {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        if !state.call() {
            state.running -= 1;
        }
    }
}

/// Locks a mutex; a thread that panics leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn searches_run_two_at_a_time_and_all_in_the_end() {
        let turns = Turns::new(NonZeroUsize::MIN.saturating_add(1));
        let (running, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for index in 0..16 {
                let urgency = if index % 2 == 0 { Urgency::Urgent } else { Urgency::Patient };
                let (turns, running, done) = (&turns, &running, &done);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let turn = turns.begin(urgency);
                        assert!(running.fetch_add(1, Ordering::SeqCst) < 2);
                        running.fetch_sub(1, Ordering::SeqCst);
                        turn.pass();
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(done.load(Ordering::SeqCst), 16);
        assert_eq!(turns.lock().running, 0);
    }

    #[test]
    fn search_that_is_alone_keeps_its_turn() {
        let turns = Turns::new(NonZeroUsize::MIN);
        let turn = turns.begin(Urgency::Patient);
        *lock(&turn.end) = Instant::now();
        turn.pass();
        assert_eq!(turns.lock().running, 1);
        drop(turn);
        assert_eq!(turns.lock().running, 0);
    }
}
