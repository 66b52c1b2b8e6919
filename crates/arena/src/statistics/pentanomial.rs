//! Intervals that hold the true value in 95 of 100 cases, scores as Elo, and counts of the results of pairs
//! of games.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use thiserror::Error;

/// The number of standard deviations to either side of the mean that hold 95 % of a normal
/// distribution.
pub(super) const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The share of a distribution below the upper end of an interval that leaves out equal shares on
/// both sides.
const UPPER: f64 = 0.975;

/// A mean with its 95 % confidence interval. In JSON, an infinite number is `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end of the interval.
    pub upper: f64,
}

impl Interval {
    /// Returns the interval of a share of `mean`, from 0 to 1, found in `trials` independent
    /// trials.
    ///
    /// E. B. Wilson, "Probable Inference", 1927: the interval has all true shares from which the
    /// found share is at most 1.96 standard deviations away. The deviation is computed from the
    /// true share, not from the found share, so the interval has a width even for wins only or
    /// losses only, where it is one-sided.
    fn of_share(mean: f64, trials: f64) -> Interval {
        let square = TWO_SIDED_95.powi(2);
        let center = (mean * trials + square / 2.0) / (trials + square);
        let variance = trials * mean * (1.0 - mean) + square / 4.0;
        let error = TWO_SIDED_95 / (trials + square) * variance.sqrt();
        let (lower, upper) = ((center - error).max(0.0), (center + error).min(1.0));
        // Rounding must not leave the mean outside.
        Interval { mean, lower: lower.min(mean), upper: upper.max(mean) }
    }

    /// Returns the interval of the mean of `count` values with this sample variance, by Student's
    /// distribution. Returns `None` if the values have no spread, because there are fewer than two
    /// or all are alike.
    pub(crate) fn of_mean(mean: f64, variance: f64, count: u64) -> Option<Interval> {
        if count < 2 || variance <= 0.0 {
            return None;
        }
        let student = StudentsT::new(0.0, 1.0, (count - 1) as f64).ok()?;
        let error = student.inverse_cdf(UPPER) * (variance / count as f64).sqrt();
        Some(Interval { mean, lower: mean - error, upper: mean + error })
    }

    /// Returns the interval with an increasing function applied to its three numbers.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Interval {
        let [mean, lower, upper] = [self.mean, self.lower, self.upper].map(rising);
        Interval { mean, lower, upper }
    }

    /// Describes the interval for people. `show` writes the ends; infinite ends are left out.
    pub fn ends(&self, show: impl Fn(f64) -> String) -> String {
        match (self.lower.is_finite(), self.upper.is_finite()) {
            (true, true) => format!("95 %: {} to {}", show(self.lower), show(self.upper)),
            (true, false) => format!("95 %: at least {}", show(self.lower)),
            (false, true) => format!("95 %: at most {}", show(self.upper)),
            (false, false) => "95 %: anything".to_owned(),
        }
    }
}

/// The lead in points that means odds of ten to one.
const TENFOLD: f64 = 400.0;

/// Returns the mean score, from 0 to 1, that a player is expected to have against one who is `elo`
/// points weaker: the logistic curve of A. E. Elo, "The Rating of Chessplayers", 1978, as rating
/// lists and testing frameworks use it.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / TENFOLD))
}

/// Returns the number of points by which a player with the mean score `score`, from 0 to 1, is
/// stronger: the inverse of [`expected_score`]. The result is infinite for scores at either end or
/// beyond.
pub fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    TENFOLD * (score / (1.0 - score)).log10()
}

/// Formats a difference in Elo for people, without a sign if it is 0.
pub fn signed(elo: f64) -> String {
    if elo.round() == 0.0 { "0".to_owned() } else { format!("{elo:+.0}") }
}

/// The normalized Elo for each unit of a mean divided by its standard deviation in a game. With
/// this factor, small differences between players that never draw are the same in Elo.
pub(super) const NORMALIZED: f64 = 800.0 / std::f64::consts::LN_10;

