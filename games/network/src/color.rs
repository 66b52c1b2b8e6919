//! The two colors of chips, the rules of the two courses, and the players of USF's assignment.

use std::fmt;
use std::str::FromStr;

use plyground::Side;
use plyground_durable::excerpt;
use thiserror::Error;

use crate::moves::SquareSet;

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

/// A player of USF's game, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerNumber {
    /// The player that moves first, whose goals are the rows A and H.
    One = 1,
    /// The player whose goals are the columns 1 and 8.
    Two = 2,
}

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

    /// Returns the color that the player would have in Berkeley's game: the color with the same goals.
    #[must_use]
    pub const fn color(self) -> Color {
        match self {
            PlayerNumber::One => Rules::Usf.color(Side::First),
            PlayerNumber::Two => Rules::Usf.color(Side::Second),
        }
    }
}

/// Writes `1` or `2`.
impl fmt::Display for PlayerNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", *self as u8)
    }
}
