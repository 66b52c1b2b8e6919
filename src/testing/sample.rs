//! Random positions.

use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

use super::breach::{Breach, Rule, require};
use crate::game::Game;

/// The number of play-outs that are looked at closely, unless the sample says otherwise.
const PLAYOUTS: usize = 200;
/// The number of keys that are compared, unless the sample says otherwise.
const KEYS: usize = 100_000;
/// The number of plies after which play-outs of games that need not end are cut off.
const MOST_PLIES: usize = 200;

/// The positions that [`check_contract`](super::check_contract) looks at.
#[derive(Clone, Debug)]
pub struct Sample<G: Game> {
    pub(super) starts: Vec<G>,
    pub(super) moves: Vec<G::Move>,
    pub(super) playouts: usize,
    pub(super) keys: usize,
    pub(super) seed: u64,
}

impl<G: Game> Sample<G> {
    /// Makes a sample of positions on random ways from `starts`: 200 play-outs looked at closely, and
    /// 100,000 different keys compared, or as many as there are. The same seed gives the same positions.
    pub fn new(starts: impl IntoIterator<Item = G>, seed: u64) -> Sample<G> {
        let starts = starts.into_iter().collect();
        Sample { starts, moves: Vec::new(), playouts: PLAYOUTS, keys: KEYS, seed }
    }

    /// Adds moves that are to be tried in every position, legal or not: preferably all that a
    /// player could think of. Without them, the moves that occur in the play-outs are tried.
    #[must_use]
    pub fn with_moves(mut self, moves: impl IntoIterator<Item = G::Move>) -> Sample<G> {
        self.moves.extend(moves);
        self
    }

    /// Sets the number of play-outs that are looked at closely.
    #[must_use]
    pub fn with_playouts(self, playouts: usize) -> Sample<G> {
        Sample { playouts, ..self }
    }

    /// Sets the number of different keys to compare.
    #[must_use]
    pub fn with_keys(self, keys: usize) -> Sample<G> {
        Sample { keys, ..self }
    }

    /// Returns a source of random play-outs without end; `None` if there is no start.
    pub(super) fn walks(&self) -> Option<Walks<'_, G>> {
        let rng = StdRng::seed_from_u64(self.seed);
        (!self.starts.is_empty()).then_some(Walks { starts: &self.starts, rng })
    }
}

/// A source of random play-outs.
pub(super) struct Walks<'a, G> {
    starts: &'a [G],
    rng: StdRng,
}

/// One play-out: the positions, the start first, and the moves between them.
pub(super) struct Playout<G: Game> {
    pub(super) positions: Vec<G>,
    pub(super) moves: Vec<G::Move>,
}

impl<G: Game> Walks<'_, G> {
    pub(super) fn next(&mut self) -> Result<Playout<G>, Breach> {
        let mut position = self.starts[self.rng.random_range(0..self.starts.len())].clone();
        let mut playout = Playout { positions: vec![position.clone()], moves: Vec::new() };
        while position.outcome().is_none() && playout.moves.len() < MOST_PLIES {
            let mv = position.legal_moves().choose(&mut self.rng);
            require(mv.is_some(), Rule::Moves, &position, || "no move, but no outcome".to_owned())?;
            let Some(mv) = mv else { break };
            position.play_unchecked(mv);
            playout.positions.push(position.clone());
            playout.moves.push(mv);
        }
        Ok(playout)
    }
}

/// Returns the position after `plies` random moves from `start`, or at the end of the game if that comes
/// sooner. The same seed gives the same position.
///
/// ```
/// use plyground::Game;
/// use plyground::testing::{TicTacToe, random_position};
///
/// let position = random_position(&TicTacToe::default(), 3, 1);
/// assert_eq!(position.plies_left(), Some(6));
/// assert_eq!(position, random_position(&TicTacToe::default(), 3, 1));
/// ```
#[must_use]
pub fn random_position<G: Game>(start: &G, plies: u32, seed: u64) -> G {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut position = start.clone();
    for _ in 0..plies {
        if position.outcome().is_some() {
            break;
        }
        let Some(mv) = position.legal_moves().choose(&mut rng) else { break };
        position.play_unchecked(mv);
    }
    position
}
