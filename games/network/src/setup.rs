//! The errors of chips that cannot be set up as a position.

use thiserror::Error;

use crate::color::Color;
use crate::square::Square;

/// The reason that chips are not a position of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// Two chips share a square.
    #[error("two chips on {square}")]
    TwoChips {
        /// The square.
        square: Square,
    },
    /// A chip in one of the four dead corners.
    #[error("a chip in the corner {square}: corners are empty")]
    Corner {
        /// The corner.
        square: Square,
    },
    /// A chip in a goal of the opponent.
    #[error("a chip of {color} on {square}, in a goal of {}: expected {} or none", color.other(), color.other())]
    OpponentGoal {
        /// The square.
        square: Square,
        /// The color of the chip.
        color: Color,
    },
    /// More chips of a color than a player has.
    #[error("{count} chips of {color}: expected at most {}", crate::Position::CHIPS)]
    TooManyChips {
        /// The first square, row by row, that is one too many.
        square: Square,
        /// The color of the chips.
        color: Color,
        /// The number of chips.
        count: usize,
    },
    /// A chip with two or more neighbors of its own color.
    #[error("the chip of {color} on {square} has two neighbors of its color: expected at most one")]
    GroupOfThree {
        /// The first chip, row by row, that has too many.
        square: Square,
        /// The color of the chips.
        color: Color,
    },
}

impl SetupError {
    /// Returns the square that shows the fault.
    #[must_use]
    pub const fn square(&self) -> Square {
        match *self {
            SetupError::TwoChips { square }
            | SetupError::Corner { square }
            | SetupError::OpponentGoal { square, .. }
            | SetupError::TooManyChips { square, .. }
            | SetupError::GroupOfThree { square, .. } => square,
        }
    }
}
