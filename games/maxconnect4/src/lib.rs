//! Max-Connect4: two players drop pieces into a grid until it is full, and score a point for
//! every four in a row.
//!
//! [`Position`] has the rules and [`OpenQuads`] judges positions, both for the engine. [`game`]
//! puts them behind text, with everything that commands, players and the page need.

mod adapter;
pub mod bounds;
mod cells;
pub mod eval;
pub mod position;
mod quads;
mod state;
mod ways;

pub use adapter::{MaxConnect4, game};
pub use cells::{Column, NotAColumn, NotASize, Size};
pub use eval::OpenQuads;
pub use position::{IllegalMove, Position};
pub use state::{format_state, parse_state};
