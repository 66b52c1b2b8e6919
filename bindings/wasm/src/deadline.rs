//! The time limit of a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plyground::clock::Instant;
use plyground::search::Checkpoint;

/// Ends a search after some time. There is no other thread that could end it, so the search itself reads the
/// clock at its checkpoints.
#[derive(Debug)]
pub(crate) struct Deadline {
    started: Instant,
    time: Duration,
    pub(crate) stop: Arc<AtomicBool>,
}

impl Deadline {
    /// Creates a deadline that raises `stop` at the first checkpoint after `time` from now.
    pub(crate) fn after(time: Duration) -> Deadline {
        Deadline { started: Instant::now(), time, stop: Arc::default() }
    }
}

impl Checkpoint for Deadline {
    fn pass(&self) {
        self.stop.fetch_or(self.started.elapsed() >= self.time, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_is_raised_after_the_time_and_not_before() {
        for (time, is_over) in [(Duration::ZERO, true), (Duration::MAX, false)] {
            let deadline = Deadline::after(time);
            assert!(!deadline.stop.load(Ordering::Relaxed));
            deadline.pass();
            assert_eq!(deadline.stop.load(Ordering::Relaxed), is_over);
        }
    }
}
