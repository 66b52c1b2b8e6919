//! Failures that are the system's, and nobody's who plays.

use std::io;

use crate::player::Fault;

/// The fault of nobody: the system has refused what the referee needs to run a program.
pub(super) fn system_fault(error: &io::Error) -> Fault {
    Fault::System { why: error.to_string() }
}

/// Whether the system has refused something because it had no more of it, whoever had asked:
/// processes, memory or open files.
#[cfg(unix)]
#[must_use]
pub fn is_exhausted(error: &io::Error) -> bool {
    use nix::errno::Errno;

    /// Processes, memory, open files of a process, open files of all.
    const EXHAUSTED: [Errno; 4] = [Errno::EAGAIN, Errno::ENOMEM, Errno::EMFILE, Errno::ENFILE];
    error.raw_os_error().is_some_and(|code| EXHAUSTED.contains(&Errno::from_raw(code)))
}

/// Whether the system has refused something because it had no more of it, whoever had asked.
#[cfg(not(unix))]
#[must_use]
pub fn is_exhausted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}
