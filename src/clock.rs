//! The clocks of a search.

use std::time::Duration;

/// Measures time since it was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    wall: std::time::Instant,
    #[cfg(feature = "cpu-time")]
    cpu: cpu_time::ProcessTime,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch {
            #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
            wall: std::time::Instant::now(),
            #[cfg(feature = "cpu-time")]
            cpu: cpu_time::ProcessTime::now(),
        }
    }

    /// Time that has passed; zero where the target has no clock.
    pub(crate) fn wall(&self) -> Duration {
        #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
        return self.wall.elapsed();
        #[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
        Duration::ZERO
    }

    /// CPU time of this process, all threads together; time that has passed where that is not
    /// known.
    pub(crate) fn cpu(&self) -> Duration {
        #[cfg(feature = "cpu-time")]
        return self.cpu.elapsed();
        #[cfg(not(feature = "cpu-time"))]
        self.wall()
    }
}
