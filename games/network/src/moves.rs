//! The squares of the board, sets of squares, moves, and the notations of squares and moves.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Sub};
use std::str::FromStr;

use plyground_durable::excerpt;
use thiserror::Error;

/// The bits of the squares 00 to 07.
const LEFT_COLUMN: u64 = 0x0101_0101_0101_0101;

/// The bits of the squares 70 to 77.
const RIGHT_COLUMN: u64 = LEFT_COLUMN << 7;

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
        let sides = ((self.0 << 1) & !LEFT_COLUMN) | ((self.0 >> 1) & !RIGHT_COLUMN);
        let rows = self.0 | sides;
        SquareSet(sides | (rows << 8) | (rows >> 8))
    }

    /// Returns the squares where another chip would make a group of three with the chips of the set: it would
    /// have two neighbors of the set, or be the second neighbor of one.
    ///
    /// The set must not hold a group of three already. Counts of 1 and of 2 or more are kept as two
    /// bit planes, summed first along rows and then over three rows.
    #[inline]
    pub(crate) const fn crowded(self) -> SquareSet {
        let own = self.0;
        let left = (own << 1) & !LEFT_COLUMN;
        let right = (own >> 1) & !RIGHT_COLUMN;
        let (beside, both_sides) = (left | right, left & right);
        let (row_one, row_two) = (beside | own, both_sides | (beside & own));
        let (above, above_two) = (row_one << 8, row_two << 8);
        let (below, below_two) = (row_one >> 8, row_two >> 8);
        let one = beside | above | below;
        let two = both_sides
            | above_two
            | below_two
            | (beside & above)
            | (beside & below)
            | (above & below);

        let paired = own & one;
        let columns = paired | ((paired << 1) & !LEFT_COLUMN) | ((paired >> 1) & !RIGHT_COLUMN);
        SquareSet(two | columns | (columns << 8) | (columns >> 8))
    }

    /// Returns the first chip of the set, in the order of [`Square::index`], with two neighbors in the set, if
    /// there is one.
    pub(crate) fn crowded_chip(self) -> Option<Square> {
        self.iter().find(|&square| (SquareSet::EMPTY.with(square).neighbors() & self).len() >= 2)
    }

    /// Returns the group of three that a chip on `to` would make with the set, `to` first.
    pub(crate) fn group_with(self, to: Square) -> Option<[Square; 3]> {
        let near = |square| SquareSet::EMPTY.with(square).neighbors() & self;
        let mut beside = near(to).iter();
        let first = beside.next()?;
        let second = beside.next().or_else(|| near(first).without(to).iter().next())?;
        Some([to, first, second])
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

/// A move: a new chip, or a chip that goes elsewhere.
///
/// `Display` writes the canonical notation, `34` or `34-56`; `FromStr` reads it and the course's
/// `[add to 34]` and `[step from 34 to 56]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// Puts a chip from the hand on this square.
    Add(Square),
    /// Takes a chip from one square to another.
    Step {
        /// The square of the chip.
        from: Square,
        /// The square to which it goes.
        to: Square,
    },
}

impl Move {
    /// Makes a step from `from`, or an add if `from` is `None`.
    #[inline]
    #[must_use]
    pub const fn new(from: Option<Square>, to: Square) -> Move {
        match from {
            None => Move::Add(to),
            Some(from) => Move::Step { from, to },
        }
    }

    /// Returns the square on which a chip stands after the move and did not stand before.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        match self {
            Move::Add(to) | Move::Step { to, .. } => to,
        }
    }

    /// Returns the square that a step leaves; `None` for an add.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Option<Square> {
        match self {
            Move::Add(_) => None,
            Move::Step { from, .. } => Some(from),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Add(to) => write!(f, "{to}"),
            Move::Step { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Move, NotationError> {
        Notation::Berkeley.parse_move(text)
    }
}

/// A way to write squares and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `34`, `34-56`: column and row, both from 0, counted from the upper left corner. This is
    /// the canonical notation. The words of the course's programs, `[add to 34]` and
    /// `[step from 34 to 56]`, are read too.
    Berkeley,
    /// `A4`, `A4 B5`: a letter from A to H for the row from the top, a number from 1 to 8 for
    /// the column from the left.
    Usf,
}

