#![doc = include_str!("../../../../docs/protocol.md")]

mod conformance;
mod engine;
mod line_player;
mod message;
mod read_ahead;

pub use conformance::{Exchange, check_engine};
pub use engine::{InfoLines, serve};
pub use line_player::LinePlayer;
pub use message::{EngineMessage, ProgramInfo, VERSION};
