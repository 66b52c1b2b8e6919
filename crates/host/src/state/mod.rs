//! State files: a position as a short text, which is read with tolerance and written back in the same layout.
//!
//! A game supplies the grid of its cells ([`GridFormat`]) and turns a [`Grid`] into a position; this module
//! handles line ends, blanks, faults with their places, and files.

mod grid;
mod text;

pub use grid::{Grid, GridFormat};
pub use text::{LineEnds, ReadError, StateText, TextError, read_text};
