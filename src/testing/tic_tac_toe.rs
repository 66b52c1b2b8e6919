//! Tic-tac-toe: the shortest model of a [`Game`].

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::game::{Game, Outcome, Side};
use crate::hints::SearchHints;

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

/// A text that is not a square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASquare(String);

impl fmt::Display for NotASquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a square: expected a number from 1 to 9", self.0)
    }
}

impl Error for NotASquare {}

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Square, NotASquare> {
        match text.parse() {
            Ok(number @ 1..=9) => Ok(Square(number - 1)),
            _ => Err(NotASquare(text.to_owned())),
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
