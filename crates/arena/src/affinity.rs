//! Processor cores, shared out so that programs do not take time from each other.

use std::num::NonZeroUsize;
use std::thread;

/// How many cores this process may use.
#[must_use]
pub fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Keeps this thread, and all processes that it starts from now on, on the core with this number,
/// counted from 0 among those that the thread may use. Once is enough: a thread on one core stays
/// there. Where the OS has no means for this, nothing happens, and times vary a little more.
#[cfg(target_os = "linux")]
pub fn pin_to_core(number: usize) {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    /// Stands for the thread that asks.
    const SELF: Pid = Pid::from_raw(0);

    let Ok(allowed) = sched_getaffinity(SELF) else { return };
    let mut cores = (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap_or(false));
    let mut own = CpuSet::new();
    if cores.nth(number).is_some_and(|core| own.set(core).is_ok()) {
        // An OS that refuses is one that has no means to do so.
        let _ = sched_setaffinity(SELF, &own);
    }
}

/// Nothing, on systems without such means.
#[cfg(not(target_os = "linux"))]
pub fn pin_to_core(_: usize) {}
