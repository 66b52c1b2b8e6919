//! Max-Connect4: two players drop pieces into a grid until it is full, and score a point for
//! every four in a row.

pub mod bounds;
pub mod eval;
mod key;
mod pairing;
pub mod position;
pub mod quads;
pub mod state;

pub use eval::OpenQuads;
pub use position::{Column, IllegalMove, Position, Size};
pub use state::{format_state, parse_state};
