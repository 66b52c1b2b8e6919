//! A sequential test: how many pairs of games it takes to be sure.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::elo::expected_score;
use super::pentanomial::Pentanomial;

/// The probability of either error: to accept the one strength when the other is true.
const ERROR_RATE: f64 = 0.05;

/// Stands for a count of zero, so that every result is possible under every hypothesis.
const HARDLY_EVER: f64 = 1e-3;

/// Halvings of an interval after which a 64-bit number changes no more.
const HALVINGS: u32 = 100;

/// Differences in Elo beyond this are beyond measuring.
const MOST_ELO: f64 = 1_000.0;

/// A sequential probability ratio test of two differences in Elo, with 5 % of either error.
///
/// A. Wald, "Sequential Tests of Statistical Hypotheses", 1945, in the generalized form of
/// M. Van den Bergh, "A practical introduction to the GSPRT" and "Comments on normalized Elo"
/// (2020), which chess engines are tested by: the five frequencies of the results of pairs are
/// unknown, so each hypothesis is represented by the likeliest frequencies that have its mean.
///
/// Written and read as `ELO0,ELO1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtState {
    /// The lesser difference is accepted.
    Lower,
    /// The greater difference is accepted.
    Upper,
    /// More pairs are needed.
    Undecided,
}

/// The text is no pair of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected two Elo differences from -1000 to 1000, the lesser first, as in 0,20")]
pub struct NotATest;

impl Sprt {
    /// A test of `elo0` against `elo1`, the greater of the two.
    ///
    /// # Errors
    ///
    /// When they are not in order, or beyond 1,000 either way.
    pub fn new(elo0: f64, elo1: f64) -> Result<Sprt, NotATest> {
        let fits = |elo: f64| (-MOST_ELO..=MOST_ELO).contains(&elo);
        (fits(elo0) && fits(elo1) && elo0 < elo1).then_some(Sprt { elo0, elo1 }).ok_or(NotATest)
    }

    /// The lesser difference in Elo.
    #[must_use]
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The greater difference in Elo.
    #[must_use]
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// The ratio at which the test ends, either way: the natural logarithm of 19.
    #[must_use]
    pub fn bound() -> f64 {
        ((1.0 - ERROR_RATE) / ERROR_RATE).ln()
    }

    /// The natural logarithm of how many times as likely the results are under the greater
    /// difference as under the lesser; 0 without pairs.
    #[must_use]
    pub fn log_likelihood_ratio(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.counts.map(|count| (count as f64).max(HARDLY_EVER));
        let total: f64 = counts.iter().sum();
        let frequencies = counts.map(|count| count / total);
        let [under0, under1] = [self.elo0, self.elo1]
            .map(|elo| likeliest_with_mean(&frequencies, expected_score(elo)));
        let ratios = under0.iter().zip(under1).map(|(p0, p1)| (p1 / p0).ln());
        ratios.zip(counts).map(|(ratio, count)| count * ratio).sum()
    }

    /// Whether the results are enough.
    #[must_use]
    pub fn state(&self, results: &Pentanomial) -> SprtState {
        let ratio = self.log_likelihood_ratio(results);
        if ratio >= Self::bound() {
            SprtState::Upper
        } else if ratio <= -Self::bound() {
            SprtState::Lower
        } else {
            SprtState::Undecided
        }
    }
}

/// Of all frequencies with this mean score, those under which the ones that were found are
/// likeliest.
///
/// By a Lagrange multiplier x they are p / (1 + x (score - mean)), where x is the root of the sum
/// of p (score - mean) / (1 + x (score - mean)), which falls from infinity to minus infinity
/// between the two values of x at which a denominator vanishes.
fn likeliest_with_mean(frequencies: &[f64; 5], mean: f64) -> [f64; 5] {
    let deviations = Pentanomial::SCORES.map(|score| score - mean);
    let slope = |x: f64| -> f64 {
        frequencies.iter().zip(deviations).map(|(p, d)| p * d / (1.0 + x * d)).sum()
    };
    let (mut low, mut high) = (-1.0 / deviations[4], -1.0 / deviations[0]);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = (low + high) / 2.0;
    let mut likeliest = *frequencies;
    for (p, d) in likeliest.iter_mut().zip(deviations) {
        *p /= 1.0 + x * d;
    }
    likeliest
}

impl FromStr for Sprt {
    type Err = NotATest;

    fn from_str(text: &str) -> Result<Sprt, NotATest> {
        let (elo0, elo1) = text.split_once(',').ok_or(NotATest)?;
        let number = |text: &str| text.trim().parse().map_err(|_| NotATest);
        Sprt::new(number(elo0)?, number(elo1)?)
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.elo0, self.elo1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known values: those that the match program fastchess is tested with.
    #[test]
    fn ratios_by_known_values() {
        for (elo0, elo1, counts, known) in [
            (0.5, 2.5, [223, 9_863, 20_279 + 1_000, 10_037, 246], -3.07),
            (0.0, 2.0, [871, 26_175, 55_003 + 980, 26_678, 821], -4.98),
        ] {
            let test = Sprt::new(elo0, elo1).expect("a test");
            let ratio = test.log_likelihood_ratio(&Pentanomial { counts });
            assert!((ratio - known).abs() < 0.01, "{ratio} in place of {known}");
            assert_eq!(test.state(&Pentanomial { counts }), SprtState::Lower);
        }
    }

    #[test]
    fn likeliest_frequencies_have_the_mean_and_sum_to_one() {
        for mean in [0.01, 0.3, 0.5, 0.64, 0.999] {
            let p = likeliest_with_mean(&[0.1, 0.2, 0.4, 0.25, 0.05], mean);
            let found: f64 = p.iter().zip(Pentanomial::SCORES).map(|(p, score)| p * score).sum();
            assert!((found - mean).abs() < 1e-9, "{found} in place of {mean}");
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn even_results_are_as_likely_under_opposite_hypotheses() {
        let test = Sprt::new(-10.0, 10.0).expect("a test");
        let ratio = test.log_likelihood_ratio(&Pentanomial { counts: [5, 7, 11, 7, 5] });
        assert!(ratio.abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn test_ends_either_way() {
        let test = Sprt::new(0.0, 50.0).expect("a test");
        assert!((Sprt::bound() - 2.944).abs() < 0.001);
        assert_eq!(test.log_likelihood_ratio(&Pentanomial::default()), 0.0);
        let state = |counts| test.state(&Pentanomial { counts });
        assert_eq!(state([1, 1, 1, 1, 1]), SprtState::Undecided);
        assert_eq!(state([2, 5, 20, 30, 40]), SprtState::Upper);
        assert_eq!(state([40, 30, 20, 5, 2]), SprtState::Lower);
        assert_eq!(state([0, 0, 0, 0, 30]), SprtState::Upper);
    }

    #[test]
    fn tests_are_read_back() {
        for text in ["0,20", "-10,10", "0.5,2.5"] {
            assert_eq!(text.parse::<Sprt>().map(|test| test.to_string()), Ok(text.to_owned()));
        }
        for bad in ["", "5", "20,0", "5,5", "0,x", "nan,1", "0,inf", "-2000,0", "0,5,10"] {
            assert_eq!(bad.parse::<Sprt>(), Err(NotATest), "{bad}");
        }
    }
}
