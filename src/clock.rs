//! Time that passes, and time of the processors.

use std::time::Duration;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod given;

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
