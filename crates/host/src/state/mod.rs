//! State files: a position as a short text, which is read with tolerance and written back in the same layout.
//!
//! A game supplies the grid of its cells ([`GridFormat`]), or rows of numbers and other words
//! ([`WordFormat`]), and turns them into a position; this module handles line ends, blanks, faults with their
//! places, and files.

mod grid;
mod text;
mod words;

pub use grid::{Grid, GridFormat};
pub use text::{LineEnds, ReadError, StateText, TextError, read_text};
pub use words::WordFormat;
