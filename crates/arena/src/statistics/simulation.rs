//! Matches whose truth is known, which measure how often intervals and tests are right.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::pentanomial::{NORMALIZED, Pentanomial, elo_of, expected_score};
use super::sprt::{EloModel, Sprt, SprtState};

/// Two players whose strengths are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// The probability of each result of a pair, by half points.
    pairs: [f64; 5],
}

impl World {
    /// Creates a world in which A's mean score is `score`. The share `draws` of the points of the
    /// weaker side comes from drawn games, and every opening helps one side by `opening` points of
    /// Elo.
    pub fn new(score: f64, draws: f64, opening: f64) -> World {
        let mean = |elo: f64| (expected_score(elo + opening) + expected_score(elo - opening)) / 2.0;
        let (mut low, mut high) = (elo_of(score) - opening - 1.0, elo_of(score) + opening + 1.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if mean(middle) < score {
                low = middle;
            } else {
                high = middle;
            }
        }
        let elo = (low + high) / 2.0;
        let game = |score: f64| {
            let drawn = 2.0 * score.min(1.0 - score) * draws;
            [1.0 - score - drawn / 2.0, drawn, score - drawn / 2.0]
        };
        let games = [elo + opening, elo - opening].map(|elo| game(expected_score(elo)));
        let mut pairs = [0.0; 5];
        for (one, p) in games[0].into_iter().enumerate() {
            for (other, q) in games[1].into_iter().enumerate() {
                pairs[one + other] += p * q;
            }
        }
        World { pairs }
    }

    /// Creates a world in which `elo` is the truth on the scale of a test.
    pub fn of_elo(elo: f64, model: EloModel, draws: f64, opening: f64) -> World {
        if model == EloModel::Logistic {
            return World::new(expected_score(elo), draws, opening);
        }
        let (mut low, mut high) = (1e-6, 1.0 - 1e-6);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if World::new(middle, draws, opening).normalized_elo() < elo {
                low = middle;
            } else {
                high = middle;
            }
        }
        World::new((low + high) / 2.0, draws, opening)
    }

    fn normalized_elo(&self) -> f64 {
        let of = |value: &dyn Fn(f64) -> f64| -> f64 {
            self.pairs.iter().zip(Pentanomial::SCORES).map(|(p, score)| p * value(score)).sum()
        };
        let mean = of(&|score| score);
        let variance = of(&|score| (score - mean).powi(2));
        (mean - 0.5) / (2.0 * variance).sqrt() * NORMALIZED
    }

    /// Draws the half points of A in a pair.
    fn draw(&self, rng: &mut StdRng) -> u32 {
        let mut left: f64 = rng.random();
        for (half_points, p) in (0..).zip(self.pairs) {
            left -= p;
            if left < 0.0 {
                return half_points;
            }
        }
        4
    }
}

/// Returns the share of matches of this many games whose 95 % interval holds the true score.
pub fn coverage(world: &World, score: f64, games: u32, matches: u32, seed: u64) -> f64 {
    let mut rng = StdRng::seed_from_u64(seed);
    let held = (0..matches).filter(|_| {
        let mut pairs = Pentanomial::default();
        (0..games / 2).for_each(|_| pairs.add(world.draw(&mut rng)));
        pairs.score().is_some_and(|found| (found.lower..=found.upper).contains(&score))
    });
    held.count() as f64 / f64::from(matches)
}

/// Returns the share of tests that accept the greater difference, and the mean number of games that
/// they take.
pub fn acceptance(world: &World, test: &Sprt, tests: u32, seed: u64) -> (f64, f64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut accepted, mut games) = (0, 0);
    for _ in 0..tests {
        let mut pairs = Pentanomial::default();
        let state = loop {
            pairs.add(world.draw(&mut rng));
            match test.state(&pairs) {
                SprtState::Undecided => {}
                decided => break decided,
            }
        };
        accepted += u32::from(state == SprtState::Upper);
        games += 2 * pairs.pairs();
    }
    (f64::from(accepted) / f64::from(tests), games as f64 / f64::from(tests))
}
