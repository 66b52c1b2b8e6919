//! Two games with the same opening and swapped sides, and the openings that they are played from.

use std::collections::HashSet;

use plyground::{Game, Outcome, Side};
use plyground_host::referee::PlayedGame;
use plyground_host::{HostedPosition, MoveText};
use rand::SeedableRng;
use rand::rngs::StdRng;
use thiserror::Error;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrant {
    /// The player whose score is kept.
    A,
    /// The opponent.
    B,
}

impl Entrant {
    /// The entrants that play the sides in the two games of a pair, the first side first.
    pub const SEATS: [[Entrant; 2]; 2] = [[Entrant::A, Entrant::B], [Entrant::B, Entrant::A]];

    /// Returns 0 for A, 1 for B.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The result of a game for one of its players, which is A in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrantResult {
    /// The opponent has won.
    Lost,
    /// Neither player has won.
    Drawn,
    /// The player has won.
    Won,
}

impl EntrantResult {
    /// Returns the result for the player of `side` in a game with this winner.
    pub(crate) fn new(winner: Option<Side>, side: Side) -> EntrantResult {
        match winner {
            Some(winner) if winner == side => EntrantResult::Won,
            Some(_) => EntrantResult::Lost,
            None => EntrantResult::Drawn,
        }
    }

    /// Returns 0, 1 or 2.
    #[must_use]
    pub const fn half_points(self) -> u8 {
        self as u8
    }
}

/// The two games of a pair. A plays [`Side::First`] in the first game and [`Side::Second`] in the
/// second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePair {
    /// The number of the pair in the match, from 0.
    pub index: usize,
    /// The games.
    pub games: [PlayedGame; 2],
}

impl GamePair {
    /// Returns the results of the games for A.
    #[must_use]
    pub fn results(&self) -> [EntrantResult; 2] {
        self.each(|game, side| EntrantResult::new(game.ending.winner, side))
    }

    /// Returns the half points of A, out of four.
    #[must_use]
    pub fn half_points(&self) -> u8 {
        self.results().map(EntrantResult::half_points).iter().sum()
    }

    /// Returns the points by which A was ahead at the end of each game, in a game of points that
    /// was played to its end.
    #[must_use]
    pub fn margins(&self) -> [Option<i32>; 2] {
        self.each(|game, side| match game.position.outcome() {
            Some(Outcome::Points { first, second }) if side == Side::First => Some(first - second),
            Some(Outcome::Points { first, second }) => Some(second - first),
            _ => None,
        })
    }

    /// Returns the sum of the two margins, if both are known.
    #[must_use]
    pub fn margin(&self) -> Option<i32> {
        let [one, other] = self.margins();
        Some(one? + other?)
    }

    /// Calls `say` for each game, with A's side in it.
    fn each<T>(&self, say: impl Fn(&PlayedGame, Side) -> T) -> [T; 2] {
        let [one, other] = &self.games;
        [say(one, Side::First), say(other, Side::Second)]
    }
}

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
/// Without moves, there is only one opening, of which this returns `count` copies.
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
