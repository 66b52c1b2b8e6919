//! The games that are given away to be played.

use std::collections::HashMap;
use std::time::Instant;

/// A game that a worker plays.
#[derive(Clone, Debug)]
struct Lease {
    nonce: String,
    worker: String,
    /// The end, if the game is given to another then.
    until: Option<Instant>,
    /// The moves so far, of a game on this machine.
    moves: Vec<String>,
}

impl Lease {
    fn is_in_time(&self) -> bool {
        self.until.is_none_or(|until| until > Instant::now())
    }

    fn is(&self, worker: &str, nonce: &str) -> bool {
        self.worker == worker && self.nonce == nonce
    }
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
        self.0.retain(|_, lease| lease.is_in_time());
    }

    /// Returns true if somebody plays the game.
    pub(crate) fn has(&self, game: i64) -> bool {
        self.0.contains_key(&game)
    }

    /// Gives a game to a worker, whose result must come with the `nonce`.
    pub(crate) fn begin(&mut self, game: i64, worker: &str, nonce: String, until: Option<Instant>) {
        let worker = worker.to_owned();
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

    /// Lets a worker keep a game until then. Returns false if it is another's, or has another word.
    pub(crate) fn renew(&mut self, worker: &str, game: i64, nonce: &str, until: Instant) -> bool {
        let lease = self.0.get_mut(&game);
        let Some(lease) = lease.filter(|lease| lease.is(worker, nonce)) else { return false };
        lease.until = Some(until);
        true
    }

    /// Ends the lease of a game. Returns false if it is another's, or has another word.
    pub(crate) fn end(&mut self, worker: &str, game: i64, nonce: &str) -> bool {
        let is_it = self.0.get(&game).is_some_and(|lease| lease.is(worker, nonce));
        if is_it {
            self.abandon(game);
        }
        is_it
    }

    /// Takes back a game.
    pub(crate) fn abandon(&mut self, game: i64) {
        self.0.remove(&game);
    }

    /// Notes the moves so far of a game that is played on this machine.
    pub(crate) fn show_moves(&mut self, game: i64, moves: Vec<String>) {
        if let Some(lease) = self.0.get_mut(&game) {
            lease.moves = moves;
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
        self.0.iter().filter(|(_, lease)| lease.is_in_time())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn game_of_a_machine_that_is_silent_is_taken_back() {
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(1_000));
        let mut leases = Leases::default();
        let word = || "word".to_owned();
        leases.begin(1, "silent", word(), Some(now));
        leases.begin(2, "alive", word(), Some(now));
        leases.begin(3, "server", word(), None);
        assert!(!leases.renew("silent", 2, "word", later), "another's game");
        assert!(!leases.renew("alive", 2, "guess", later), "another word");
        assert!(leases.renew("alive", 2, "word", later));
        leases.end_late();
        assert_eq!([1, 2, 3].map(|game| leases.has(game)), [false, true, true]);
        assert!(!leases.renew("silent", 1, "word", later), "too late");
        assert!(!leases.end("silent", 1, "word") && leases.end("alive", 2, "word"));
    }
}
