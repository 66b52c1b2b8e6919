//! Books: exact values of early positions, with best moves.

pub(crate) use file::value_after;
pub use file::{Book, MAX_BYTES};
pub use format::{BookError, Entry, NotAnEntry};
pub use plan::{Coverage, Job, Plan, Shard};
pub use verify::{Inconsistency, check_relatives, positions};

mod file;
mod format;
mod plan;
mod verify;
