//! How the processes of a program ended.

use serde::{Deserialize, Serialize};

/// How the processes of a program ended.
///
/// [`Meter::failure`](crate::Meter::failure) tells what this means for a program that was expected
/// to do something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessEnd {
    /// The first process ended by itself, with this exit code.
    Exit(i32),
    /// This signal ended the first process.
    Signal(String),
    /// The program could not be started, for this reason.
    NotStarted(String),
    /// The OS refused what was needed to start or supervise the program, for this reason.
    System(String),
    /// The program closed its standard output, and the supervisor killed it.
    ClosedOutput,
    /// The supervisor killed the processes for using too much CPU time.
    CpuLimit,
    /// The supervisor killed the processes for taking too long.
    WallLimit,
    /// The supervisor killed the processes for occupying too much memory.
    MemoryLimit,
    /// The supervisor killed the processes for printing or writing too much.
    OutputLimit,
    /// The supervisor killed the processes for being too many.
    Processes,
    /// The supervisor killed the processes because the host no longer needs them.
    Dismissed,
    /// The supervisor itself is gone.
    Lost,
}
