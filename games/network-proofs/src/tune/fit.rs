//! Logistic regression.

use thiserror::Error;

use super::sample::Sample;

/// The least distance of expected scores from 0 and 1: the logarithm of 0 is infinite.
const LEAST_CHANCE: f64 = 1e-12;
/// The greatest scale. A hundredth of a point is then as good as a win.
const MAX_SCALE: f64 = 10.0;
/// The number of halvings after which the range of scales is too small to matter.
const HALVINGS: u32 = 60;

/// The relation between the evaluation and the result.
///
/// The expected score is 1 / (1 + exp(-scale · value)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curve {
    /// The steepness of the curve per hundredth of a point; greater than 0.
    pub(super) scale: f64,
}

/// The error that the results of the samples do not get better with the evaluation, or that there are no
/// samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the evaluation says nothing about the results of {samples} positions")]
pub(super) struct NoCurve {
    /// The number of samples.
    pub(super) samples: usize,
}

impl Curve {
    /// Returns the curve by which the results are most likely with these weights.
    ///
    /// # Errors
    ///
    /// Returns an error if no rising curve is the most likely.
    pub(super) fn through<const N: usize>(
        samples: &[Sample<N>],
        weights: &[f64; N],
    ) -> Result<Curve, NoCurve> {
        // The loss is convex in the scale: its derivative has one zero at most.
        let falls = |scale| {
            let curve = Curve { scale };
            let slope = |sample: &Sample<N>| curve.excess(sample, weights) * sample.value(weights);
            samples.iter().map(slope).sum::<f64>() < 0.0
        };
        if !falls(0.0) {
            return Err(NoCurve { samples: samples.len() });
        }
        let (mut low, mut high) = (0.0, MAX_SCALE);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if falls(middle) { low = middle } else { high = middle }
        }
        Ok(Curve { scale: high })
    }

    /// Returns the expected score of the side to move, from 0 to 1, if the evaluation is `value`
    /// hundredths.
    #[must_use]
    pub(super) fn expected(self, value: f64) -> f64 {
        1.0 / (1.0 + (-self.scale * value).exp())
    }

    /// Returns the mean log loss of the expected scores in nats: 0 if every result was predicted with
    /// certainty, ln 2 if nothing is known. Not a number without samples.
    #[must_use]
    pub(super) fn loss<const N: usize>(self, samples: &[Sample<N>], weights: &[f64; N]) -> f64 {
        let loss = |sample: &Sample<N>| {
            let expected = self.expected(sample.value(weights));
            let expected = expected.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
            -(sample.result * expected.ln() + (1.0 - sample.result) * (1.0 - expected).ln())
        };
        samples.iter().map(loss).sum::<f64>() / samples.len() as f64
    }

    /// Returns the excess of the expected score over the result.
    fn excess<const N: usize>(self, sample: &Sample<N>, weights: &[f64; N]) -> f64 {
        self.expected(sample.value(weights)) - sample.result
    }
}

/// Returns the weights after `epochs` steps of gradient descent down the [loss](Curve::loss) from these.
/// The curve stays the same, so that the weights keep their unit. A term that never occurs keeps its
/// weight.
///
/// Every step is over all samples in their order, so the result is always the same.
#[must_use]
pub(super) fn fit<const N: usize>(
    samples: &[Sample<N>],
    curve: Curve,
    mut weights: [f64; N],
    epochs: u32,
) -> [f64; N] {
    let steps = steps(samples, curve);
    for _ in 0..epochs {
        let mut gradient = [0.0; N];
        for sample in samples {
            let excess = curve.excess(sample, &weights);
            for (sum, &term) in gradient.iter_mut().zip(&sample.terms) {
                *sum += excess * f64::from(term);
            }
        }
        for ((weight, sum), step) in weights.iter_mut().zip(gradient).zip(steps) {
            *weight -= step * sum;
        }
    }
    weights
}

/// Returns the factors for the parts of the sum of the gradients.
///
/// If every term is divided by its root mean square, the curvature of the loss is at most N / 4 in every
/// direction (the trace of the Hessian), and a step of 4 / N never climbs.
fn steps<const N: usize>(samples: &[Sample<N>], curve: Curve) -> [f64; N] {
    std::array::from_fn(|index| {
        let squares = samples.iter().map(|sample| f64::from(sample.terms[index]).powi(2));
        let sum: f64 = squares.sum();
        if sum > 0.0 { 4.0 / (N as f64 * curve.scale * sum) } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const CURVE: Curve = Curve { scale: 0.01 };

    /// Returns samples whose results follow the curve with these weights; the last term never occurs.
    fn samples(count: usize, weights: &[f64; 4]) -> Vec<Sample<4>> {
        let mut rng = StdRng::seed_from_u64(1);
        let mut draw = || {
            let others = [rng.random_range(-3..=3), rng.random_range(-9..=9)];
            let mut sample = Sample { terms: [1, others[0], others[1], 0], result: 0.0 };
            let expected = CURVE.expected(sample.value(weights));
            sample.result = f64::from(u8::from(rng.random::<f64>() < expected));
            sample
        };
        (0..count).map(|_| draw()).collect()
    }

    #[test]
    fn weights_behind_the_results_are_found() {
        let truth = [20.0, 80.0, -30.0, 0.0];
        let samples = samples(40_000, &truth);
        let start = [0.0, 10.0, 10.0, 7.0];
        let fitted = fit(&samples, CURVE, start, 300);
        for (weight, truth) in fitted.iter().zip(&truth[..3]) {
            assert!((weight - truth).abs() < 4.0, "{fitted:?}");
        }
        assert_eq!(fitted[3], start[3]);
        let curve = Curve::through(&samples, &truth).expect("a curve");
        assert!((curve.scale / CURVE.scale - 1.0).abs() < 0.05, "{curve:?}");
    }

    #[test]
    fn no_step_climbs() {
        let samples = samples(500, &[20.0, 80.0, -30.0, 0.0]);
        let mut weights = [0.0; 4];
        let mut loss = CURVE.loss(&samples, &weights);
        assert!((loss - 2_f64.ln()).abs() < 1e-12);
        for _ in 0..50 {
            weights = fit(&samples, CURVE, weights, 1);
            let next = CURVE.loss(&samples, &weights);
            assert!(next <= loss, "{next} after {loss}");
            loss = next;
        }
    }

    #[test]
    fn evaluation_that_says_nothing_has_no_curve() {
        let samples = samples(500, &[20.0, 80.0, -30.0, 0.0]);
        let none = NoCurve { samples: 500 };
        assert_eq!(Curve::through(&samples, &[0.0; 4]), Err(none));
        assert_eq!(Curve::through(&samples, &[0.0, -80.0, 30.0, 0.0]), Err(none));
        assert!(Curve::through::<4>(&[], &[1.0; 4]).is_err());
    }

    #[test]
    fn results_foreseen_for_sure_are_no_trouble() {
        let samples = [Sample { terms: [1], result: 1.0 }, Sample { terms: [-1], result: 0.0 }];
        let curve = Curve::through(&samples, &[100.0]).expect("a curve");
        assert!(curve.loss(&samples, &[1e9]) < 1e-9);
        assert!(fit(&samples, curve, [100.0], 100)[0].is_finite());
    }
}
