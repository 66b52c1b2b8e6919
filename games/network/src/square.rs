//! The squares of the board, and sets of squares.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Not, Sub};

/// A set of squares: bit `8y + x` stands for the square `xy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SquareSet(pub(crate) u64);

impl SquareSet {
    /// The empty set.
    pub const EMPTY: SquareSet = SquareSet(0);
    /// The four dead corners.
    pub const CORNERS: SquareSet = SquareSet(0x8100_0000_0000_0081);
    /// Black's upper goal: 10 to 60.
    pub const TOP: SquareSet = SquareSet(0x0000_0000_0000_007E);
    /// Black's lower goal: 17 to 67.
    pub const BOTTOM: SquareSet = SquareSet(0x7E00_0000_0000_0000);
    /// White's left goal: 01 to 06.
    pub const LEFT: SquareSet = SquareSet(0x0001_0101_0101_0100);
    /// White's right goal: 71 to 76.
    pub const RIGHT: SquareSet = SquareSet(0x0080_8080_8080_8000);
    /// The 36 squares that are not on the border.
    pub const INTERIOR: SquareSet = SquareSet(0x007E_7E7E_7E7E_7E00);
    /// The 16 squares in the middle: x and y from 2 to 5.
    pub const CENTER: SquareSet = SquareSet(0x0000_3C3C_3C3C_0000);

    /// Returns true if `square` belongs to the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// Returns the number of squares in the set.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if the set holds no square.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the set with `square` in it.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> SquareSet {
        SquareSet(self.0 | square.bit())
    }

    /// Returns the set with `square` not in it.
    #[inline]
    #[must_use]
    pub const fn without(self, square: Square) -> SquareSet {
        SquareSet(self.0 & !square.bit())
    }

    /// Returns the neighbors of the squares in the set, up to eight for each, side by side or corner to
    /// corner.
    #[must_use]
    pub const fn neighbors(self) -> SquareSet {
        const LEFT_COLUMN: u64 = 0x0101_0101_0101_0101;
        const RIGHT_COLUMN: u64 = LEFT_COLUMN << 7;
        let sides = ((self.0 << 1) & !LEFT_COLUMN) | ((self.0 >> 1) & !RIGHT_COLUMN);
        let rows = self.0 | sides;
        SquareSet(sides | (rows << 8) | (rows >> 8))
    }

    /// Returns the squares of the set in the order of [`Square::index`].
    #[inline]
    #[must_use]
    pub const fn iter(self) -> Squares {
        Squares(self.0)
    }
}

/// The squares of a [`SquareSet`], in the order of [`Square::index`].
#[derive(Clone, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::lowest(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        self.iter()
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> SquareSet {
        squares.into_iter().fold(SquareSet::EMPTY, SquareSet::with)
    }
}

impl BitAnd for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & other.0)
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 | other.0)
    }
}

impl BitXor for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitxor(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 ^ other.0)
    }
}

impl Sub for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn sub(self, other: SquareSet) -> SquareSet {
        SquareSet(self.0 & !other.0)
    }
}

impl Not for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn not(self) -> SquareSet {
        SquareSet(!self.0)
    }
}

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
