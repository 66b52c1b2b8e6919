//! Waits that end later than they should.
//!
//! A process that waits until a time limit may be waked long after it: the computer is busy, or somebody has
//! stopped all processes for a while, as Ctrl-Z or the suspension of a job does. What it waits for was then late
//! by no fault of its own.

use std::time::{Duration, Instant};

/// The time by which waits have ended later than they should.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lateness(Duration);

impl Lateness {
    /// Waits by a function for this time at most, and adds the time that it takes beyond it.
    pub(crate) fn wait<T>(&mut self, time: Duration, wait: impl FnOnce(Duration) -> T) -> T {
        let begun = Instant::now();
        let found = wait(time);
        self.0 += begun.elapsed().saturating_sub(time);
        found
    }

    /// Returns the time by which waits have ended too late.
    pub(crate) fn so_far(self) -> Duration {
        self.0
    }

    /// Returns the time by which waits have ended too late, and forgets it.
    pub(crate) fn take(&mut self) -> Duration {
        std::mem::take(&mut self.0)
    }
}

/// A time limit to which is added the time by which waits for it end later than they should.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    begun: Instant,
    limit: Duration,
    late: Lateness,
}

impl Deadline {
    /// Returns a limit that begins now.
    #[must_use]
    pub fn after(limit: Duration) -> Deadline {
        Deadline { begun: Instant::now(), limit, late: Lateness::default() }
    }

    /// Waits by a function for this time at most.
    pub fn wait<T>(&mut self, time: Duration, wait: impl FnOnce(Duration) -> T) -> T {
        let found = self.late.wait(time, wait);
        self.extend(self.late.0);
        self.late = Lateness::default();
        found
    }

    /// Adds this time to the limit.
    pub fn extend(&mut self, time: Duration) {
        self.limit = self.limit.saturating_add(time);
    }

    /// Returns the time that is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.begun.elapsed())
    }

    /// Returns true if no time is left.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_that_ends_late_takes_nothing_off() {
        let mut deadline = Deadline::after(Duration::from_secs(3600));
        let left = deadline.left();
        deadline.wait(Duration::ZERO, |_| std::thread::sleep(Duration::from_millis(30)));
        assert!(deadline.left() + Duration::from_millis(30) > left);
        deadline.wait(Duration::from_secs(60), |time| assert_eq!(time, Duration::from_secs(60)));
        assert!(!deadline.is_over());
        assert!(Deadline::after(Duration::ZERO).is_over());
    }
}
