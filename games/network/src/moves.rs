//! A move.

use std::fmt;
use std::str::FromStr;

use crate::notation::{Notation, NotationError};
use crate::square::Square;

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
