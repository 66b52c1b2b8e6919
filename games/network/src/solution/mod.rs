//! The solved opening: what White answers to every reply, whatever the orientation of the board.

mod frame;
mod mirror;
mod replies;

pub use frame::Frame;
pub use mirror::{Chips, Mirror, canonical, image_name};
pub use replies::{PAIRS, answer, index};
