//! Ratings by Glicko-2, one game at a time.
//!
//! Glicko-2 rather than Weng-Lin: its scale is that of Elo, which people know; its interval is the 95 % of a
//! normal distribution; and a version that is new begins from the rating of the one before it with a greater
//! deviation, which is what the system was made for. A program does not change while it stands, so the
//! volatility begins small: with that of people, intervals would never become narrow.

use plyground::Side;
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, confidence_interval, glicko2};

/// The rating of a version.
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

/// The greatest deviation: that of an unknown player.
const UNKNOWN: f64 = 350.0;

/// The deviation of what a new version may have changed.
const CHANGE: f64 = 150.0;

/// The factor by which intervals are wider than the deviation says. Games are counted one at a time, and the
/// first opponents are as little known as the player: the deviation knows nothing of this loss. With the factor,
/// intervals hold the truth in 95 of 100 cases in simulated seasons, which `tests/season.rs` plays again.
const SPREAD: f64 = 1.2;

const CONFIG: Glicko2Config = Glicko2Config { tau: 0.2, convergence_tolerance: 1e-6 };

impl Default for Rating {
    fn default() -> Rating {
        Rating { rating: 1500.0, deviation: UNKNOWN, volatility: VOLATILITY }
    }
}

impl Rating {
    /// Returns the rating with which the next version of a player begins.
    #[must_use]
    pub fn of_next_version(self) -> Rating {
        let deviation = self.deviation.hypot(CHANGE).min(UNKNOWN);
        Rating { deviation, volatility: VOLATILITY, ..self }
    }

    /// Returns the interval that holds the true rating in 95 of 100 cases.
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

/// Returns the ratings after a game of these two, the one that moved first at the front.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winner_gains_and_doubt_shrinks() {
        let [winner, loser] = after_game([Rating::default(); 2], Some(Side::First));
        assert!(winner.rating > 1500.0 && loser.rating < 1500.0);
        assert!(winner.deviation < UNKNOWN && loser.deviation < UNKNOWN);
        let [low, high] = winner.interval();
        assert!(low < winner.rating && winner.rating < high);
        let next = winner.of_next_version();
        assert!(next.rating == winner.rating && next.deviation > winner.deviation);
        assert!(Rating::default().of_next_version().deviation <= UNKNOWN);
    }
}
