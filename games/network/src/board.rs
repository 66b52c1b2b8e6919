//! The board on the screen, its squares and sets of squares.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Not, Sub};

use anstyle::{Ansi256Color, Color as Paint, Style};
use plyground::{Game, Side};

use crate::color::{Color, Move};
use crate::position::Position;

/// Draws the board for a terminal. Without the escape sequences the text has the same information.
///
/// A chip is its color's letter, a goal its owner's small letter. Brackets are around the chip
/// that moved last, round ones around the square that it left, and stars around the chips of the
/// winning network.
pub(crate) fn draw(position: &Position, last: Option<Move>) -> String {
    let network = winning_network(position);
    let numbers: String = (0..Square::SIDE).map(|x| format!(" {x} ")).collect();
    let border = format!("   {}\n", numbers.trim_end());
    let mut text = border.clone();
    for y in 0..Square::SIDE {
        let mut row = format!(" {y} ");
        for square in (0..Square::SIDE).filter_map(|x| Square::new(x, y)) {
            let (style, cell) = cell(position, square, last, network);
            row += &format!("{style}{cell}{style:#}");
        }
        let note = note(position, last, y);
        let gap = if note.is_empty() { "" } else { "   " };
        text += &format!("{row} {y}{gap}{note}\n");
    }
    text += &border;
    text
}

/// Draws the board without escape sequences.
pub(crate) fn draw_plain(position: &Position) -> String {
    anstream::adapter::strip_str(&draw(position, None)).to_string()
}

/// Returns the chips of the network that won the game, if a network did.
fn winning_network(position: &Position) -> SquareSet {
    let winner = position.outcome().and_then(|outcome| outcome.winner());
    let network = winner.and_then(|side| position.network(position.rules().color(side)));
    network.into_iter().flatten().collect()
}

fn cell(
    position: &Position,
    square: Square,
    last: Option<Move>,
    network: SquareSet,
) -> (Style, String) {
    if SquareSet::CORNERS.contains(square) {
        return (Style::new(), "   ".to_owned());
    }
    let Some(color) = position.chip_at(square) else {
        let (style, symbol) = ground(square);
        let left = last.and_then(Move::from) == Some(square);
        return (style, if left { format!("({symbol})") } else { format!(" {symbol} ") });
    };
    let letter = color.letter();
    let wins = network.contains(square);
    let style = if wins { WINNING_CHIP } else { chip(color) };
    if last.map(Move::to) == Some(square) {
        (style.bold(), format!("[{letter}]"))
    } else if wins {
        (style, format!("*{letter}*"))
    } else {
        (style, format!(" {letter} "))
    }
}

/// Returns the style and the symbol of an empty square.
fn ground(square: Square) -> (Style, char) {
    let owner = Color::BOTH
        .into_iter()
        .find(|color| color.goals().into_iter().any(|goal| goal.contains(square)));
    match owner {
        Some(Color::White) => (paint(WHITE_GOAL_INK, WHITE_GOAL), 'w'),
        Some(Color::Black) => (paint(BLACK_GOAL_INK, BLACK_GOAL), 'b'),
        None if (square.x() + square.y()).is_multiple_of(2) => (paint(FIELD_INK, FIELD_LIGHT), '.'),
        None => (paint(FIELD_INK, FIELD_DARK), '.'),
    }
}

fn chip(color: Color) -> Style {
    match color {
        Color::White => paint(BLACK, WHITE),
        Color::Black => paint(WHITE, BLACK),
    }
}

// Colors of the terminal's palette of 256.
const WHITE: u8 = 231;
const BLACK: u8 = 16;
const GOLD: u8 = 220;
const FIELD_LIGHT: u8 = 108;
const FIELD_DARK: u8 = 71;
const FIELD_INK: u8 = 22;
const WHITE_GOAL: u8 = 152;
const WHITE_GOAL_INK: u8 = 67;
const BLACK_GOAL: u8 = 60;
const BLACK_GOAL_INK: u8 = 103;

const WINNING_CHIP: Style = paint(BLACK, GOLD).bold();

const fn paint(ink: u8, ground: u8) -> Style {
    Style::new()
        .fg_color(Some(Paint::Ansi256(Ansi256Color(ink))))
        .bg_color(Some(Paint::Ansi256(Ansi256Color(ground))))
}

/// Returns the note to the right of a row.
fn note(position: &Position, last: Option<Move>, y: u8) -> String {
    let hand = |color: Color| {
        let count = position.in_hand(color);
        let chips = color.letter().to_string().repeat(count);
        format!("{color}  {count:>2} in hand  {chips}").trim_end().to_owned()
    };
    let [first, second] = Side::BOTH.map(|side| position.rules().color(side));
    match y {
        1 => hand(first),
        2 => hand(second),
        4 => "w, b  goals of White, of Black".to_owned(),
        5 if last.is_some() => "[ ]   last move".to_owned(),
        6 if !winning_network(position).is_empty() => "* *   winning network".to_owned(),
        _ => String::new(),
    }
}

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
