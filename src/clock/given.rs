//! The clock on a platform without a system clock.

use std::ops::Add;
use std::sync::OnceLock;
use std::time::Duration;

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Sets the clock: a function that returns the time since some fixed moment and never goes back. Only the
/// first call has an effect. Without a clock, time stands still: no search ends by the clock.
pub fn set_clock(now: fn() -> Duration) {
    let _ = CLOCK.set(now);
}

/// A moment of the clock that was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// Returns the present moment.
    #[must_use]
    pub fn now() -> Instant {
        Instant(CLOCK.get().map_or(Duration::ZERO, |now| now()))
    }

    /// Returns the time since then.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Instant::now().saturating_duration_since(*self)
    }

    /// Returns the time from `earlier` to this moment; zero if `earlier` is later.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the moment that is `time` later, if it can be represented.
    #[must_use]
    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        Instant(self.0 + time)
    }
}
