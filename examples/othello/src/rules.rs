//! The rules of Othello.

use std::fmt;
use std::str::FromStr;

use plyground::{Game, Outcome, SearchHints, Side};
use thiserror::Error;

/// The eight directions as shifts of a set of squares, with the squares that a disc may move to
/// without leaving the board at its left or right edge.
const DIRECTIONS: [(i32, u64); 8] = [
    (1, NOT_FIRST),
    (-1, NOT_LAST),
    (8, u64::MAX),
    (-8, u64::MAX),
    (9, NOT_FIRST),
    (-9, NOT_LAST),
    (7, NOT_LAST),
    (-7, NOT_FIRST),
];
const NOT_FIRST: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// A position of Othello. A square is the bit with the number `8 * row + column`, for every size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The discs of each side, a bit for every square.
    discs: [u64; 2],
    side: Side,
    size: u8,
}

/// A move: a disc on a square, or a pass, which is legal only when there is no other move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A disc on the square of this number, 8 times its row from the top and its column.
    Place(u8),
    /// The side to move has no square for a disc.
    Pass,
}

/// The error that a text is not a move.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected a square such as d3, or pass")]
pub struct NotAMove;

/// The reason that a move is illegal.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum IllegalMove {
    /// No disc turns, or the square has a disc already.
    #[error("{0}: no disc turns there")]
    Place(Move),
    /// There is another move.
    #[error("pass: there is another move")]
    Pass,
}

impl Position {
    /// Makes the start of a game on a board of `size` by `size` squares: 4, 6 or 8.
    #[must_use]
    pub fn new(size: u8) -> Position {
        let middle = size / 2;
        let bit = |column: u8, row: u8| 1 << (8 * row + column);
        let first = bit(middle, middle - 1) | bit(middle - 1, middle);
        let second = bit(middle - 1, middle - 1) | bit(middle, middle);
        Position { discs: [first, second], side: Side::First, size }
    }

    /// Makes the position with these discs, a bit for every square, in which `side` is to move.
    #[must_use]
    pub fn from_discs(size: u8, discs: [u64; 2], side: Side) -> Position {
        Position { discs, side, size }
    }

    /// Returns the side of the board in squares.
    #[must_use]
    pub fn size(&self) -> u8 {
        self.size
    }

    /// Returns the owner of the disc on a square, if there is one.
    #[must_use]
    pub fn disc(&self, square: u8) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.discs[side.index()] >> square & 1 == 1)
    }

    /// Returns the squares of `side`, a bit for every one.
    #[must_use]
    pub fn discs(&self, side: Side) -> u64 {
        self.discs[side.index()]
    }

    /// Returns the squares of the board, from left to right and from the top.
    pub fn squares(&self) -> impl Iterator<Item = u8> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| 8 * row + column))
    }

    fn empty(&self) -> u64 {
        let row = (1 << self.size) - 1;
        let board = (0..self.size).fold(0, |board, index| board | row << (8 * index));
        board & !(self.discs[0] | self.discs[1])
    }

    /// Returns the squares on which `side` may place a disc.
    #[must_use]
    pub fn places(&self, side: Side) -> u64 {
        let (own, other) = (self.discs(side), self.discs(side.other()));
        let run = |(shift, mask)| {
            let mut run = step(own, shift, mask) & other;
            for _ in 3..self.size {
                run |= step(run, shift, mask) & other;
            }
            step(run, shift, mask)
        };
        DIRECTIONS.into_iter().map(run).fold(0, |all, some| all | some) & self.empty()
    }

    /// Returns the discs that turn when the side to move places a disc on `square`.
    fn turned(&self, square: u8) -> u64 {
        let (own, other) = (self.discs(self.side), self.discs(self.side.other()));
        let run = |(shift, mask)| {
            let (mut run, mut next) = (0, step(1 << square, shift, mask));
            while next & other != 0 {
                run |= next;
                next = step(next, shift, mask);
            }
            if next & own != 0 { run } else { 0 }
        };
        DIRECTIONS.into_iter().map(run).fold(0, |all, some| all | some)
    }
}

fn step(squares: u64, shift: i32, mask: u64) -> u64 {
    let moved = if shift > 0 { squares << shift } else { squares >> -shift };
    moved & mask
}

impl Game for Position {
    type Move = Move;
    type IllegalMove = IllegalMove;

    const NAME: &'static str = "othello";

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.discs.map(|discs| discs.count_ones() as i32);
        let is_over = self.places(self.side) == 0 && self.places(self.side.other()) == 0;
        is_over.then_some(Outcome::Points { first, second })
    }

    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let mut places = self.places(self.side);
        let pass = (places == 0 && self.places(self.side.other()) != 0).then_some(Move::Pass);
        let placed = std::iter::from_fn(move || {
            let square = (places != 0).then(|| places.trailing_zeros() as u8)?;
            places &= places - 1;
            Some(Move::Place(square))
        });
        placed.chain(pass)
    }

    fn check_legal(&self, mv: Move) -> Result<(), IllegalMove> {
        match mv {
            _ if self.legal_moves().any(|legal| legal == mv) => Ok(()),
            Move::Place(_) => Err(IllegalMove::Place(mv)),
            Move::Pass => Err(IllegalMove::Pass),
        }
    }

    fn play_unchecked(&mut self, mv: Move) {
        if let Move::Place(square) = mv {
            let turned = self.turned(square);
            self.discs[self.side.index()] |= turned | 1 << square;
            self.discs[self.side.other().index()] &= !turned;
        }
        self.side = self.side.other();
    }

    fn key(&self) -> u64 {
        // Odd factors and shifts that mix all bits: equal keys are as rare as chance.
        let [own, other] = [self.side, self.side.other()].map(|side| self.discs(side));
        let mut key = own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.rotate_left(32);
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            key = (key ^ key >> 29).wrapping_add(other).wrapping_mul(factor);
        }
        key ^ key >> 32
    }

    /// Counts a pass for every disc: a disc takes a square, and at most every second move is a pass.
    fn plies_left(&self) -> Option<u32> {
        let empty = 2 * self.empty().count_ones();
        match (self.places(self.side), self.places(self.side.other())) {
            (0, 0) => Some(0),
            (0, _) => Some(empty),
            _ => Some(empty - 1),
        }
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(self.discs.map(|discs| discs.count_ones() as i32))
    }

    fn is_pass(&self, mv: Move) -> bool {
        mv == Move::Pass
    }
}

/// Gives a number for every square, and one for a pass. The search does not need the other hints.
impl SearchHints for Position {
    const MOVE_CODES: usize = 65;

    fn move_code(&self, mv: Move) -> usize {
        match mv {
            Move::Place(square) => square.into(),
            Move::Pass => 64,
        }
    }
}

/// Writes the rows from the top: X for a disc of the first side, O for a disc of the second.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in self.squares() {
            if square % 8 == 0 && square > 0 {
                writeln!(f)?;
            }
            f.write_str(self.disc(square).map_or(".", |side| ["X", "O"][side.index()]))?;
        }
        Ok(())
    }
}

/// Writes the column as a letter and the row as a number, as in `d3`; or `pass`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::Place(square) => {
                write!(f, "{}{}", char::from(b'a' + square % 8), square / 8 + 1)
            }
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl FromStr for Move {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Move, NotAMove> {
        match text.as_bytes() {
            b"pass" => Ok(Move::Pass),
            [column @ b'a'..=b'h', row @ b'1'..=b'8'] => {
                Ok(Move::Place(8 * (row - b'1') + column - b'a'))
            }
            _ => Err(NotAMove),
        }
    }
}
