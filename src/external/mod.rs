#![doc = include_str!("PROTOCOL.md")]

mod limits;

pub use limits::{DEFAULT_WALL, ProcessLimits};
