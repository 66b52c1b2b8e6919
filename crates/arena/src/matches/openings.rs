//! The openings of a match: random moves that lead to different positions.

use std::collections::HashSet;

use plyground::Game;
use plyground_host::{HostedPosition, MoveText};
use rand::SeedableRng;
use rand::rngs::StdRng;
use thiserror::Error;

/// The number of draws in a row without a new opening after which no more are expected.
const VAIN_DRAWS: u32 = 10_000;

/// The error for too few different openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected {expected} different openings of {plies} {}, found only {found}",
    if *.plies == 1 { "ply" } else { "plies" }
)]
pub struct TooFewOpenings {
    /// The number of moves in an opening.
    pub plies: u32,
    /// The number of openings that were asked for.
    pub expected: usize,
    /// The number of openings that were found.
    pub found: usize,
}

/// Draws `count` openings of `plies` random moves each from `start`, none of which ends the game.
/// No two of them lead to the same position, or to mirror images if the game's [keys](Game::key)
/// merge these. The same seed draws the same openings.
///
/// If `plies` is 0, returns `count` copies of the only opening, which has no moves.
///
/// # Errors
///
/// Returns an error if there are fewer openings.
pub fn draw_openings(
    start: &HostedPosition,
    plies: u32,
    count: usize,
    seed: u64,
) -> Result<Vec<Vec<MoveText>>, TooFewOpenings> {
    if plies == 0 {
        return Ok(vec![Vec::new(); count]);
    }
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut openings, mut keys, mut vain) = (Vec::new(), HashSet::new(), 0);
    while openings.len() < count {
        let (opening, end) = start.after_random_moves(&mut rng, plies as usize);
        if !end.is_over() && keys.insert(end.key()) {
            openings.push(opening);
            vain = 0;
        } else {
            vain += 1;
        }
        if vain == VAIN_DRAWS {
            return Err(TooFewOpenings { plies, expected: count, found: openings.len() });
        }
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn openings_are_legal_different_and_not_over() {
        let start = toy().start();
        let openings = draw_openings(&start, 5, 200, 1).expect("as many");
        let mut keys = HashSet::new();
        for opening in &openings {
            assert_eq!(opening.len(), 5);
            let mut position = start.clone();
            for &mv in opening {
                position.play(mv).expect("a legal move");
            }
            assert_eq!(position.outcome(), None);
            assert!(keys.insert(position.key()));
        }
        assert_eq!(draw_openings(&start, 5, 200, 1), Ok(openings.clone()));
        assert_ne!(draw_openings(&start, 5, 200, 2), Ok(openings));
    }

    #[test]
    fn too_few_openings_are_an_error() {
        let start = toy().start();
        assert_eq!(draw_openings(&start, 1, 9, 1).map(|openings| openings.len()), Ok(9));
        let error = draw_openings(&start, 1, 10, 1).expect_err("there are nine");
        assert_eq!(error, TooFewOpenings { plies: 1, expected: 10, found: 9 });
        // All games are over after nine plies.
        let error = draw_openings(&start, 9, 1, 1).expect_err("there are none");
        assert_eq!(error.to_string(), "expected 1 different openings of 9 plies, found only 0");
    }

    #[test]
    fn opening_without_moves_is_repeated() {
        assert_eq!(draw_openings(&toy().start(), 0, 3, 1), Ok(vec![Vec::new(); 3]));
    }
}
