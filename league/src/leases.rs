//! The games that are given away to be played.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The time after which a game is given to another worker if its result has not come.
const LEASE: Duration = Duration::from_secs(20 * 60);

/// A game that a worker plays.
#[derive(Clone, Debug)]
struct Lease {
    nonce: String,
    worker: String,
    until: Instant,
    /// The moves so far, of a game on this machine.
    moves: Vec<String>,
}

/// A game that is being played, as people look at it.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// The number of the game.
    pub game: i64,
    /// The worker that plays it.
    pub worker: String,
    /// The moves so far, of a game on this machine.
    pub moves: Vec<String>,
}

/// The games that workers play, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Leases(HashMap<i64, Lease>);

impl Leases {
    /// Takes back the games whose results are late.
    pub(crate) fn end_late(&mut self) {
        self.0.retain(|_, lease| lease.until > Instant::now());
    }

    /// Returns true if somebody plays the game.
    pub(crate) fn has(&self, game: i64) -> bool {
        self.0.contains_key(&game)
    }

    /// Gives a game to a worker, whose result must come with the `nonce`.
    pub(crate) fn begin(&mut self, game: i64, worker: &str, nonce: String) {
        let (worker, until) = (worker.to_owned(), Instant::now() + LEASE);
        self.0.insert(game, Lease { nonce, worker, until, moves: Vec::new() });
    }

    /// Returns the word with which the result of a game must come, if somebody plays it.
    pub(crate) fn nonce(&self, game: i64) -> Option<&str> {
        self.0.get(&game).map(|lease| lease.nonce.as_str())
    }

    /// Returns the games that a worker plays.
    pub(crate) fn of(&self, worker: &str) -> Vec<i64> {
        self.in_time().filter(|(_, lease)| lease.worker == worker).map(|(game, _)| *game).collect()
    }

    /// Ends the lease of a game. Returns false if it is none of the worker's, or not with this word.
    pub(crate) fn end(&mut self, worker: &str, game: i64, nonce: &str) -> bool {
        let is_it = |lease: &Lease| lease.worker == worker && lease.nonce == nonce;
        let is_it = self.0.get(&game).is_some_and(is_it);
        if is_it {
            self.abandon(game);
        }
        is_it
    }

    /// Takes back a game.
    pub(crate) fn abandon(&mut self, game: i64) {
        self.0.remove(&game);
    }

    /// Notes a move of a game that is played on this machine.
    pub(crate) fn show_move(&mut self, game: i64, mv: String) {
        if let Some(lease) = self.0.get_mut(&game) {
            lease.moves.push(mv);
        }
    }

    /// Returns the games that are being played, in the order of their numbers.
    pub(crate) fn under_way(&self) -> Vec<LiveGame> {
        let live = |(&game, lease): (&i64, &Lease)| LiveGame {
            game,
            worker: lease.worker.clone(),
            moves: lease.moves.clone(),
        };
        let mut games: Vec<_> = self.in_time().map(live).collect();
        games.sort_by_key(|live| live.game);
        games
    }

    fn in_time(&self) -> impl Iterator<Item = (&i64, &Lease)> {
        self.0.iter().filter(|(_, lease)| lease.until > Instant::now())
    }
}
