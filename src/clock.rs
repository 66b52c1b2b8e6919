//! Wall-clock time and CPU time.

use std::time::Duration;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use given::{Instant, set_clock};

/// A moment of a clock that never goes back: `Instant` of the standard library where the system has a
/// clock. WebAssembly without a system has no clock: the host program supplies one with `set_clock`.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;

/// Returns the CPU time of this process so far, all threads together. Where the CPU time is unknown,
/// returns the time since the first call.
#[must_use]
pub fn cpu_time() -> Duration {
    #[cfg(all(feature = "cpu-time", not(target_family = "wasm")))]
    return cpu_time::ProcessTime::now().as_duration();
    #[cfg(not(all(feature = "cpu-time", not(target_family = "wasm"))))]
    {
        static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed()
    }
}

/// A stopwatch that measures time since its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), cpu: cpu_time() }
    }

    /// Returns the wall-clock time that has passed.
    pub(crate) fn wall(&self) -> Duration {
        self.wall.elapsed()
    }

    /// Returns the CPU time of this process, all threads together; the wall-clock time where the CPU time
    /// is unknown.
    pub(crate) fn cpu(&self) -> Duration {
        cpu_time().saturating_sub(self.cpu)
    }
}

/// The clock on a platform without a system clock.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod given {
    use std::ops::Add;
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the clock: a function that returns the time since some fixed moment and never goes back. Only
    /// the first call has an effect. Without a clock, time stands still, and no time limit ends a search.
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

        /// Returns the time since this moment.
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
}
