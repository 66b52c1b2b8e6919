//! The facts that were known of a position when it was made.

use crate::color::Color;
use crate::square::Square;

/// The facts that were known of a position when it was made. They only save work: all of them follow from
/// the chips and the turn, or are left open, and equality ignores them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hints {
    /// The colors that may have a network, as bits numbered by [`Color::index`].
    suspects: u8,
    /// If true, the player to move may be without a legal move.
    may_be_stuck: bool,
    /// If true, the player to move is known to have no add that completes a network.
    is_harmless: bool,
    /// The chip without which no add of the player who is not to move completes their network.
    key_chip: Option<Square>,
}

impl Hints {
    /// The hints of a position of which nothing is known.
    pub(crate) const NONE: Hints = Hints { suspects: 0b11, ..Hints::STUCK };

    /// The hints of a position in which neither player has a network.
    const STUCK: Hints = Hints { may_be_stuck: true, ..Hints::SETTLED };

    /// The hints of a position in which neither player has a network and the player to move has a legal
    /// move.
    pub(crate) const SETTLED: Hints =
        Hints { suspects: 0, may_be_stuck: false, is_harmless: false, key_chip: None };

    /// Returns the hints after any move of `mover` that cannot complete a network of the opponent.
    #[inline(always)]
    pub(crate) const fn after(mover: Color) -> Hints {
        Hints::STUCK.with_suspect(mover)
    }

    /// Returns the same hints, except that `color` may have a network.
    #[inline(always)]
    pub(crate) const fn with_suspect(self, color: Color) -> Hints {
        Hints { suspects: self.suspects | 1 << color.index(), ..self }
    }

    /// Returns the same hints, except that the player to move may be without a legal move.
    #[inline(always)]
    pub(crate) const fn perhaps_stuck(self) -> Hints {
        Hints { may_be_stuck: true, ..self }
    }

    /// Returns the same hints for a position where the player to move has no add that completes their
    /// network.
    #[inline(always)]
    pub(crate) const fn harmless(self) -> Hints {
        Hints { is_harmless: true, ..self }
    }

    /// Returns the same hints for a position where no add of the player who is not to move completes their
    /// network without this chip of theirs.
    #[inline(always)]
    pub(crate) const fn with_key_chip(self, square: Square) -> Hints {
        Hints { key_chip: Some(square), ..self }
    }

    /// Returns true if `color` may have a network.
    #[inline(always)]
    pub(crate) const fn suspects(self, color: Color) -> bool {
        self.suspects & 1 << color.index() != 0
    }

    /// Returns true if the player to move may be without a legal move.
    #[inline(always)]
    pub(crate) const fn may_be_stuck(self) -> bool {
        self.may_be_stuck
    }

    /// Returns true if the player to move is known to have no add that completes a network.
    #[inline(always)]
    pub(crate) const fn is_harmless(self) -> bool {
        self.is_harmless
    }

    /// Returns the chip without which no add of the player who is not to move completes their network, if
    /// one is known.
    #[inline(always)]
    pub(crate) const fn key_chip(self) -> Option<Square> {
        self.key_chip
    }
}
