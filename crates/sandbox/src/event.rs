//! What a host learns about a program.

use crate::end::ProcessEnd;

/// What a host learns about a program from its supervisor.
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
