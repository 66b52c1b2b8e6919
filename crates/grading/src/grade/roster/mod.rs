//! The students who handed the submissions in, and the times.

mod line;
mod matching;
mod table;

pub use line::{RosterError, RosterLine, late_by, lateness, parse_time, submitted};
pub use matching::Matched;
pub use table::Roster;
