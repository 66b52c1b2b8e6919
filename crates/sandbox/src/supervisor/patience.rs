//! The time for which a supervisor is stopped, and its patience without that.

use std::thread;
use std::time::{Duration, Instant};

use nix::time::ClockId;

use crate::lateness::Deadline;

/// The time for which this process does not run although it waits for nothing: somebody has stopped it, say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    /// The clock of its CPU time.
    clock: ClockId,
    /// The moment since which it waits for nothing, and its CPU time by then.
    since: (Instant, Duration),
}

impl Stall {
    /// Returns the time from now on, by the clock of this process or this thread.
    pub(crate) fn begin(clock: ClockId) -> Stall {
        Stall { clock, since: (Instant::now(), cpu_by(clock)) }
    }

    /// Begins again.
    pub(crate) fn restart(&mut self) {
        *self = Stall::begin(self.clock);
    }

    /// Returns the time so far, and begins again.
    pub(crate) fn take(&mut self) -> Duration {
        self.until((Instant::now(), cpu_by(self.clock)))
    }

    fn until(&mut self, now: (Instant, Duration)) -> Duration {
        let since = std::mem::replace(&mut self.since, now);
        now.0.saturating_duration_since(since.0).saturating_sub(now.1.saturating_sub(since.1))
    }
}

fn cpu_by(clock: ClockId) -> Duration {
    clock.now().map_or(Duration::ZERO, Duration::from)
}

/// The time that is left for something that is tried again and again. It counts while this thread runs or should
/// wait: a pause of all processes is no part of it.
#[derive(Debug)]
pub(crate) struct Patience {
    deadline: Deadline,
    stall: Stall,
}

impl Patience {
    /// Returns a patience of this time, from now on.
    pub(crate) fn of(limit: Duration) -> Patience {
        let stall = Stall::begin(ClockId::CLOCK_THREAD_CPUTIME_ID);
        Patience { deadline: Deadline::after(limit), stall }
    }

    /// Waits for this time, and returns true, if any is left.
    pub(crate) fn waits(&mut self, time: Duration) -> bool {
        self.deadline.extend(self.stall.take());
        if self.deadline.is_over() {
            return false;
        }
        self.deadline.wait(time, thread::sleep);
        self.stall.restart();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stall_is_time_without_work() {
        let (begun, seconds) = (Instant::now(), Duration::from_secs);
        let clock = ClockId::CLOCK_PROCESS_CPUTIME_ID;
        let mut stall = Stall { clock, since: (begun, seconds(5)) };
        assert_eq!(stall.until((begun + seconds(2), seconds(7))), Duration::ZERO);
        // It works for 1 of 10 seconds, then with two threads.
        assert_eq!(stall.until((begun + seconds(12), seconds(8))), seconds(9));
        assert_eq!(stall.until((begun + seconds(13), seconds(10))), Duration::ZERO);
    }

    #[test]
    fn pause_between_two_tries_takes_no_patience() {
        let limit = Duration::from_millis(300);
        let mut patience = Patience::of(limit);
        for _ in 0..2 {
            // All processes are stopped.
            thread::sleep(limit);
            assert!(patience.waits(Duration::ZERO));
        }
        assert!(!Patience::of(Duration::ZERO).waits(limit));
    }
}
