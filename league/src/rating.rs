//! Ratings by Glicko-2, one game at a time; and the choice of the next two players, whose game improves the ratings
//! most.
//!
//! Glicko-2 rather than Weng-Lin: its scale is the familiar scale of Elo; its interval is the 95 % of a normal
//! distribution; and Glicko-2 is made for players who change, so another version begins from the rating of the version
//! before it with a greater deviation. A program does not change while it plays, so the volatility begins small: with
//! the usual volatility of people, intervals would never become narrow.

use std::collections::HashMap;

use plyground::Side;
use rand::{Rng, RngExt};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, confidence_interval, glicko2};

/// The rating of a person, which the version that plays has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating, on the scale of Elo.
    pub rating: f64,
    /// The standard deviation of the rating.
    pub deviation: f64,
    /// The volatility of Glicko-2.
    pub volatility: f64,
}

/// The volatility of a program that stays the same.
const VOLATILITY: f64 = 0.01;

/// The greatest deviation: the deviation of an unknown player.
const UNKNOWN: f64 = 350.0;

/// The standard deviation of the change of strength from a version to the next.
const CHANGE: f64 = 150.0;

/// The greatest deviation to which changes of the version raise a smaller one. Without the bound, a player could change
/// versions until a lucky win counts as much as for an unknown player, and then stop.
const CHANGED: f64 = 200.0;

/// The factor by which intervals are wider than the deviation says. Games are counted one at a time, and the first
/// opponents are as little known as the player: the deviation does not include this uncertainty. With the factor,
/// intervals contain the true rating in 95 of 100 cases in simulated seasons, as a test in `tests/steps.rs` checks.
const SPREAD: f64 = 1.2;

const CONFIG: Glicko2Config = Glicko2Config { tau: 0.2, convergence_tolerance: 1e-6 };

impl Default for Rating {
    fn default() -> Rating {
        Rating { rating: 1500.0, deviation: UNKNOWN, volatility: VOLATILITY }
    }
}

impl Rating {
    /// Returns the rating with which another version of a player begins.
    #[must_use]
    pub fn of_next_version(self) -> Rating {
        let deviation = self.deviation.hypot(CHANGE).min(CHANGED).max(self.deviation);
        Rating { deviation, volatility: VOLATILITY, ..self }
    }

    /// Returns the interval that contains the true rating in 95 of 100 cases.
    #[must_use]
    pub fn interval(self) -> [f64; 2] {
        let deviation = SPREAD * self.deviation;
        let (low, high) = confidence_interval(&Rating { deviation, ..self }.into());
        [low, high]
    }
}

impl From<Rating> for Glicko2Rating {
    fn from(Rating { rating, deviation, volatility }: Rating) -> Glicko2Rating {
        Glicko2Rating { rating, deviation, volatility }
    }
}

impl From<Glicko2Rating> for Rating {
    fn from(rating: Glicko2Rating) -> Rating {
        let Glicko2Rating { rating, deviation, volatility } = rating;
        Rating { rating, deviation, volatility }
    }
}

/// Returns the ratings of two players after their game. The player that moved first is at index 0.
#[must_use]
pub fn after_game(before: [Rating; 2], winner: Option<Side>) -> [Rating; 2] {
    let outcome = match winner {
        Some(Side::First) => Outcomes::WIN,
        Some(Side::Second) => Outcomes::LOSS,
        None => Outcomes::DRAW,
    };
    let [first, second] = before.map(Glicko2Rating::from);
    let (first, second) = glicko2(&first, &second, &outcome, &CONFIG);
    [first.into(), second.into()]
}

/// A version that stands in the league.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// The number of the version in the database.
    pub version: i64,
    /// Its rating.
    pub rating: Rating,
    /// The number of its games that are under way.
    pub open: u32,
}

/// The numbers of games between two versions, by the numbers of the versions, the lesser first.
pub type Meetings = HashMap<(i64, i64), u32>;

/// Returns two versions in the order for [`Meetings`].
#[must_use]
pub fn ordered(one: i64, other: i64) -> (i64, i64) {
    (one.min(other), one.max(other))
}

