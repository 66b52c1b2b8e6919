//! The time of a league, which never goes back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

/// A source of the time of day.
pub trait TimeSource: Send + Sync {
    /// Returns the time.
    fn now(&self) -> Timestamp;
}

/// The clock of this computer.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl TimeSource for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The clock of a league. If the computer's clock is set back, the time of the league stands until the
/// computer has caught up, so that a deadline that has passed stays so and no event comes before another.
#[derive(Clone)]
pub struct LeagueClock {
    source: Arc<dyn TimeSource>,
    latest: Arc<Mutex<Timestamp>>,
}

impl fmt::Debug for LeagueClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeagueClock").field("latest", &self.latest).finish_non_exhaustive()
    }
}

impl LeagueClock {
    /// Creates a clock whose time is at least `latest`, that of the last event that is known.
    pub fn new(source: Arc<dyn TimeSource>, latest: Timestamp) -> LeagueClock {
        LeagueClock { source, latest: Arc::new(Mutex::new(latest)) }
    }

    /// Returns the time.
    pub fn now(&self) -> Timestamp {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = (*latest).max(self.source.now());
        *latest
    }

    /// Returns the time by which the computer's clock is behind that of the league, in seconds.
    #[must_use]
    pub fn behind(&self) -> i64 {
        let latest = *self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        (latest.as_second() - self.source.now().as_second()).max(0)
    }
}

/// A clock that stands until it is set, for tests.
#[derive(Debug)]
pub struct SetClock(Mutex<Timestamp>);

impl SetClock {
    /// Creates a clock that shows `time`.
    #[must_use]
    pub fn new(time: Timestamp) -> Arc<SetClock> {
        Arc::new(SetClock(Mutex::new(time)))
    }

    /// Sets the clock.
    pub fn set(&self, time: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }
}

impl TimeSource for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_while_the_clock_is_behind() {
        let at = |second| Timestamp::from_second(second).expect("a time");
        let set = SetClock::new(at(5_000));
        let clock = LeagueClock::new(set.clone(), at(1_000));
        assert_eq!(clock.now(), at(5_000));
        set.set(at(1_400));
        assert_eq!((clock.now(), clock.behind()), (at(5_000), 3_600));
        set.set(at(5_001));
        assert_eq!((clock.now(), clock.behind()), (at(5_001), 0));
    }
}
