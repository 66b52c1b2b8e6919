//! Books: exact values of early positions, with best moves.

mod early;
mod entry;
mod error;
mod file;
mod format;
mod plan;
mod verify;

pub use entry::{Entry, NotAnEntry};
pub use error::BookError;
pub(crate) use file::value_after;
pub use file::{Book, MAX_BYTES};
pub use plan::{Coverage, Job, Plan, Shard};
pub use verify::{Inconsistency, check_relatives, positions};
