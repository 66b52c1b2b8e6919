//! A sequential test, which ends as soon as the result is certain.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::pentanomial::{NORMALIZED, Pentanomial, expected_score};

const ERROR_RATE: f64 = 0.05;

/// The value in place of a count of zero, so that every result is possible under every hypothesis.
const HARDLY_EVER: f64 = 1e-3;

/// The number of halvings of an interval after which a 64-bit number changes no more.
const HALVINGS: u32 = 100;

/// The number of steps after which the most likely frequencies with a normalized mean change no
/// more.
const MOST_STEPS: u32 = 100;

/// The change below which frequencies count as found.
const PRECISION: f64 = 1e-12;

/// A sequential probability ratio test of two differences in Elo.
///
/// The test is that of A. Wald, "Sequential Tests of Statistical Hypotheses", 1945, in the
/// generalized form of M. Van den Bergh, "A practical introduction to the GSPRT" and "Comments on
/// normalized Elo" (2020), with which chess engines are tested. The five frequencies of the results
/// of pairs are unknown, so each hypothesis is represented by the most likely frequencies that have
/// its mean.
///
/// The text is `ELO0,ELO1`, followed by each value that differs from `alpha=0.05`, `beta=0.05` and
/// `model=logistic`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sprt {
    /// The lesser difference in Elo.
    pub elo0: f64,
    /// The greater difference in Elo.
    pub elo1: f64,
    /// The probability of accepting the greater difference if the lesser is true.
    pub alpha: f64,
    /// The probability of accepting the lesser difference if the greater is true.
    pub beta: f64,
    /// The scale of the differences.
    pub model: EloModel,
}

/// The scale of the differences of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EloModel {
    /// Elo, by the mean score.
    #[default]
    Logistic,
    /// Normalized Elo, by the mean score and its deviation. The number of games of a test does not
    /// depend on the share of draws.
    Normalized,
}

impl EloModel {
    /// Returns the name, as in the text of a test.
    pub const fn name(self) -> &'static str {
        match self {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
        }
    }

    /// Returns the greatest difference that can be measured.
    const fn most(self) -> f64 {
        match self {
            EloModel::Logistic => 1_000.0,
            EloModel::Normalized => 200.0,
        }
    }
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtState {
    /// The lesser difference is accepted.
    Lower,
    /// The greater difference is accepted.
    Upper,
    /// More pairs are needed.
    Undecided,
}

/// The error for a text that is not a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected two Elo differences, the lesser first, from -1000 to 1000, or with model=normalized from \
     -200 to 200, and perhaps alpha= and beta= above 0 and below 0.5, as in 0,20 or \
     0,5,alpha=0.01,beta=0.1,model=normalized"
)]
pub struct NotATest;

impl Sprt {
    fn checked(self) -> Result<Sprt, NotATest> {
        let Sprt { elo0, elo1, alpha, beta, model } = self;
        let fits = |elo: f64| (-model.most()..=model.most()).contains(&elo);
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let is_test = fits(elo0) && fits(elo1) && elo0 < elo1 && is_rate(alpha) && is_rate(beta);
        is_test.then_some(self).ok_or(NotATest)
    }

    /// Returns the ratios at which the lesser and the greater difference are accepted. With the
    /// default rates of error, they are the natural logarithm of 19 in either direction.
    pub fn bounds(&self) -> [f64; 2] {
        let Sprt { alpha, beta, .. } = self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// Returns the natural logarithm of the likelihood of the results under the greater difference,
    /// divided by the likelihood under the lesser difference; 0 without pairs.
    pub fn log_likelihood_ratio(&self, results: &Pentanomial) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.counts.map(|count| (count as f64).max(HARDLY_EVER));
        let total: f64 = counts.iter().sum();
        let frequencies = counts.map(|count| count / total);
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => likeliest_with_mean(&frequencies, expected_score(elo)),
            EloModel::Normalized => {
                // The deviation of a pair is the deviation of a game divided by the root of 2.
                let lead = elo / NORMALIZED * std::f64::consts::SQRT_2;
                likeliest_with_lead(&frequencies, lead)
            }
        });
        let ratios = under0.iter().zip(under1).map(|(p0, p1)| (p1 / p0).ln());
        ratios.zip(counts).map(|(ratio, count)| count * ratio).sum()
    }

    /// Returns the state of the test after these results.
    pub fn state(&self, results: &Pentanomial) -> SprtState {
        let (ratio, [lower, upper]) = (self.log_likelihood_ratio(results), self.bounds());
        if ratio >= upper {
            SprtState::Upper
        } else if ratio <= lower {
            SprtState::Lower
        } else {
            SprtState::Undecided
        }
    }
}

