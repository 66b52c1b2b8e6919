//! State files: a position as a short text, read with tolerance and written back with none of its
//! layout lost.
//!
//! A game gives the grid of its cells ([`GridFormat`]) and turns a [`Grid`] into a position; line
//! ends, blanks, faults with their places, and files are handled here.

mod file;
mod grid;
mod line_ends;
mod text;

pub use file::{ReadError, read_text};
pub use grid::{Grid, GridFormat};
pub use line_ends::LineEnds;
pub use text::{StateText, TextError};
