//! A game for tests: count down, two choices a move, and nobody wins.

use std::convert::Infallible;
use std::fmt;

use crate::game::{Game, Outcome, Side};

/// So many moves are left, and which were chosen has no effect but to make positions differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Countdown {
    left: u32,
    side: Side,
    chosen: u64,
}

impl Countdown {
    pub(crate) fn new(left: u32) -> Countdown {
        Countdown { left, side: Side::First, chosen: 1 }
    }
}

impl Game for Countdown {
    type Move = u8;
    type IllegalMove = Infallible;

    const NAME: &'static str = "countdown";
    const MOVE_CODES: usize = 2;

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.left == 0).then_some(Outcome::Draw)
    }

    fn legal_moves(&self) -> impl Iterator<Item = u8> {
        0..2
    }

    fn check_legal(&self, _: u8) -> Result<(), Infallible> {
        Ok(())
    }

    fn play_unchecked(&mut self, mv: u8) {
        self.left -= 1;
        self.side = self.side.other();
        self.chosen = self.chosen << 1 | u64::from(mv);
    }

    fn key(&self) -> u64 {
        // Multiplication by an odd number keeps different positions different.
        self.chosen.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn move_code(&self, mv: u8) -> usize {
        mv.into()
    }

    fn plies_left(&self) -> Option<u32> {
        Some(self.left)
    }
}

impl fmt::Display for Countdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} left", self.left)
    }
}
