//! Books: exact values of early positions, with a best move for each.

mod entry;
mod file;
mod plan;
mod verify;

pub use entry::{Entry, NotAnEntry};
pub use file::{Book, BookError, MAX_BYTES};
pub use plan::{Coverage, Job, Plan, Shard};
pub use verify::{Inconsistency, check_relatives, positions};
