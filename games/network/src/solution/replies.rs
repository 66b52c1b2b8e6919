//! The answers to every pair of replies to the opening of the solution, as a table.

use super::Frame;
use crate::color::Color;
use crate::square::Square;
use crate::squares::SquareSet;

/// A byte for each pair of squares of Black, in the order of [`index`]: the number of White's
/// square, for the chips 03 and 73. `network solve --strategy OUT --book FILE`
/// wrote it.
static ANSWERS: &[u8] = include_bytes!("replies.bin");

/// The number of pairs of Black's squares.
pub const PAIRS: usize = BLACK_SQUARES * (BLACK_SQUARES - 1) / 2;

/// The squares on which Black may put chips.
const BLACK_SQUARES: usize = Color::Black.territory().len();

/// Returns White's answer, turned, to two chips of Black after the opening.
pub fn answer(frame: &Frame) -> Option<Square> {
    let byte = *ANSWERS.get(index(frame.others())?)?;
    Square::from_index(byte.into()).filter(|&square| !SquareSet::CORNERS.contains(square))
}

/// Returns the place of a pair of Black's chips in the table: pairs in the order of their higher, then of
/// their lower square. `None` unless there are two chips.
#[must_use]
pub fn index(pair: SquareSet) -> Option<usize> {
    let rank = |square: Square| (Color::Black.territory().0 & (square.bit() - 1)).count_ones();
    let mut squares = pair.iter().map(|square| rank(square) as usize);
    let (low, high) = (squares.next()?, squares.next()?);
    squares.next().is_none().then_some(high * (high.saturating_sub(1)) / 2 + low)
}
