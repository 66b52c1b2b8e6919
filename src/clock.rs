//! Time that passes, and time of the processors.

use std::time::Duration;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod given;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use given::{Instant, set_clock};

/// A moment of a clock that never goes back. That of the standard library where the system has a
/// clock. WebAssembly without a system has none: whoever runs it gives it one by `set_clock`.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;

/// CPU time of this process so far, all threads together. Where that is not known, the time that has
/// passed since this was first asked.
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

/// Measures time since it was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), cpu: cpu_time() }
    }

    /// Time that has passed.
    pub(crate) fn wall(&self) -> Duration {
        self.wall.elapsed()
    }

    /// CPU time of this process, all threads together; time that has passed where that is not
    /// known.
    pub(crate) fn cpu(&self) -> Duration {
        cpu_time().saturating_sub(self.cpu)
    }
}
