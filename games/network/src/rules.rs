//! The two assignments' rules.

use std::fmt;
use std::str::FromStr;

use plyground::Side;
use plyground_durable::excerpt;
use thiserror::Error;

use crate::color::Color;

/// The rules of one of the two assignments. They differ in the color that moves first and in the effect of
/// a move that completes a network for both players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// White moves first; a player that completes both networks loses.
    #[default]
    Berkeley,
    /// Black, who is player 1 and owns the top and bottom rows, moves first; a move that would
    /// complete both networks is illegal.
    Usf,
}

impl Rules {
    /// Both sets of rules, the default first.
    pub const BOTH: [Rules; 2] = [Rules::Berkeley, Rules::Usf];

    /// Returns the color that makes the first move of a game.
    #[inline]
    #[must_use]
    pub const fn first_color(self) -> Color {
        match self {
            Rules::Berkeley => Color::White,
            Rules::Usf => Color::Black,
        }
    }

    /// Returns the side that plays `color`.
    #[inline]
    #[must_use]
    pub fn side(self, color: Color) -> Side {
        if color == self.first_color() { Side::First } else { Side::Second }
    }

    /// Returns the color that `side` plays.
    #[inline]
    #[must_use]
    pub const fn color(self, side: Side) -> Color {
        match side {
            Side::First => self.first_color(),
            Side::Second => self.first_color().other(),
        }
    }
}

/// Writes `berkeley` or `usf`, as on the command line.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rules::Berkeley => "berkeley",
            Rules::Usf => "usf",
        })
    }
}

/// The error that a text names no rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown rules `{}`: expected `berkeley` or `usf`", excerpt(.0))]
pub struct UnknownRules(String);

impl FromStr for Rules {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Rules, UnknownRules> {
        let found = Rules::BOTH.into_iter().find(|rules| rules.to_string() == text);
        found.ok_or_else(|| UnknownRules(text.to_owned()))
    }
}