/// The greatest part that chance adds to the value of a pair, so that pairs vary.
const CHANCE: f64 = 0.2;

/// Returns the two versions whose games reduce the uncertainty of the ratings most, or `None` if no deviation is
/// greater than `settled`.
///
/// A game gives most information if the players are close in strength and their ratings are uncertain, and less with
/// each game that the two have already played.
pub fn choose(
    standings: &[Standing],
    meetings: &Meetings,
    settled: f64,
    rng: &mut impl Rng,
) -> Option<(i64, i64)> {
    let mut best: Option<(f64, (i64, i64))> = None;
    for (index, one) in standings.iter().enumerate() {
        for other in &standings[index + 1..] {
            if one.rating.deviation.max(other.rating.deviation) <= settled {
                continue;
            }
            let met = meetings.get(&ordered(one.version, other.version)).copied().unwrap_or(0);
            let spared = f64::from(1 + met / 2).sqrt() * f64::from(1 + one.open + other.open);
            let chance = 1.0 + CHANCE * rng.random::<f64>();
            let value =
                (gain(one.rating, other.rating) + gain(other.rating, one.rating)) * chance / spared;
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, (one.version, other.version)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// Returns the decrease of the variance of a rating by a game against `opponent`, by the formulas of Glicko.
fn gain(rating: Rating, opponent: Rating) -> f64 {
    let scale = std::f64::consts::LN_10 / 400.0;
    let doubt = scale * opponent.deviation / std::f64::consts::PI;
    let weight = 1.0 / (1.0 + 3.0 * doubt * doubt).sqrt();
    let difference = scale * weight * (rating.rating - opponent.rating);
    let expected = 1.0 / (1.0 + (-difference).exp());
    let information = (scale * weight).powi(2) * expected * (1.0 - expected);
    let variance = rating.deviation.powi(2);
    variance - 1.0 / (1.0 / variance + information)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    #[test]
    fn winner_gains_and_doubt_shrinks() {
        let [winner, loser] = after_game([Rating::default(); 2], Some(Side::First));
        assert!(winner.rating > 1500.0 && loser.rating < 1500.0);
        assert!(winner.deviation < UNKNOWN && loser.deviation < UNKNOWN);
        let [low, high] = winner.interval();
        assert!(low < winner.rating && winner.rating < high);
        assert_eq!(Rating::default().of_next_version(), Rating::default());
        let known = Rating { deviation: 45.0, ..winner };
        let next = known.of_next_version();
        assert!(next.rating == known.rating && (150.0..CHANGED).contains(&next.deviation));
        let often = (0..20).fold(known, |rating, _| rating.of_next_version());
        assert_eq!((often.rating, often.deviation), (known.rating, CHANGED));
    }

    fn standing(version: i64, rating: f64, deviation: f64) -> Standing {
        let rating = Rating { rating, deviation, ..Rating::default() };
        Standing { version, rating, open: 0 }
    }

    #[test]
    fn doubtful_meets_close_one() {
        let all = [
            standing(1, 1200.0, 40.0),
            standing(2, 1500.0, 200.0),
            standing(3, 1510.0, 40.0),
            standing(4, 2400.0, 40.0),
        ];
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..20 {
            assert_eq!(choose(&all, &Meetings::new(), 45.0, &mut rng), Some((2, 3)));
        }
        // After many games with version 3, version 2 meets another version.
        let met = Meetings::from([((2, 3), 60)]);
        assert_eq!(choose(&all, &met, 45.0, &mut rng), Some((1, 2)));
    }

    #[test]
    fn settled_ratings_need_no_games() {
        let all = [standing(1, 1500.0, 40.0), standing(2, 1500.0, 45.0)];
        let mut rng = StdRng::seed_from_u64(1);
        assert_eq!(choose(&all, &Meetings::new(), 45.0, &mut rng), None);
        assert_eq!(choose(&all[..1], &Meetings::new(), 1.0, &mut rng), None);
        assert!(choose(&all, &Meetings::new(), 44.0, &mut rng).is_some());
    }
}