/// The numbers of pairs of games, by their sum of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
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
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of these counts and another's.
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
    /// "Normalized Elo", 2020). A few pairs hardly show the variance, and pairs that are all alike
    /// do not show it at all. Therefore one pair with the variance of independent games is added,
    /// which a dozen pairs outweigh.
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
    pub fn score(&self) -> Option<Interval> {
        let moments = self.moments()?;
        Some(Interval::of_share(moments.mean, self.effective_games(moments)))
    }

    /// Returns the difference in Elo with its 95 % interval; `None` without pairs. The interval is
    /// the interval of the [`score`](Self::score) on the scale of Elo, and therefore not symmetric.
    /// Its ends may be infinite.
    pub fn elo(&self) -> Option<Interval> {
        self.score().map(|score| score.map(elo_of))
    }

    /// Returns the difference in normalized Elo with its 95 % interval: the lead of the mean
    /// divided by the standard deviation of a game, on a scale like that of Elo. It determines the
    /// number of games that distinguish the players, for any share of draws. Returns `None` if all
    /// pairs ended alike, since there is then no deviation.
    ///
    /// Source: M. Van den Bergh, "Normalized Elo", 2020.
    pub fn normalized_elo(&self) -> Option<Interval> {
        let deviation = (2.0 * self.moments()?.variance).sqrt();
        let score = self.score().filter(|_| deviation > 0.0)?;
        Some(score.map(|score| (score - 0.5) / deviation * NORMALIZED))
    }

    /// Returns the likelihood of superiority: the probability that a match between equals ends with
    /// less than this score. Returns `None` without pairs.
    pub fn superiority(&self) -> Option<f64> {
        let moments = self.moments()?;
        let deviation = 0.5 / self.effective_games(moments).sqrt();
        Some(Normal::standard().cdf((moments.mean - 0.5) / deviation))
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

    /// Values of the tables in R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
    /// 1998: 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
    #[test]
    fn shares_by_a_published_table() {
        for (found, trials, lower, upper) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let interval = Interval::of_share(found / trials, trials);
            assert!((interval.lower - lower).abs() < 5e-5, "{interval:?}");
            assert!((interval.upper - upper).abs() < 5e-5, "{interval:?}");
        }
    }

    #[test]
    fn means_by_a_table_of_student() {
        // 2.776 for 4 degrees of freedom, 12.706 for one.
        let interval = Interval::of_mean(1.0, 5.0, 5).expect("an interval");
        assert!((interval.upper - 3.776).abs() < 1e-3, "{interval:?}");
        let interval = Interval::of_mean(0.0, 2.0, 2).expect("an interval");
        assert!((interval.lower + 12.706).abs() < 1e-3, "{interval:?}");
        assert_eq!(Interval::of_mean(1.0, 0.0, 9), None);
        assert_eq!(Interval::of_mean(1.0, 0.0, 1), None);
    }

    #[test]
    fn infinite_ends_are_one_sided() {
        let show = |number: f64| format!("{number:.0}");
        let interval = |lower, upper| Interval { mean: 0.0, lower, upper }.ends(show);
        assert_eq!(interval(-1.0, 2.0), "95 %: -1 to 2");
        assert_eq!(interval(3.0, f64::INFINITY), "95 %: at least 3");
        assert_eq!(interval(f64::NEG_INFINITY, 3.0), "95 %: at most 3");
    }

    #[test]
    fn elo_and_score_are_the_inverse_of_each_other() {
        // Odds of ten to one are 400 points.
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
        for elo in [-700.0, -35.5, 0.0, 12.25, 1_000.0] {
            assert!((elo_of(expected_score(elo)) - elo).abs() < 1e-6, "{elo}");
        }
        assert_eq!([1.0, 1.01].map(elo_of), [f64::INFINITY; 2]);
        assert_eq!([0.0, -0.01].map(elo_of), [f64::NEG_INFINITY; 2]);
    }

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
