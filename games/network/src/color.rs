//! The two colors of chips.

use std::fmt;

use crate::squares::SquareSet;

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
