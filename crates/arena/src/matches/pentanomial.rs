//! The results of pairs of games, counted.

use super::elo::elo_of;

/// How many standard deviations to either side of the mean hold 95 % of a normal distribution.
pub(crate) const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// How many pairs of games had which sum of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Pairs with 0, 0.5, 1, 1.5 and 2 points of the two that there are.
    pub counts: [u64; 5],
}

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

impl Interval {
    /// The interval around the mean of values with this variance.
    pub(super) fn new(mean: f64, variance: f64, count: u64) -> Interval {
        let error = TWO_SIDED_95 * (variance / count as f64).sqrt();
        Interval { mean, lower: mean - error, upper: mean + error }
    }

    /// Half the width.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.upper - self.lower) / 2.0
    }
}

impl Pentanomial {
    /// The mean scores of a game that the counts stand for, from 0 to 1.
    pub(super) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    /// Counts a pair with this many half points, from 0 to 4.
    pub(crate) fn add(&mut self, half_points: u8) {
        if let Some(count) = self.counts.get_mut(usize::from(half_points)) {
            *count += 1;
        }
    }

    /// The number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The mean score of a game, from 0 to 1, with its 95 % interval from the variance of the
    /// pairs; `None` without pairs.
    ///
    /// Source: M. Van den Bergh, "Normalized Elo", 2020: the variance of pairs is less than that
    /// of independent games, since an opening that helps a player in one game hurts it in the
    /// other.
    #[must_use]
    pub fn score(&self) -> Option<Interval> {
        let pairs = self.pairs();
        if pairs == 0 {
            return None;
        }
        let of = |value: &dyn Fn(f64) -> f64| {
            let terms = Self::SCORES.iter().zip(self.counts);
            terms.map(|(&score, count)| value(score) * count as f64).sum::<f64>() / pairs as f64
        };
        let mean = of(&|score| score);
        let variance = of(&|score| (score - mean).powi(2));
        Some(Interval::new(mean, variance, pairs))
    }

    /// The difference in Elo with its 95 % interval, which is that of the [`score`](Self::score)
    /// taken to the scale of Elo, and so not symmetric. Ends may be infinite. `None` without
    /// pairs.
    #[must_use]
    pub fn elo(&self) -> Option<Interval> {
        self.score().map(|Interval { mean, lower, upper }| Interval {
            mean: elo_of(mean),
            lower: elo_of(lower),
            upper: elo_of(upper),
        })
    }

    /// Whether the pairs differ. If not, the width of the intervals is 0 and means nothing.
    #[must_use]
    pub fn varies(&self) -> bool {
        self.counts.iter().filter(|&&count| count > 0).count() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known values: those that the match program fastchess is tested with.
    #[test]
    fn elo_by_known_values() {
        let elo = Pentanomial { counts: [34, 54, 31 + 32, 64, 75] }.elo().expect("pairs");
        assert!((elo.mean - 55.58).abs() < 0.01, "{elo:?}");
        assert!((elo.error() - 27.65).abs() < 0.01, "{elo:?}");
    }

    #[test]
    fn score_by_hand() {
        // Pairs of 0, 1 and 2 points: a mean of 1/2, a variance of 1/6.
        let score = Pentanomial { counts: [1, 0, 1, 0, 1] }.score().expect("pairs");
        assert_eq!(score.mean, 0.5);
        let error = 1.959_964 * (1.0_f64 / 6.0 / 3.0).sqrt();
        assert!((score.error() - error).abs() < 1e-6);
        assert!((score.upper - score.mean - error).abs() < 1e-6);
    }

    #[test]
    fn pairs_that_cancel_out_are_surer_than_single_games() {
        // All games are won by one side, so every pair is even.
        let elo = Pentanomial { counts: [0, 0, 50, 0, 0] }.elo().expect("pairs");
        assert_eq!((elo.lower, elo.mean, elo.upper), (0.0, 0.0, 0.0));
    }

    #[test]
    fn extremes() {
        assert_eq!(Pentanomial::default().score(), None);
        let all = Pentanomial { counts: [0, 0, 0, 0, 7] };
        assert_eq!(all.elo().map(|elo| elo.mean), Some(f64::INFINITY));
        assert!(!all.varies());
        assert!(Pentanomial { counts: [0, 0, 1, 0, 7] }.varies());
    }
}
