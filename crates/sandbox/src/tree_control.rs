//! How all processes of a program are measured, stopped and killed together.

use std::fmt::Debug;
use std::time::Duration;

use nix::unistd::Pid;

use crate::end::ProcessEnd;

/// What the processes use together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// The CPU time of all processes that ever were.
    pub(crate) cpu: Duration,
    /// How many processes are alive.
    pub(crate) processes: u32,
}

/// What measures, stops and kills all processes of one run of a program together.
pub(crate) trait TreeControl: Debug {
    /// Measures what the processes use now. `gone` is the CPU time of those that somebody has waited for.
    fn usage(&mut self, gone: Duration) -> Usage;

    /// Returns whether they occupy more memory than `most` bytes, if the kernel does not see to that.
    /// `buffers` says how much is held for processes that is part of none.
    fn exceeds_memory(&self, most: u64, buffers: &dyn Fn(&[Pid]) -> u64) -> bool;

    /// Stops all processes until [`resume`](TreeControl::resume).
    fn freeze(&self);

    /// Lets all processes go on.
    fn resume(&self);

    /// Sends all processes a signal that kills them. `root` is the first, unless somebody has waited for it.
    fn kill(&self, root: Option<Pid>);

    /// Kills those that are left a moment after [`kill`](TreeControl::kill).
    fn kill_rest(&self);

    /// Returns the limit at which the kernel stopped the program, if it did.
    fn broken_limit(&self) -> Option<ProcessEnd>;
}
