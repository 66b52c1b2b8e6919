//! A game of a tournament, before it is played.

use super::number::GameNumber;

/// How a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixtureOpening {
    /// With the opening of this index.
    Drawn(usize),
    /// As a game begins that decides an even meeting.
    TieBreak,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number.
    pub number: GameNumber,
    /// The indices of the players; the first plays the first side.
    pub seats: [usize; 2],
    /// How it begins.
    pub opening: FixtureOpening,
    /// The seed of everything random in it.
    pub seed: u64,
}
