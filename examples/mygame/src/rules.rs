//! The rules: three in a row on three by three squares, until yours take their place.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use plyground::{Game, Outcome, SearchHints, Side};

/// The number of columns, and of rows.
pub const SIZE: u8 = 3;

/// The rows that win, a bit for every square.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// A position: small, and without anything that the rules do not need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The squares of each side, a bit for every square, row by row from the top.
    squares: [u16; 2],
    side_to_move: Side,
}

/// A move: a square, `SIZE` times its row from the top and its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(pub u8);

/// The error that a text is not a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAMove;

/// The reason that a move is illegal: the square is taken, or the game is over. It contains the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Illegal(Move);

impl Position {
    /// Makes the position with these squares of each side, and the side to move of a state file.
    #[must_use]
    pub fn new(squares: [u16; 2], side_to_move: Side) -> Position {
        Position { squares, side_to_move }
    }

    /// Returns the number of empty squares.
    fn empty_squares(&self) -> u32 {
        u32::from(SIZE * SIZE) - self.squares.map(u16::count_ones).iter().sum::<u32>()
    }

    /// Returns the owner of a square, if it has one.
    #[must_use]
    pub fn owner(&self, square: u8) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.squares[side.index()] >> square & 1 == 1)
    }

    fn has_won(&self, side: Side) -> bool {
        LINES.iter().any(|line| self.squares[side.index()] & line == *line)
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::new([0; 2], Side::First)
    }
}

impl Game for Position {
    type Move = Move;
    type IllegalMove = Illegal;

    const NAME: &'static str = "mygame";

    fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(winner) = Side::BOTH.into_iter().find(|&side| self.has_won(side)) {
            return Some(Outcome::Win(winner));
        }
        (self.empty_squares() == 0).then_some(Outcome::Draw)
    }

    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        (0..SIZE * SIZE).map(Move).filter(|&mv| self.check_legal(mv).is_ok())
    }

    fn check_legal(&self, mv: Move) -> Result<(), Illegal> {
        let is_legal = self.owner(mv.0).is_none() && self.outcome().is_none();
        if is_legal { Ok(()) } else { Err(Illegal(mv)) }
    }

    fn play_unchecked(&mut self, mv: Move) {
        self.squares[self.side_to_move.index()] |= 1 << mv.0;
        self.side_to_move = self.side_to_move.other();
    }

    /// Returns a key of all that the rules look at, because equal keys mean the same future.
    fn key(&self) -> u64 {
        let squares = u64::from(self.squares[0]) << 16 | u64::from(self.squares[1]);
        squares << 1 | self.side_to_move.index() as u64
    }

    fn plies_left(&self) -> Option<u32> {
        Some(self.empty_squares())
    }
}

impl SearchHints for Position {
    const MOVE_CODES: usize = (SIZE * SIZE) as usize;

    fn move_code(&self, mv: Move) -> usize {
        mv.0.into()
    }
}

/// Writes the rows from the top.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in 0..SIZE * SIZE {
            if square % SIZE == 0 && square > 0 {
                writeln!(f)?;
            }
            f.write_str(self.owner(square).map_or(".", |side| ["X", "O"][side.index()]))?;
        }
        Ok(())
    }
}

/// Writes the column as a letter and the row as a number, as in `b2`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.0 % SIZE), self.0 / SIZE + 1)
    }
}

impl FromStr for Move {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Move, NotAMove> {
        let &[column, row] = text.as_bytes() else { return Err(NotAMove) };
        let (column, row) = (column.wrapping_sub(b'a'), row.wrapping_sub(b'1'));
        if column < SIZE && row < SIZE { Ok(Move(SIZE * row + column)) } else { Err(NotAMove) }
    }
}

impl fmt::Display for NotAMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a square such as b2")
    }
}

impl Error for NotAMove {}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the square is taken, or the game is over", self.0)
    }
}

impl Error for Illegal {}
