//! Toy games: tic-tac-toe, the shortest model of a [`Game`]; and coins in a row, with points, proven bounds,
//! mirror images, and end-of-game keys.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::game::{Game, Outcome, Side};
use crate::hints::SearchHints;
use crate::score::Bounds;
use crate::table::mix;

/// All squares, a bit each.
const FULL: u16 = 0b111_111_111;

/// The eight rows of three.
const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// A position of tic-tac-toe: the first side to have three squares in a row wins.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{Game, Outcome, Side};
///
/// let mut position = TicTacToe::default();
/// for text in ["1", "4", "2", "5", "3"] {
///     position.play(text.parse()?)?;
/// }
/// assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TicTacToe {
    /// The squares of each side, a bit each, indexed by [`Side::index`].
    marks: [u16; 2],
}

impl TicTacToe {
    fn has_row(self, side: Side) -> bool {
        LINES.iter().any(|line| self.marks[side.index()] & line == *line)
    }

    fn free(self) -> u16 {
        FULL & !(self.marks[0] | self.marks[1])
    }
}

/// A move: a square to mark, written 1 to 9, row by row from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square(u8);

impl Square {
    fn bit(self) -> u16 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0 + 1).fmt(f)
    }
}

/// A text that is not a move of a toy game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAMove {
    text: String,
    /// The kind of move, and what was expected.
    kind: &'static str,
}

impl NotAMove {
    pub(super) fn new(text: &str, kind: &'static str) -> NotAMove {
        NotAMove { text: text.to_owned(), kind }
    }
}

impl fmt::Display for NotAMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a {}", self.text, self.kind)
    }
}

impl Error for NotAMove {}

impl FromStr for Square {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Square, NotAMove> {
        match text.parse() {
            Ok(number @ 1..=9) => Ok(Square(number - 1)),
            _ => Err(NotAMove::new(text, "square: expected a number from 1 to 9")),
        }
    }
}

/// The reason that a square may not be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMark {
    /// One of the sides has it already.
    Taken(Square),
    /// The game is over.
    GameOver(Square),
}

impl fmt::Display for IllegalMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalMark::Taken(square) => write!(f, "square {square} is taken"),
            IllegalMark::GameOver(square) => {
                write!(f, "square {square} cannot be marked: the game is over")
            }
        }
    }
}

impl Error for IllegalMark {}

impl Game for TicTacToe {
    type Move = Square;
    type IllegalMove = IllegalMark;

    const NAME: &'static str = "tictactoe";

    fn side_to_move(&self) -> Side {
        let [first, second] = self.marks.map(u16::count_ones);
        if first == second { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that has just moved can have a new row.
        let last = self.side_to_move().other();
        if self.has_row(last) {
            Some(Outcome::Win(last))
        } else {
            (self.free() == 0).then_some(Outcome::Draw)
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Square> {
        let free = if self.outcome().is_some() { 0 } else { self.free() };
        (0..9).map(Square).filter(move |square| free & square.bit() != 0)
    }

    fn check_legal(&self, square: Square) -> Result<(), IllegalMark> {
        if self.free() & square.bit() == 0 {
            Err(IllegalMark::Taken(square))
        } else if self.outcome().is_some() {
            Err(IllegalMark::GameOver(square))
        } else {
            Ok(())
        }
    }

    fn play_unchecked(&mut self, square: Square) {
        self.marks[self.side_to_move().index()] |= square.bit();
    }

    fn key(&self) -> u64 {
        u64::from(self.marks[0]) << 16 | u64::from(self.marks[1])
    }

    fn plies_left(&self) -> Option<u32> {
        Some(self.free().count_ones())
    }
}

impl SearchHints for TicTacToe {
    const MOVE_CODES: usize = 9;

    fn move_code(&self, square: Square) -> usize {
        square.0.into()
    }
}

/// Writes three rows of `X` for the first side, `O` for the second and `.` for a free square.
impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for index in 0..9 {
            let [first, second] = self.marks.map(|marks| marks & Square(index).bit() != 0);
            let mark = match (first, second) {
                (true, _) => 'X',
                (_, true) => 'O',
                _ => '.',
            };
            let end = if index == 2 || index == 5 { "\n" } else { "" };
            write!(f, "{mark}{end}")?;
        }
        Ok(())
    }
}

/// A row of coins. A move takes one to three of them from either end; when all are gone, the
/// points decide. A coin with a negative value gives its points to the other side.
///
/// The same coins can be left after different numbers of moves and with different points made,
/// and a row read backwards is the same game.
///
/// ```
/// use plyground::Game;
/// use plyground::testing::Coins;
///
/// let mut coins = Coins::new(7, 5);
/// coins.play("R2".parse()?)?;
/// assert_eq!(coins.plies_left(), Some(3));
/// coins.play("L3".parse()?)?;
/// assert!(coins.outcome().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coins {
    values: [i8; Coins::MOST],
    /// The coins from `start` up to `end` are left.
    start: u8,
    end: u8,
    /// The points of each side, indexed by [`Side::index`].
    points: [i16; 2],
    side_to_move: Side,
}

