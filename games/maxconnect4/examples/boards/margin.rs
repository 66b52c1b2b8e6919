//! The proven limits of a margin.

use std::fmt;

use plyground::{Bounds, Score};

/// The least and the most points that a margin can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Margin {
    pub(crate) least: i32,
    pub(crate) most: i32,
}

impl Margin {
    /// Nothing is known, for either player.
    pub(crate) const ANY: Margin = Margin { least: -i32::MAX, most: i32::MAX };

    pub(crate) fn of(bounds: Bounds) -> Margin {
        let [lower, upper] = [bounds.lower, bounds.upper].map(Score::get);
        Margin { least: -(-lower).div_euclid(Score::POINT), most: upper.div_euclid(Score::POINT) }
    }

    pub(crate) fn is_exact(self) -> bool {
        self.least == self.most
    }

    /// Returns `true` if no margin is within both limits.
    pub(crate) fn contradicts(self, other: Margin) -> bool {
        self.least > other.most || other.least > self.most
    }

    /// Returns `true` if `other` follows from this margin.
    pub(crate) fn is_within(self, other: Margin) -> bool {
        self.least >= other.least && self.most <= other.most
    }

    /// Returns `true` if it is known whether the margin is at least `guess`.
    pub(crate) fn answers(self, guess: i32) -> bool {
        self.least >= guess || self.most < guess
    }

    pub(crate) fn intersect(self, other: Margin) -> Margin {
        Margin { least: self.least.max(other.least), most: self.most.min(other.most) }
    }

    /// The same for the other player.
    pub(crate) fn flip(self) -> Margin {
        Margin { least: -self.most, most: -self.least }
    }

    pub(crate) fn parse(text: &str) -> Option<Margin> {
        let (least, most) = text.split_once(" to ").unwrap_or((text, text));
        Some(Margin { least: least.parse().ok()?, most: most.parse().ok()? })
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Margin { least, most } = *self;
        if least == most { write!(f, "{least}") } else { write!(f, "{least} to {most}") }
    }
}
