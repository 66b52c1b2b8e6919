//! Counts of the results of pairs of games.

use thiserror::Error;

use super::interval::{Interval, elo_of, normal_share};

/// The normalized Elo for each unit of a mean divided by its standard deviation in a game. With
/// this factor, small differences between players that never draw are the same in Elo.
pub(super) const NORMALIZED: f64 = 800.0 / std::f64::consts::LN_10;

/// The numbers of pairs of games, by their sum of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// The numbers of pairs with 0, 0.5, 1, 1.5 and 2 points, out of two.
    pub counts: [u64; 5],
}

/// The error for a text that is not a list of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the numbers of pairs with 0, 0.5, 1, 1.5 and 2 points, as in 0,1,43,10,0")]
pub struct NotCounts;

/// The mean score of a game and its variance among pairs.
#[derive(Clone, Copy, Debug)]
struct Moments {
    mean: f64,
    /// The mean square of the deviations.
    variance: f64,
}

impl Pentanomial {
    /// The mean scores of a game that the counts stand for, from 0 to 1.
    pub(super) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// Counts a pair with this many half points, from 0 to 4.
    pub(crate) fn add(&mut self, half_points: u32) {
        if let Some(count) = self.counts.get_mut(half_points as usize) {
            *count += 1;
        }
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of these counts and another's.
    #[must_use]
    pub fn plus(&self, other: &Pentanomial) -> Pentanomial {
        let mut counts = self.counts;
        counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
        Pentanomial { counts }
    }

    fn moments(&self) -> Option<Moments> {
        let pairs = self.pairs();
        let of = |value: &dyn Fn(f64) -> f64| {
            let terms = Self::SCORES.iter().zip(self.counts);
            terms.map(|(&score, count)| value(score) * count as f64).sum::<f64>() / pairs as f64
        };
        let mean = of(&|score| score);
        (pairs > 0).then(|| Moments { mean, variance: of(&|score| (score - mean).powi(2)) })
    }

    /// Returns the number of independent games without draws that carry as much information as
    /// these pairs.
    ///
    /// Draws, and openings that help a player in one game and hurt it in the other, make the
    /// variance of a pair less than that of two such games, p (1 - p) / 2 (M. Van den Bergh,
    /// "Normalized Elo", 2020). A few pairs hardly show how much less, and pairs that are all alike
    /// do not show it at all. So one pair with the variance of independent games is added, which a
    /// dozen pairs outweigh.
    fn effective_games(&self, Moments { mean, variance }: Moments) -> f64 {
        let pairs = self.pairs() as f64;
        let independent = mean * (1.0 - mean) / 2.0;
        let ratio = if pairs < 2.0 || independent <= 0.0 {
            1.0
        } else {
            let sample = variance * pairs / (pairs - 1.0);
            (pairs * sample + independent) / ((pairs + 1.0) * independent)
        };
        2.0 * pairs / ratio
    }

    /// Returns the mean score of a game, from 0 to 1, with its 95 % interval; `None` without pairs.
    ///
    /// The interval is E. B. Wilson's for the number of games that carry as much information as
    /// these pairs. At 0 and 1 it is one-sided. `results/statistics.md` shows how often it holds
    /// the truth.
    #[must_use]
    pub fn score(&self) -> Option<Interval> {
        let moments = self.moments()?;
        Some(Interval::of_share(moments.mean, self.effective_games(moments)))
    }

    /// Returns the difference in Elo with its 95 % interval; `None` without pairs. The interval is
    /// that of the [`score`](Self::score) on the scale of Elo, and therefore not symmetric. Its
    /// ends may be infinite.
    #[must_use]
    pub fn elo(&self) -> Option<Interval> {
        self.score().map(|score| score.map(elo_of))
    }

    /// Returns the difference in normalized Elo with its 95 % interval: the lead of the mean
    /// divided by the standard deviation of a game, on a scale like that of Elo. It determines the
    /// number of games that it takes to tell the players apart, whatever the share of draws.
    /// Returns `None` if all pairs ended alike, since there is then no deviation.
    ///
    /// Source: M. Van den Bergh, "Normalized Elo", 2020.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<Interval> {
        let deviation = (2.0 * self.moments()?.variance).sqrt();
        let score = self.score().filter(|_| deviation > 0.0)?;
        Some(score.map(|score| (score - 0.5) / deviation * NORMALIZED))
    }

