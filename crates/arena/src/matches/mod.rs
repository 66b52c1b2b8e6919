//! Matches: two players compared by many games from openings of random moves.
//!
//! Games come in pairs. Both games of a pair begin with the same opening, and the players swap
//! sides between them, so that an opening that favors a side favors neither player. The
//! [statistics](crate::statistics) count pairs.

use std::cmp::Ordering;
use std::collections::HashSet;

use plyground::Game;
use plyground_host::{FaultCounts, HostedPosition, MoveText};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::Serialize;
use thiserror::Error;

use crate::statistics::{Interval, Pentanomial};

pub use pair::{Entrant, GamePair, MatchConditions, half_points, play, play_pair};
pub(crate) use pair::{play_through, result_for};

mod pair;

/// The numbers of games that a player has won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GameCounts {
    /// The number of games won.
    pub won: u64,
    /// The number of games without a winner.
    pub drawn: u64,
    /// The number of games lost.
    pub lost: u64,
}

impl GameCounts {
    pub(crate) fn add(&mut self, result: Ordering) {
        match result {
            Ordering::Greater => self.won += 1,
            Ordering::Equal => self.drawn += 1,
            Ordering::Less => self.lost += 1,
        }
    }

    /// Returns the number of games.
    pub fn total(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Returns the points: 1 for a win, a half for a draw.
    pub fn points(&self) -> f64 {
        self.half_points() as f64 / 2.0
    }

    /// Returns twice the points.
    pub(crate) fn half_points(&self) -> u64 {
        2 * self.won + self.drawn
    }
}

/// The margins by which A was ahead in the pairs of a game of points, both games together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairMargins {
    /// The number of pairs with a margin.
    pub pairs: u64,
    /// The number of pairs in which A was behind.
    pub negative: u64,
    sum: i64,
    sum_of_squares: i64,
}

impl PairMargins {
    fn add(&mut self, margin: i32) {
        let margin = i64::from(margin);
        self.pairs += 1;
        self.negative += u64::from(margin < 0);
        self.sum += margin;
        self.sum_of_squares += margin * margin;
    }

    /// Returns the mean margin of a pair in points; `None` without pairs.
    pub fn mean(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum as f64 / self.pairs as f64)
    }

    /// Returns the mean margin with its 95 % interval; `None` without two pairs of different
    /// margins.
    pub fn interval(&self) -> Option<Interval> {
        let (mean, count) = (self.mean()?, self.pairs as f64);
        let variance = (self.sum_of_squares as f64 - count * mean * mean) / (count - 1.0);
        Interval::of_mean(mean, variance, self.pairs)
    }
}

/// The score of a match, from A's point of view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTally {
    /// The games in which A played the first side, and the games in which A played the second side.
    pub by_side: [GameCounts; 2],
    /// The pairs by A's points.
    pub pairs: Pentanomial,
    /// The margins, in a game of points.
    pub margins: PairMargins,
    /// The numbers of games that A and B have lost by a fault, such as exceeded time, and not by
    /// the rules.
    pub faults: [FaultCounts; 2],
    /// The number of games that were played again, alone, because the computer failed the first
    /// time.
    pub again: u64,
}

impl MatchTally {
    /// Counts a pair.
    pub fn add(&mut self, pair: &GamePair) {
        for (games, result) in self.by_side.iter_mut().zip(pair.results()) {
            games.add(result);
        }
        self.pairs.add(pair.half_points());
        if let Some(margin) = pair.margin() {
            self.margins.add(margin);
        }
        for (game, seats) in pair.games.iter().zip(Entrant::SEATS) {
            if let Some((by, fault)) = game.ending.reason.fault() {
                self.faults[seats[by.index()].index()].add(fault);
            }
            self.again += u64::from(game.again.is_some());
        }
    }

    /// Returns the number of games that were lost by a fault.
    pub fn forfeits(&self) -> u64 {
        self.faults.iter().map(FaultCounts::total).sum()
    }

    /// Returns the counts of all games.
    pub fn games(&self) -> GameCounts {
        let [first, second] = self.by_side;
        GameCounts {
            won: first.won + second.won,
            drawn: first.drawn + second.drawn,
            lost: first.lost + second.lost,
        }
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
    plies: u32,
    expected: usize,
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
    fn mean_margin_by_hand() {
        let mut margins = PairMargins::default();
        assert_eq!(margins.mean(), None);
        for margin in [4, -2, 1] {
            margins.add(margin);
        }
        assert_eq!((margins.pairs, margins.negative), (3, 1));
        assert_eq!(margins.mean(), Some(1.0));
        let interval = margins.interval().expect("an interval");
        // The sample variance is ((4-1)^2 + (-2-1)^2 + 0) / 2 = 9, and Student's factor for 2
        // degrees 4.303.
        assert!((interval.upper - 1.0 - 4.302_653 * 3.0_f64.sqrt()).abs() < 1e-4, "{interval:?}");
        let alike = PairMargins { pairs: 2, negative: 0, sum: 6, sum_of_squares: 18 };
        assert_eq!((alike.mean(), alike.interval()), (Some(3.0), None));
    }

    #[test]
    fn points_of_games() {
        let mut games = GameCounts::default();
        for result in [Ordering::Greater, Ordering::Equal, Ordering::Equal, Ordering::Less] {
            games.add(result);
        }
        assert_eq!(games, GameCounts { won: 1, drawn: 2, lost: 1 });
        assert_eq!((games.total(), games.points()), (4, 2.0));
    }

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
