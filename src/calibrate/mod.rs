//! Calibration: the greatest depth at which a program moves within a limit.
//!
//! Unlike the runtime tables of [`timing`](crate::timing), which are of our own searches, this
//! works with any [`Player`](crate::player::Player) that can be told how many plies to look ahead, and over many
//! positions: the slowest move of a game is seldom the first.

mod measure;
mod row;
mod sample;

pub(crate) use measure::set_up;
pub use measure::{End, Plan, calibrate};
pub use row::{COLUMNS, Row, csv};
pub use sample::sample;
