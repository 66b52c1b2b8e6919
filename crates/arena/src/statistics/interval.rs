//! Intervals that hold the true value in 95 of 100 cases, and scores as Elo.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The number of standard deviations to either side of the mean that hold 95 % of a normal
/// distribution.
pub(super) const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The share of a distribution below the upper end of an interval, which leaves out as much on each
/// side.
const UPPER: f64 = 0.975;

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// E. B. Wilson, "Probable Inference", 1927: the interval has all truths from which the found
    /// share is at most 1.96 standard deviations away, where the deviation is that of the truth and
    /// not that of the found share. So it is as wide as necessary even for wins only or losses
    /// only, and one-sided there.
    #[must_use]
    pub(super) fn of_share(mean: f64, trials: f64) -> Interval {
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
    #[must_use]
    pub(crate) fn of_mean(mean: f64, variance: f64, count: u64) -> Option<Interval> {
        if count < 2 || variance <= 0.0 {
            return None;
        }
        let student = StudentsT::new(0.0, 1.0, (count - 1) as f64).ok()?;
        let error = student.inverse_cdf(UPPER) * (variance / count as f64).sqrt();
        Some(Interval { mean, lower: mean - error, upper: mean + error })
    }

    /// Returns the interval with an increasing function applied to its three numbers.
    #[must_use]
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Interval {
        let [mean, lower, upper] = [self.mean, self.lower, self.upper].map(rising);
        Interval { mean, lower, upper }
    }

    /// Describes the interval for people. `show` writes the ends; infinite ends are left out.
    #[must_use]
    pub fn ends(&self, show: impl Fn(f64) -> String) -> String {
        match (self.lower.is_finite(), self.upper.is_finite()) {
            (true, true) => format!("95 %: {} to {}", show(self.lower), show(self.upper)),
            (true, false) => format!("95 %: at least {}", show(self.lower)),
            (false, true) => format!("95 %: at most {}", show(self.upper)),
            (false, false) => "95 %: anything".to_owned(),
        }
    }
}

/// Returns the probability that a normally distributed number is less than this many standard
/// deviations.
pub(super) fn normal_share(deviations: f64) -> f64 {
    Normal::standard().cdf(deviations)
}

/// The lead in points that means odds of ten to one.
const TENFOLD: f64 = 400.0;

/// Returns the mean score, from 0 to 1, that a player is expected to have against one who is `elo`
/// points weaker: the logistic curve of A. E. Elo, "The Rating of Chessplayers", 1978, as rating
/// lists and testing frameworks use it.
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / TENFOLD))
}

/// Returns the number of points by which a player with the mean score `score`, from 0 to 1, is
/// stronger: the inverse of [`expected_score`]. The result is infinite for scores at either end or
/// beyond.
#[must_use]
pub fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    TENFOLD * (score / (1.0 - score)).log10()
}

/// Formats a difference in Elo for people, without a sign if it is 0.
#[must_use]
pub fn signed(elo: f64) -> String {
    if elo.round() == 0.0 { "0".to_owned() } else { format!("{elo:+.0}") }
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
    fn odds_of_ten_to_one_are_400_points() {
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
    }

    #[test]
    fn each_is_the_inverse_of_the_other() {
        for elo in [-700.0, -35.5, 0.0, 12.25, 1_000.0] {
            assert!((elo_of(expected_score(elo)) - elo).abs() < 1e-6, "{elo}");
        }
    }

    #[test]
    fn ends_are_infinite() {
        assert_eq!(elo_of(1.0), f64::INFINITY);
        assert_eq!(elo_of(1.01), f64::INFINITY);
        assert_eq!(elo_of(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_of(-0.01), f64::NEG_INFINITY);
    }
}
