//! The players of USF's game.

use std::fmt;

use plyground::Side;
use thiserror::Error;

use crate::color::Color;
use crate::rules::Rules;

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
