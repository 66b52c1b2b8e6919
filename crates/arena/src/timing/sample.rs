//! Positions in which a player is measured.

use plyground::Game;
use plyground_host::{HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::matches::draw_openings;

/// Sampled positions have at least this many plies behind them.
const FIRST_PLY: u32 = 4;

/// And at least this many before them, in a game of limited length: the last moves take no time.
const LAST_PLIES: u32 = 6;

/// Games without a limit are sampled up to this ply.
const LAST_PLY: u32 = 30;

/// How many lengths in a row may bring no game before there are taken to be none.
const VAIN_DRAWS: u32 = 1_000;

/// The moves of `count` games of random moves from `start` that are not over: middle games, of
/// lengths that are all as likely. Fewer when there are no such games. The same seed draws the
/// same.
#[must_use]
pub fn sample_games(start: &HostedPosition, count: usize, seed: u64) -> Vec<Vec<MoveText>> {
    let last = start.plies_left().map_or(LAST_PLY, |left| left.saturating_sub(LAST_PLIES));
    let (mut rng, mut games, mut vain) = (StdRng::seed_from_u64(seed), Vec::new(), 0);
    while games.len() < count && vain < VAIN_DRAWS {
        let plies = rng.random_range(FIRST_PLY.min(last)..=last);
        match draw_openings(start, plies, 1, rng.random()) {
            Ok(drawn) => {
                games.extend(drawn);
                vain = 0;
            }
            Err(_) => vain += 1,
        }
    }
    games
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn same_seed_draws_the_same_games() {
        let start = toy().start();
        let games = sample_games(&start, 20, 1);
        assert_eq!(games.len(), 20);
        assert_eq!(sample_games(&start, 20, 1), games);
        for game in games {
            let end = game.iter().fold(start.clone(), |position, &mv| position.after(mv));
            assert_eq!(end.outcome(), None);
        }
    }
}
