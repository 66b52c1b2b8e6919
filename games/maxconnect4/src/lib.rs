//! Max-Connect4: two players drop pieces into a grid until it is full, and score a point for
//! every four in a row.
//!
//! [`Position`] has the rules and [`OpenQuads`] judges positions, both for the engine. [`game`]
//! puts them behind text, with everything that commands, players and the page need.

pub mod bounds;
mod cells;
mod column;
pub mod eval;
mod hints;
mod key;
mod page;
mod pairing;
pub mod position;
mod program;
pub mod quads;
mod rules;
mod size;
mod starters;
pub mod state;
mod two_columns;
mod ways;

pub use column::{Column, NotAColumn};
pub use eval::OpenQuads;
pub use position::Position;
pub use program::{MaxConnect4, game};
pub use rules::IllegalMove;
pub use size::{NotASize, Size};
pub use state::{format_state, parse_state};
