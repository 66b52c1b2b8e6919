//! Work that is cut into pieces and shared by any number of processes, on any number of computers,
//! by way of a folder.
//!
//! A [`WorkFolder`] is all that the processes share. It may be on a network file system: nothing depends on
//! locks, on files that are replaced while others read them, or on clocks that agree.
//!
//! * A process takes a piece by creating the file of a new claim, in which only one of several processes can
//!   succeed.
//! * A living process appends to a file of its own again and again. A process that has seen no change of
//!   another's file for a while, by its own clock, takes the claim of the next generation.
//! * The result of a piece is linked to its name when it is whole and on the disk. If a piece is done twice,
//!   because a living process was taken for dead, the first result stays.
//!
//! A process may therefore be killed, restarted or started twice at any moment, and nothing is lost or
//! counted twice. [`work_through`] does pieces until there are none; [`WorkStatus`] reports the progress of
//! the work.

mod drive;
mod folder;
mod heartbeat;
mod queue;
#[cfg(test)]
mod simulation;

pub use drive::{
    FailedPiece, TaskStatus, WorkEvent, WorkOptions, WorkReport, WorkStatus, one_at_a_time,
    work_through,
};
pub use folder::{PieceError, Published, WorkError, WorkFolder, piece_name};
pub use heartbeat::TaskName;
pub use queue::{NextPiece, WorkQueue, Workload};