/// Returns the frequencies with this mean score under which the found frequencies are most likely.
fn likeliest_with_mean(frequencies: &[f64; 5], mean: f64) -> [f64; 5] {
    likeliest(frequencies, Pentanomial::SCORES.map(|score| score - mean)).unwrap_or(*frequencies)
}

/// Returns the frequencies under which the found frequencies are most likely, among all frequencies
/// whose mean leads an even score by `lead` of their standard deviations.
///
/// The condition is not linear in the frequencies. Therefore each step replaces the condition by
/// its tangent at a guess, and the guess by the most likely frequencies under this tangent, until
/// nothing changes.
fn likeliest_with_lead(frequencies: &[f64; 5], lead: f64) -> [f64; 5] {
    let mut guess = [1.0 / 5.0; 5];
    for _ in 0..MOST_STEPS {
        let (mean, variance) = moments(&guess);
        let deviation = variance.sqrt();
        let tangent = |score: f64| {
            let square = ((mean - score) / deviation).powi(2);
            score - 0.5 - lead * deviation * (1.0 + square) / 2.0
        };
        let Some(next) = likeliest(frequencies, Pentanomial::SCORES.map(tangent)) else { break };
        let change = guess.iter().zip(next).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        guess = next;
        if change < PRECISION {
            break;
        }
    }
    guess
}

/// Returns the frequencies under which the found frequencies are most likely, among all frequencies
/// with which the mean of these values is 0. Returns `None` if no such frequencies exist, because
/// all values have one sign.
///
/// With a Lagrange multiplier x, the frequencies are p / (1 + x value). Here x is the root of the
/// sum of p value / (1 + x value), which falls from infinity to minus infinity between the two
/// values of x at which a denominator vanishes.
fn likeliest(frequencies: &[f64; 5], values: [f64; 5]) -> Option<[f64; 5]> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || most <= 0.0 {
        return None;
    }
    let slope = |x: f64| -> f64 {
        frequencies.iter().zip(values).map(|(p, value)| p * value / (1.0 + x * value)).sum()
    };
    let x = bisected(-1.0 / most, -1.0 / least, |middle| slope(middle) > 0.0);
    let mut likeliest = *frequencies;
    for (p, value) in likeliest.iter_mut().zip(values) {
        *p /= 1.0 + x * value;
    }
    Some(likeliest)
}

