//! The choice of the next two players: those whose game tells most.

use std::collections::HashMap;

use rand::{Rng, RngExt};

use crate::rating::Rating;

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

/// The numbers of games that two versions have played with each other, the lesser number first.
pub type Meetings = HashMap<(i64, i64), u32>;

/// Returns two versions in the order for [`Meetings`].
#[must_use]
pub fn ordered(one: i64, other: i64) -> (i64, i64) {
    (one.min(other), one.max(other))
}

/// The part by which the value of a pair may be changed by chance, so that not always the same two meet.
const CHANCE: f64 = 0.2;

/// Returns the two versions whose games take away most doubt, or `None` if every rating is settled: if no
/// deviation is greater than `settled`.
///
/// A game tells most between players close in strength about whom little is known, and less with each game
/// that they have already played.
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

/// Returns the variance that a game against `opponent` takes away from a rating, by the formulas of Glicko.
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
        // After many games, it meets another.
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
