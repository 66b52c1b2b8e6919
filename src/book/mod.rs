//! Books: exact values of early positions, with a best move for each.

mod checksum;
mod entry;
mod file;
mod journal;
mod plan;
mod verify;

pub use entry::Entry;
pub use file::{Book, BookError, MAX_BYTES};
pub use journal::{Journal, JournalError};
pub use plan::{Coverage, Job, Plan, Shard};
pub use verify::{Disagreement, check_relatives, positions};
