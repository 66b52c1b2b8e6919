//! A square of the board.

use std::fmt;

/// One of the 64 squares, the four dead corners included.
///
/// ```text
///      x 0  1  2  3  4  5  6  7
///  y 0   .  10 20 30 40 50 60 .     top row: a goal of Black
///    1   01 11 21 31 41 51 61 71
///    2   02 12 22 32 42 52 62 72
///    3   03 13 23 33 43 53 63 73    left and right column: the goals of White
///    4   04 14 24 34 44 54 64 74
///    5   05 15 25 35 45 55 65 75
///    6   06 16 26 36 46 56 66 76
///    7   .  17 27 37 47 57 67 .     bottom row: a goal of Black
/// ```
///
/// `Display` writes the two digits of the diagram, the column first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares of the board.
    pub const COUNT: usize = 64;

    /// The length of a row and of a column.
    pub const SIDE: u8 = 8;

    /// Returns the square in column `x`, counted from the left, and row `y`, counted from the top, both
    /// from 0; `None` beyond 7.
    #[must_use]
    pub const fn new(x: u8, y: u8) -> Option<Square> {
        if x < Self::SIDE && y < Self::SIDE { Some(Square(y * Self::SIDE + x)) } else { None }
    }

    /// Returns the square of this number, which is 8y + x; `None` from 64 on.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < Self::COUNT { Some(Square(index as u8)) } else { None }
    }

    /// Returns the square of the lowest set bit of `bits`, which must not be 0.
    #[inline]
    pub(crate) const fn lowest(bits: u64) -> Square {
        Square((bits.trailing_zeros() % Self::COUNT as u32) as u8)
    }

    /// Returns 8y + x: squares are numbered by rows from the top, and in each row from the left.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        // The remainder changes nothing; it shows the compiler that look-ups stay in bounds.
        self.0 as usize % Self::COUNT
    }

    /// Returns the column from 0 at the left to 7 at the right.
    #[inline]
    #[must_use]
    pub const fn x(self) -> u8 {
        self.0 % Self::SIDE
    }

    /// Returns the row from 0 at the top to 7 at the bottom.
    #[inline]
    #[must_use]
    pub const fn y(self) -> u8 {
        self.0 / Self::SIDE
    }

    /// Returns all squares in the order of [`Square::index`].
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + Clone {
        (0..Self::COUNT as u8).map(Square)
    }

    #[inline]
    pub(crate) const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.x(), self.y())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.x(), self.y())
    }
}
