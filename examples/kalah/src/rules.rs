//! The rules of Kalah.

use std::fmt;
use std::str::FromStr;

use plyground::{Bounds, Game, Outcome, SearchHints, Side};
use thiserror::Error;

/// The greatest number of pits of a side.
pub const MOST_PITS: usize = 6;

/// A position of Kalah with up to six pits on either side.
///
/// A move takes all seeds of an own pit and sows them one by one into the next pits, the own store, and the
/// pits of the opponent. If the last one falls into the store, the same side moves again. If it falls into
/// an own pit that was empty, and there are seeds opposite, both go into the store. When the pits of either
/// side are empty, all other seeds go into the store of their side, and the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The seeds in the pits of each side, the pit that is farthest from its store first.
    pits: [[u8; MOST_PITS]; 2],
    stores: [u8; 2],
    side: Side,
    /// The number of pits of a side.
    count: u8,
}

/// A move: one of the side's own pits, counted from 1, the one farthest from its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pit(u8);

/// The error that a text is not a move.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected the number of a pit, from 1 to {MOST_PITS}")]
pub struct NotAPit;

/// The error that a pit has no seeds, or does not exist.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{0}: there are no seeds in this pit")]
pub struct EmptyPit(Pit);

impl Pit {
    /// Returns the pit with this index, counted from 0.
    #[must_use]
    pub fn new(index: usize) -> Pit {
        Pit(index as u8)
    }

    /// Returns the index of the pit, counted from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl Position {
    /// Makes the start of a game with `count` pits for each side, and `seeds` in each of them.
    #[must_use]
    pub fn new(count: u8, seeds: u8) -> Position {
        let mut pits = [0; MOST_PITS];
        pits[..count.into()].fill(seeds);
        Position { pits: [pits; 2], stores: [0; 2], side: Side::First, count }
    }

    /// Makes the position with these seeds, the pits of each side as in [`Position::pits`].
    #[must_use]
    pub fn from_seeds(pits: [&[u8]; 2], stores: [u8; 2], side: Side) -> Position {
        let row = |seeds: &[u8]| std::array::from_fn(|pit| seeds.get(pit).copied().unwrap_or(0));
        Position { pits: pits.map(row), stores, side, count: pits[0].len() as u8 }
    }

    /// Returns the seeds in the pits of a side, the pit that is farthest from its store first.
    #[must_use]
    pub fn pits(&self, side: Side) -> &[u8] {
        &self.pits[side.index()][..self.count.into()]
    }

    /// Returns the number of seeds in the store of a side.
    #[must_use]
    pub fn store(&self, side: Side) -> i32 {
        self.stores[side.index()].into()
    }

    /// Returns the number of seeds in all pits of a side.
    #[must_use]
    pub fn in_pits(&self, side: Side) -> i32 {
        self.pits(side).iter().map(|&seeds| i32::from(seeds)).sum()
    }

    /// Sows the seeds of a pit, and returns true if the last one falls into the store.
    fn sow(&mut self, pit: usize) -> bool {
        let (own, other, count) =
            (self.side.index(), self.side.other().index(), self.pits(self.side).len());
        let mut seeds = std::mem::take(&mut self.pits[own][pit]);
        // The places in the order of sowing: the own pits, the store, the pits of the opponent.
        let mut place = pit;
        while seeds > 0 {
            place = (place + 1) % (2 * count + 1);
            match place {
                _ if place < count => self.pits[own][place] += 1,
                _ if place == count => self.stores[own] += 1,
                _ => self.pits[other][place - count - 1] += 1,
            }
            seeds -= 1;
        }
        if place < count && self.pits[own][place] == 1 {
            let opposite = count - 1 - place;
            if self.pits[other][opposite] > 0 {
                self.stores[own] += 1 + std::mem::take(&mut self.pits[other][opposite]);
                self.pits[own][place] = 0;
            }
        }
        place == count
    }