/// The reason that a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// A square is named in the right form, but the board does not have it.
    #[error("square {square} is off the board")]
    OffBoard {
        /// The square as it was written.
        square: String,
    },
    /// The text does not have the form of a move.
    #[error("cannot read a move in `{}`: expected {expected}", excerpt(text))]
    Unreadable {
        /// The text, without blanks around it.
        text: String,
        /// The form that was expected.
        expected: &'static str,
    },
}

impl Notation {
    /// Reads a move. Blanks at either end are ignored.
    ///
    /// USF notation ignores the case of letters and blanks: `a4`, `A 4`, `A4B5`.
    ///
    /// # Errors
    ///
    /// Returns [`NotationError`] if the text is not a move on this board. The move may be illegal.
    pub fn parse_move(self, text: &str) -> Result<Move, NotationError> {
        let text = text.trim();
        let squares = match self {
            Notation::Berkeley => split_berkeley(text),
            Notation::Usf => split_usf(text),
        };
        let unreadable =
            || NotationError::Unreadable { text: text.to_owned(), expected: self.expected() };
        let (first, second) = squares.ok_or_else(unreadable)?;
        let first = self.square_from(&first)?;
        match second {
            None => Ok(Move::Add(first)),
            Some(second) => Ok(Move::Step { from: first, to: self.square_from(&second)? }),
        }
    }

    /// Returns the square as this notation writes it.
    #[must_use]
    pub fn write_square(self, square: Square) -> String {
        match self {
            Notation::Berkeley => square.to_string(),
            Notation::Usf => {
                format!("{}{}", char::from(FIRST_LETTER + square.y()), square.x() + 1)
            }
        }
    }

    /// Returns the move as this notation writes it.
    #[must_use]
    pub fn write_move(self, mv: Move) -> String {
        match (self, mv) {
            (Notation::Berkeley, mv) => mv.to_string(),
            (Notation::Usf, Move::Add(to)) => self.write_square(to),
            (Notation::Usf, Move::Step { from, to }) => {
                format!("{} {}", self.write_square(from), self.write_square(to))
            }
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            Notation::Berkeley => "a square such as `34`, or two such as `34-56`",
            Notation::Usf => "a position such as `A4`, or two such as `A4 B5`",
        }
    }

    /// Returns the square named by `name`, which has the form of the notation.
    fn square_from(self, name: &str) -> Result<Square, NotationError> {
        let square = match self {
            Notation::Berkeley => berkeley_square(name),
            Notation::Usf => usf_square(name),
        };
        square.ok_or_else(|| NotationError::OffBoard { square: name.to_owned() })
    }
}

const FIRST_LETTER: u8 = b'A';

/// One or two names of squares in the right form. The squares may be off the board.
type Names = (String, Option<String>);

fn split_berkeley(text: &str) -> Option<Names> {
    if let Some(words) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let words: Vec<&str> = words.split_whitespace().collect();
        return match words[..] {
            ["add", "to", to] => Some((two_digits(to)?, None)),
            ["step", "from", from, "to", to] => Some((two_digits(from)?, Some(two_digits(to)?))),
            _ => None,
        };
    }
    match text.split_once('-') {
        None => Some((two_digits(text)?, None)),
        Some((from, to)) => {
            Some((two_digits(from.trim_end())?, Some(two_digits(to.trim_start())?)))
        }
    }
}

fn two_digits(text: &str) -> Option<String> {
    (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}

fn berkeley_square(name: &str) -> Option<Square> {
    match name.as_bytes() {
        [x, y] => Square::new(x.checked_sub(b'0')?, y.checked_sub(b'0')?),
        _ => None,
    }
}

/// Cuts a text into one or two names, each a letter and the digits after it.
fn split_usf(text: &str) -> Option<Names> {
    let mut names: Vec<String> = Vec::new();
    for symbol in text.chars().filter(|symbol| !symbol.is_whitespace()) {
        if symbol.is_ascii_alphabetic() {
            names.push(symbol.to_ascii_uppercase().to_string());
        } else if symbol.is_ascii_digit() {
            names.last_mut()?.push(symbol);
        } else {
            return None;
        }
    }
    let complete = names.iter().all(|name| name.len() > 1);
    let mut names = names.into_iter();
    let (first, second) = (names.next()?, names.next());
    (complete && names.next().is_none()).then_some((first, second))
}

fn usf_square(name: &str) -> Option<Square> {
    let (letter, number) = name.as_bytes().split_first()?;
    let number: u8 = std::str::from_utf8(number).ok()?.parse().ok()?;
    Square::new(number.checked_sub(1)?, letter.checked_sub(FIRST_LETTER)?)
}