/// The value of a coin is between minus and plus this.
const MOST_VALUE: i8 = 6;
/// The most coins that a move may take.
const MOST_TAKEN: u8 = 3;

impl Coins {
    /// The greatest number of coins.
    pub const MOST: usize = 16;

    /// Makes a row of `count` coins (at most [`MOST`](Coins::MOST)), with values that depend on the seed.
    #[must_use]
    pub fn new(seed: u64, count: u8) -> Coins {
        let range = 2 * MOST_VALUE as u64 + 1;
        let value = |index| (mix(seed, index as u64) % range) as i8 - MOST_VALUE;
        Coins {
            values: std::array::from_fn(value),
            start: 0,
            end: count.min(Coins::MOST as u8),
            points: [0, 0],
            side_to_move: Side::First,
        }
    }

    fn row(&self) -> &[i8] {
        &self.values[usize::from(self.start)..usize::from(self.end)]
    }

    /// Returns true if the row is in its canonical direction.
    fn is_canonical(&self) -> bool {
        self.row().iter().le(self.row().iter().rev())
    }

    /// Returns the sum of the coins that `take` takes, which must be there.
    pub(super) fn worth(&self, take: Take) -> i32 {
        sum(self.taken(take))
    }

    /// Leaves the turn to the other side.
    pub(super) fn turn_over(&mut self) {
        self.side_to_move = self.side_to_move.other();
    }

    /// Returns the coins that `take` takes, which must be there.
    fn taken(&self, take: Take) -> &[i8] {
        let (row, count) = (self.row(), usize::from(take.count));
        match take.end {
            End::Left => &row[..count],
            End::Right => &row[row.len() - count..],
        }
    }

    /// Returns the result of best play of a row of fewer than three coins, less the margin so far.
    pub(super) fn short_result(&self) -> Option<i32> {
        match *self.row() {
            [] => Some(0),
            [last] => Some(last.into()),
            [left, right] => {
                let (left, right) = (i32::from(left), i32::from(right));
                Some((left + right).max((left - right).abs()))
            }
            _ => None,
        }
    }
}

fn sum(coins: &[i8]) -> i32 {
    coins.iter().map(|&value| i32::from(value)).sum()
}

/// An end of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The start of the row.
    Left,
    /// The end of the row.
    Right,
}

/// A move: an end of the row and the number of coins to take there, written `L1` to `R3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Take {
    end: End,
    /// The number of coins, from 1 to 3.
    count: u8,
}

impl Take {
    fn all() -> impl Iterator<Item = Take> {
        [End::Left, End::Right]
            .into_iter()
            .flat_map(|end| (1..=MOST_TAKEN).map(move |count| Take { end, count }))
    }
}

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.end == End::Left { 'L' } else { 'R' };
        write!(f, "{end}{}", self.count)
    }
}

