//! The two colors of chips, the players of USF's assignment, and moves.

use std::fmt;
use std::str::FromStr;

use plyground::Side;
use thiserror::Error;

use crate::board::{Square, SquareSet};
use crate::legal::Rules;
use crate::notation::{Notation, NotationError};

/// The color of a chip, and of the player who owns it.
///
/// A color stands for a pair of goals, not for a turn: the [`Rules`](crate::Rules) decide which color moves
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// The color that owns the left and the right column: player 2 of the USF game.
    White,
    /// The color that owns the top and the bottom row: player 1 of the USF game.
    Black,
}

impl Color {
    /// Both colors, in the order of [`Color::index`].
    pub const BOTH: [Color; 2] = [Color::White, Color::Black];

    /// Returns the opponent of this color.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// Returns 0 for White, 1 for Black: an index into arrays of two.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the two goals of this color: left and right for White, top and bottom for Black. Corners
    /// belong to no goal.
    #[inline]
    #[must_use]
    pub const fn goals(self) -> [SquareSet; 2] {
        match self {
            Color::White => [SquareSet::LEFT, SquareSet::RIGHT],
            Color::Black => [SquareSet::TOP, SquareSet::BOTTOM],
        }
    }

    /// Returns the 48 squares on which this color may put chips: its goals and the interior.
    #[inline]
    #[must_use]
    pub const fn territory(self) -> SquareSet {
        let [first, second] = self.goals();
        SquareSet(first.0 | second.0 | SquareSet::INTERIOR.0)
    }

    /// Returns `W` or `B`, as in state files.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'W',
            Color::Black => 'B',
        }
    }
}

/// Writes the name of the color: `White` or `Black`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::White => "White",
            Color::Black => "Black",
        })
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

/// A player of USF's game, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerNumber {
    /// The player that moves first, whose goals are the rows A and H.
    One = 1,
    /// The player whose goals are the columns 1 and 8.
    Two = 2,
}

/// The error that there is no player of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no player {0}: expected 1 or 2")]
pub struct NoSuchPlayer(u8);

impl PlayerNumber {
    /// Returns the number of the player of `side`.
    #[must_use]
    pub const fn of_side(side: Side) -> PlayerNumber {
        match side {
            Side::First => PlayerNumber::One,
            Side::Second => PlayerNumber::Two,
        }
    }

    /// Returns the number of the player of `color`.
    #[must_use]
    pub fn of_color(color: Color) -> PlayerNumber {
        PlayerNumber::of_side(Rules::Usf.side(color))
    }

    /// Returns the color that the player would have in Berkeley's game: the one with the same goals.
    #[must_use]
    pub const fn color(self) -> Color {
        match self {
            PlayerNumber::One => Rules::Usf.color(Side::First),
            PlayerNumber::Two => Rules::Usf.color(Side::Second),
        }
    }
}

impl TryFrom<u8> for PlayerNumber {
    type Error = NoSuchPlayer;

    fn try_from(number: u8) -> Result<PlayerNumber, NoSuchPlayer> {
        match number {
            1 => Ok(PlayerNumber::One),
            2 => Ok(PlayerNumber::Two),
            _ => Err(NoSuchPlayer(number)),
        }
    }
}

/// Writes `1` or `2`.
impl fmt::Display for PlayerNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", *self as u8)
    }
}
