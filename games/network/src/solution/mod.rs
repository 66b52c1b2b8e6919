//! The solved opening: White's answer to every reply, in any orientation of the board.

mod frame;
mod mirror;
mod replies;

pub use frame::Frame;
pub use mirror::{Chips, Mirror, canonical, image_name};
pub use replies::{PAIRS, answer, index};