impl FromStr for Take {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Take, NotAMove> {
        let kind = "move: expected L or R and a number from 1 to 3";
        let found = Take::all().find(|take| take.to_string() == text);
        found.ok_or_else(|| NotAMove::new(text, kind))
    }
}

/// The error that a move takes more coins than are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CannotTake {
    take: Take,
    left: u8,
}

impl fmt::Display for CannotTake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CannotTake { take, left } = self;
        write!(f, "{take} takes more coins than the {left} that are left")
    }
}

impl Error for CannotTake {}

impl Game for Coins {
    type Move = Take;
    type IllegalMove = CannotTake;

    const NAME: &'static str = "coins";

    fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.points.map(i32::from);
        self.row().is_empty().then_some(Outcome::Points { first, second })
    }

    fn legal_moves(&self) -> impl Iterator<Item = Take> {
        let left = self.end - self.start;
        Take::all().filter(move |take| take.count <= left)
    }

    fn check_legal(&self, take: Take) -> Result<(), CannotTake> {
        let left = self.end - self.start;
        if take.count <= left { Ok(()) } else { Err(CannotTake { take, left }) }
    }

    fn play_unchecked(&mut self, take: Take) {
        let (gain, loss) = self.taken(take).iter().fold((0, 0), |(gain, loss), &value| {
            let value = i16::from(value);
            (gain + value.max(0), loss + (-value).max(0))
        });
        self.points[self.side_to_move.index()] += gain;
        self.points[self.side_to_move.other().index()] += loss;
        match take.end {
            End::Left => self.start += take.count,
            End::Right => self.end -= take.count,
        }
        self.turn_over();
    }

    fn key(&self) -> u64 {
        let hash = |hash, &value: &i8| mix(hash, value as u64);
        // The hash begins with the length, because zero mixed with coins of value zero is zero again.
        let length = self.row().len() as u64;
        if self.is_canonical() {
            self.row().iter().fold(length, hash)
        } else {
            self.row().iter().rev().fold(length, hash)
        }
    }

    fn margin(&self) -> i32 {
        let [mine, theirs] =
            [self.side_to_move, self.side_to_move.other()].map(|side| self.points[side.index()]);
        i32::from(mine) - i32::from(theirs)
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(self.points.map(i32::from))
    }

    fn plies_left(&self) -> Option<u32> {
        Some(u32::from(self.end - self.start))
    }
}

impl SearchHints for Coins {
    const MOVE_CODES: usize = 2 * MOST_TAKEN as usize;

    /// Returns a key of the result for rows of at most two coins.
    fn end_of_game_key(&self) -> u64 {
        self.short_result().map_or_else(|| self.key(), |result| mix(u64::MAX, result as u64))
    }

    fn move_code(&self, take: Take) -> usize {
        let end = if take.end == End::Left { 0 } else { MOST_TAKEN };
        usize::from(end + take.count - 1)
    }

    fn canonical_code(&self, code: usize) -> usize {
        let other_end = (code + usize::from(MOST_TAKEN)) % Self::MOVE_CODES;
        if self.is_canonical() { code } else { other_end }
    }

    /// Returns bounds from a look one move ahead: one side then gets all remaining coins.
    fn bounds(&self) -> Bounds {
        let margin = self.margin();
        let limits = self.legal_moves().map(|take| {
            let gain = margin + self.worth(take);
            let rest: i32 = self.after(take).row().iter().map(|value| i32::from(value.abs())).sum();
            (gain - rest, gain + rest)
        });
        let (lower, upper) = limits
            .reduce(|(lower, upper), (low, high)| (lower.max(low), upper.max(high)))
            .unwrap_or((margin, margin));
        Bounds::points(lower, upper)
    }
}

/// Writes the values of the coins left, and the points of both sides.
impl fmt::Display for Coins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.points;
        write!(f, "{:?}, {first} to {second}", self.row())
    }
}
