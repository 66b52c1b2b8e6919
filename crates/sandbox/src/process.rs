//! What a supervisor knows of a process.

use std::time::Duration;

use nix::unistd::Pid;

/// What a supervisor knows of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// The CPU time that the process itself has used.
    pub(crate) cpu: Duration,
    /// The CPU time of its children that are gone.
    pub(crate) cpu_of_children: Duration,
    /// The memory that the process occupies, in bytes. Memory shared with others counts in full.
    pub(crate) memory: u64,
}
