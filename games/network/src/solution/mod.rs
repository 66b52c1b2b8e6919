//! Solutions: what a color must answer to win, whatever the opponent does, and an independent
//! check of it.

mod check;
pub(crate) mod frame;
mod mirror;
mod opening;
mod opening_table;
pub(crate) mod replies;
mod strategy;

pub use check::{Checked, Gap, check};
pub use frame::Frame;
pub use mirror::{Chips, image_name};
pub use opening::{NotPlayable, Opening, Reply};
pub use opening_table::{OpeningResult, OpeningRow, opening_table, parse_opening_table};
pub use replies::{PAIRS, index};
pub use strategy::{Strategy, Unproven, letters_of_proof};

/// The first word of a strategy file.
const MAGIC: &str = "network-strategy";
