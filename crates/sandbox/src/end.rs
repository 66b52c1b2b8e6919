//! The end of a program, and the events that a host learns of before.

use serde::{Deserialize, Serialize};

/// The end of the processes of a program.
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
    /// The OS refused what was needed to start or supervise the program, for this reason. The program
    /// is not to blame.
    System(String),
    /// The program closed its standard output, and the supervisor killed it.
    ClosedOutput,
    /// The supervisor killed the processes for using too much CPU time.
    CpuLimit,
    /// The supervisor killed the processes for taking too long.
    WallLimit,
    /// The time was over, but others kept the program from running: its processes waited this much
    /// longer for a processor than they ran. The program is not to blame.
    Starved(std::time::Duration),
    /// The supervisor killed the processes for occupying too much memory.
    MemoryLimit,
    /// The supervisor killed the processes for printing or writing too much.
    OutputLimit,
    /// The supervisor killed the processes for being too many.
    Processes,
    /// The supervisor killed the processes because it could not look at all that they hold.
    Hidden,
    /// The supervisor killed the processes because they ran when they had to stand still.
    NotStill,
    /// The supervisor killed the processes because the host no longer needs them.
    Dismissed,
    /// The supervisor itself is gone. The program is not to blame.
    Lost,
}

/// An event that a host learns of from the supervisor of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessEvent {
    /// The program printed a line that begins with a keyword of
    /// [`Launch::talking`](crate::Launch::talking).
    Line(String),
    /// The supervisor has ended the turn and measured its CPU time.
    TurnEnded,
    /// The program has ended, and all its processes are gone.
    Ended(ProcessEnd),
}
