//! Boards of numbers.

use std::fmt::{Display, Write};

use network::Square;

/// Returns a board under a heading, with the text of `cell` for every square in three characters.
pub(crate) fn chart<T: Display>(heading: &str, cell: impl Fn(Square) -> T) -> String {
    let mut text = format!("\n{heading}:\n   ");
    (0..Square::SIDE).for_each(|x| text += &format!("{x:>3}"));
    for square in Square::all() {
        if square.x() == 0 {
            // Writing to a string does not fail.
            let _ = write!(text, "\n{:>3}", square.y());
        }
        let _ = write!(text, "{:>3}", cell(square));
    }
    text + "\n"
}