/// Returns the number between `low` and `high` up to which `is_below` is true.
pub(super) fn bisected(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Returns the mean score of these frequencies, and its variance.
pub(super) fn moments(frequencies: &[f64; 5]) -> (f64, f64) {
    let of = |value: &dyn Fn(f64) -> f64| -> f64 {
        frequencies.iter().zip(Pentanomial::SCORES).map(|(p, score)| p * value(score)).sum()
    };
    let mean = of(&|score| score);
    (mean, of(&|score| (score - mean).powi(2)))
}

impl FromStr for Sprt {
    type Err = NotATest;

    fn from_str(text: &str) -> Result<Sprt, NotATest> {
        let number = |text: &str| text.trim().parse().map_err(|_| NotATest);
        let mut parts = text.split(',');
        let mut next = || number(parts.next().ok_or(NotATest)?);
        let (elo0, elo1) = (next()?, next()?);
        let (alpha, beta) = (ERROR_RATE, ERROR_RATE);
        let mut test = Sprt { elo0, elo1, alpha, beta, model: EloModel::Logistic };
        for part in parts {
            match part.trim().split_once('=').ok_or(NotATest)? {
                ("alpha", rate) => test.alpha = number(rate)?,
                ("beta", rate) => test.beta = number(rate)?,
                ("model", "logistic") => test.model = EloModel::Logistic,
                ("model", "normalized") => test.model = EloModel::Normalized,
                _ => return Err(NotATest),
            }
        }
        test.checked()
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.elo0, self.elo1)?;
        for (name, rate) in [("alpha", self.alpha), ("beta", self.beta)] {
            if rate != ERROR_RATE {
                write!(f, ",{name}={rate}")?;
            }
        }
        match self.model {
            EloModel::Logistic => Ok(()),
            EloModel::Normalized => write!(f, ",model={}", self.model.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREQUENCIES: [[f64; 5]; 3] = [
        [0.1, 0.2, 0.4, 0.25, 0.05],
        [0.001, 0.001, 0.997, 0.001, 0.000_001],
        [0.000_02, 0.000_02, 0.000_02, 0.000_02, 0.999_92],
    ];

    #[test]
    fn likeliest_frequencies_have_the_mean_and_sum_to_one() {
        for (frequencies, mean) in
            FREQUENCIES.iter().flat_map(|p| [0.01, 0.3, 0.5, 0.64, 0.999].map(|mean| (p, mean)))
        {
            let p = likeliest_with_mean(frequencies, mean);
            // The rarer a result, the nearer the root is to a zero of a denominator.
            let precision = if frequencies[0] < 0.01 { 1e-4 } else { 1e-9 };
            assert!((moments(&p).0 - mean).abs() < precision, "{p:?} in place of {mean}");
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 10.0 * precision);
        }
    }

    #[test]
    fn likeliest_frequencies_have_the_lead_and_sum_to_one() {
        let most = EloModel::Normalized.most() / NORMALIZED * std::f64::consts::SQRT_2;
        for (frequencies, lead) in
            FREQUENCIES.iter().flat_map(|p| [-most, -0.2, 0.0, 0.01, 0.5, most].map(|x| (p, x)))
        {
            let p = likeliest_with_lead(frequencies, lead);
            let (mean, variance) = moments(&p);
            let found = (mean - 0.5) / variance.sqrt();
            let precision = if frequencies[0] < 0.01 { 1e-3 } else { 1e-6 };
            assert!(
                (found - lead).abs() < precision,
                "{found} in place of {lead}: {frequencies:?}"
            );
            assert!((p.iter().sum::<f64>() - 1.0).abs() < precision);
        }
    }

    #[test]
    fn even_results_are_as_likely_under_opposite_hypotheses() {
        for text in ["-10,10", "-10,10,model=normalized"] {
            let test: Sprt = text.parse().expect("a test");
            let ratio = test.log_likelihood_ratio(&Pentanomial { counts: [5, 7, 11, 7, 5] });
            assert!(ratio.abs() < 1e-9, "{ratio}");
        }
    }

    #[test]
    fn test_ends_either_way() {
        for text in ["0,50", "0,50,model=normalized"] {
            let test: Sprt = text.parse().expect("a test");
            let [lower, upper] = test.bounds();
            assert!((upper - 2.944).abs() < 0.001 && lower == -upper);
            assert_eq!(test.log_likelihood_ratio(&Pentanomial::default()), 0.0);
            let state = |counts| test.state(&Pentanomial { counts });
            assert_eq!(state([1, 1, 1, 1, 1]), SprtState::Undecided);
            assert_eq!(state([2, 5, 20, 30, 40]), SprtState::Upper);
            assert_eq!(state([40, 30, 20, 5, 2]), SprtState::Lower);
            assert_eq!(state([0, 0, 0, 0, 30]), SprtState::Upper);
        }
    }

    #[test]
    fn rates_of_error_are_free() {
        let test: Sprt = "0,50,alpha=0.01,beta=0.1".parse().expect("a test");
        let [lower, upper] = test.bounds();
        assert!((lower - (0.1_f64 / 0.99).ln()).abs() < 1e-12, "{lower}");
        assert!((upper - (0.9_f64 / 0.01).ln()).abs() < 1e-12, "{upper}");
    }

    #[test]
    fn tests_are_read_back() {
        for text in [
            "0,20",
            "-10,10",
            "0.5,2.5",
            "0,5,alpha=0.01",
            "0,5,alpha=0.01,beta=0.1,model=normalized",
        ] {
            assert_eq!(text.parse::<Sprt>().map(|test| test.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("0,5,model=logistic".parse::<Sprt>(), "0,5".parse());
        for bad in [
            "",
            "5",
            "20,0",
            "5,5",
            "0,x",
            "nan,1",
            "0,inf",
            "-2000,0",
            "0,5,10",
            "0,5,alpha=0",
            "0,5,beta=0.5",
            "0,5,alpha=nan",
            "0,5,model=bayesian",
            "0,500,model=normalized",
            "0,5,gamma=1",
        ] {
            assert_eq!(bad.parse::<Sprt>(), Err(NotATest), "{bad}");
        }
    }
}
