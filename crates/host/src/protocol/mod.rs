#![doc = include_str!("../../../../docs/protocol.md")]

mod engine;
mod line_player;
mod message;

pub use engine::serve;
pub use line_player::LinePlayer;

/// Stands for the start of a game in place of a position.
const START: &str = "startpos";
