//! A player that does not think.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::{Answer, Player, Turn};
use crate::fault::Fault;
use plyground::Game;

/// A player that chooses among the legal moves at random, each with the same probability.
#[derive(Debug)]
pub struct Random {
    rng: StdRng,
}

impl Random {
    /// Returns a player that makes the same choices whenever it is given the same seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { rng: StdRng::seed_from_u64(seed) }
    }
}

impl Player for Random {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let mv = turn.position.legal_moves().choose(&mut self.rng).ok_or(Fault::NoMove)?;
        Ok(Answer::Move(mv.into()))
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}
