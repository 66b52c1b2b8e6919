//! Solutions: what a color must answer to win, whatever the opponent does, and an independent
//! check of it.

mod check;
pub(crate) mod frame;
mod opening;
pub(crate) mod replies;
mod strategy;

pub use check::{Checked, Gap, check};
pub use frame::Frame;
pub use opening::{NotPlayable, positions_after};
pub use replies::{PAIRS, index};
pub use strategy::{Strategy, Unproven};

/// The first word of a strategy file, of its only line that is not a position with its answer.
const MAGIC: &str = "network-strategy";
