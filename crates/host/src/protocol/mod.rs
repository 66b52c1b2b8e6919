#![doc = include_str!("../../../../docs/protocol.md")]

mod conformance;
mod engine;
mod line_player;
mod message;

pub use conformance::{Exchange, check_engine};
pub use engine::{InfoLines, serve};
pub use line_player::LinePlayer;
pub use message::{EngineMessage, ProgramInfo};

/// The version of the protocol. Older engines and referees ignore later additions; the version changes when
/// they cannot.
pub const VERSION: u32 = 1;

/// The word for the start of a game in place of a position.
const START: &str = "startpos";