    /// Returns the likelihood of superiority: the probability that a match between equals ends with
    /// less than this score. Returns `None` without pairs.
    #[must_use]
    pub fn superiority(&self) -> Option<f64> {
        let moments = self.moments()?;
        let deviation = 0.5 / self.effective_games(moments).sqrt();
        Some(normal_share((moments.mean - 0.5) / deviation))
    }
}

impl std::str::FromStr for Pentanomial {
    type Err = NotCounts;

    fn from_str(text: &str) -> Result<Pentanomial, NotCounts> {
        let counts = text.split(',').map(|count| count.trim().parse::<u32>().map(u64::from));
        let counts = counts.collect::<Result<Vec<_>, _>>().map_err(|_| NotCounts)?;
        Ok(Pentanomial { counts: counts.try_into().map_err(|_| NotCounts)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_by_hand() {
        // Pairs of 0, 1 and 2 points have a mean of 1/2 and a sample variance of 1/4, which is
        // twice that of two independent games, or 7/4 times with a pair of these added.
        let score = Pentanomial { counts: [1, 0, 1, 0, 1] }.score().expect("pairs");
        assert_eq!(score.mean, 0.5);
        let by_hand = Interval::of_share(0.5, 6.0 / 1.75);
        assert!((score.lower - by_hand.lower).abs() < 1e-12, "{score:?} {by_hand:?}");
        assert!((score.upper - by_hand.upper).abs() < 1e-12, "{score:?} {by_hand:?}");
    }

    #[test]
    fn pairs_that_cancel_out_are_surer_than_single_games() {
        // One side wins all games, so every pair is even.
        let even = Pentanomial { counts: [0, 0, 50, 0, 0] }.elo().expect("pairs");
        let mixed = Pentanomial { counts: [12, 0, 26, 0, 12] }.elo().expect("pairs");
        assert!(even.lower < -3.0 && even.upper > 3.0, "{even:?}");
        assert!(4.0 * even.upper < mixed.upper, "{even:?} {mixed:?}");
    }

    #[test]
    fn extremes_have_bounds() {
        assert_eq!(Pentanomial::default().score(), None);
        assert_eq!(Pentanomial::default().superiority(), None);
        let pair = Pentanomial { counts: [0, 0, 0, 0, 1] };
        let score = pair.score().expect("a pair");
        // Two games won give 2 / (2 + 1.96^2).
        assert!((score.lower - 0.3424).abs() < 1e-4 && score.upper == 1.0, "{score:?}");
        let elo = pair.elo().expect("a pair");
        assert!(elo.mean == f64::INFINITY && elo.lower < 0.0, "{elo:?}");
        assert_eq!(pair.normalized_elo(), None);
        let lost = Pentanomial { counts: [7, 0, 0, 0, 0] }.elo().expect("pairs");
        assert!(lost.lower == f64::NEG_INFINITY && lost.upper < -200.0, "{lost:?}");
        let won = Pentanomial { counts: [0, 0, 0, 0, 7] };
        assert!(won.superiority().is_some_and(|share| share > 0.999), "{won:?}");
    }

    #[test]
    fn both_sides_see_the_same() {
        let counts = [3, 5, 20, 9, 1];
        let mut reversed = counts;
        reversed.reverse();
        let [one, other] = [counts, reversed].map(|counts| Pentanomial { counts });
        let [a, b] = [one, other].map(|pairs| pairs.elo().expect("pairs"));
        assert!((a.lower + b.upper).abs() < 1e-9 && (a.upper + b.lower).abs() < 1e-9);
        let [a, b] = [one, other].map(|pairs| pairs.superiority().expect("pairs"));
        assert!((a + b - 1.0).abs() < 1e-9);
    }

    #[test]
    fn counts_are_read() {
        assert_eq!("0,1, 43,10,0".parse(), Ok(Pentanomial { counts: [0, 1, 43, 10, 0] }));
        for bad in ["", "1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,-5", "1,2,3,4,x", "1,2,3,4,99999999999"]
        {
            assert_eq!(bad.parse::<Pentanomial>(), Err(NotCounts), "{bad}");
        }
    }
}
