//! A process, as far as a supervisor looks at it.

use std::time::Duration;

use nix::unistd::Pid;

/// A process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) pid: Pid,
    /// The CPU time that it has used itself.
    pub(super) cpu: Duration,
    /// That of its children that are gone.
    pub(super) cpu_of_children: Duration,
    /// The memory that it occupies, in bytes; what it shares with others counts in full.
    pub(super) memory: u64,
}