    /// Puts all seeds into the stores of their sides, if the pits of either side are empty.
    fn finish(&mut self) {
        if Side::BOTH.into_iter().any(|side| self.in_pits(side) == 0) {
            for side in Side::BOTH {
                self.stores[side.index()] += self.in_pits(side) as u8;
                self.pits[side.index()] = [0; MOST_PITS];
            }
        }
    }
}

impl Game for Position {
    type Move = Pit;
    type IllegalMove = EmptyPit;

    const NAME: &'static str = "kalah";

    /// A move that ends in the store keeps the turn.
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.stores.map(i32::from);
        (self.in_pits(self.side) == 0).then_some(Outcome::Points { first, second })
    }

    fn legal_moves(&self) -> impl Iterator<Item = Pit> {
        let pits = self.pits(self.side);
        (0..pits.len()).filter(|&pit| pits[pit] > 0).map(Pit::new)
    }

    fn check_legal(&self, pit: Pit) -> Result<(), EmptyPit> {
        let seeds = self.pits(self.side).get(pit.index());
        seeds.filter(|&&seeds| seeds > 0).map(|_| ()).ok_or(EmptyPit(pit))
    }

    fn play_unchecked(&mut self, pit: Pit) {
        if !self.sow(pit.index()) {
            self.side = self.side.other();
        }
        self.finish();
    }

    /// Reads the pits as the side to move sees them: its own, then those of the opponent.
    fn key(&self) -> u64 {
        let pack =
            |side| self.pits(side).iter().fold(0, |bits, &seeds| bits << 8 | u64::from(seeds));
        let [own, other] = [self.side, self.side.other()].map(pack);
        // Odd factors and shifts that mix all bits: equal keys are as rare as chance.
        let mut key = own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.rotate_left(16);
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            key = (key ^ key >> 29).wrapping_add(other).wrapping_mul(factor);
        }
        key ^ key >> 32
    }

    /// Counts the steps that all seeds can make. It is a limit, but a loose one: a move brings seeds nearer
    /// to the store of their side, or puts at least one into a store, and then all others may begin anew.
    fn plies_left(&self) -> Option<u32> {
        let count = u32::from(self.count);
        let steps = Side::BOTH.map(|side| {
            let pits = self.pits(side).iter().zip((1..=count).rev());
            pits.map(|(&seeds, steps)| u32::from(seeds) * steps).sum::<u32>()
        });
        let seeds: i32 = Side::BOTH.map(|side| self.in_pits(side)).iter().sum();
        let seeds = seeds as u32;
        Some(steps[0] + steps[1] + seeds + count * (seeds * seeds.saturating_sub(1) / 2))
    }

    fn points(&self) -> Option<[i32; 2]> {
        Some(self.stores.map(i32::from))
    }
}

/// Gives a number for every pit, and the limit that one side gets all seeds in the pits.
impl SearchHints for Position {
    const MOVE_CODES: usize = MOST_PITS;

    fn move_code(&self, pit: Pit) -> usize {
        pit.index()
    }

    fn bounds(&self) -> Bounds {
        let (margin, open) =
            (self.margin(), self.in_pits(Side::First) + self.in_pits(Side::Second));
        Bounds::points(margin - open, margin + open)
    }
}

/// Writes the board as the first side sees it: above, from right to left, the pits of the second side and
/// its store, below, from left to right, those of the first.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:2} |", self.stores[1])?;
        self.pits(Side::Second).iter().rev().try_for_each(|seeds| write!(f, " {seeds:2}"))?;
        write!(f, "\n   |")?;
        self.pits(Side::First).iter().try_for_each(|seeds| write!(f, " {seeds:2}"))?;
        write!(f, " | {:2}", self.stores[0])
    }
}

/// Writes the number of the pit, from 1.
impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl FromStr for Pit {
    type Err = NotAPit;

    fn from_str(text: &str) -> Result<Pit, NotAPit> {
        match text.as_bytes() {
            [digit @ b'1'..=b'6'] => Ok(Pit(digit - b'1')),
            _ => Err(NotAPit),
        }
    }
}
