//! State files: a position as a short text, which is read with tolerance and written back in the same layout.
//!
//! A game supplies the grid of its cells ([`GridFormat`]) and turns a [`Grid`] into a position; this module
//! handles line ends, blanks, faults with their places, and files.

mod file;
mod grid;
mod line_ends;
mod text;

pub use file::{ReadError, read_text};
pub use grid::{Grid, GridFormat};
pub use line_ends::LineEnds;
pub use text::{StateText, TextError};
