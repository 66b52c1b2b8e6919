//! An evaluator of noise: hashes that look random and are the same every time.

use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::random::mix;
use crate::score::Score;

/// The amplitude of the noise in the order of moves, on the scale of [`Evaluator::order`].
const ORDER_AMPLITUDE: i32 = 5_000;

/// An evaluator without any sense: the margin so far and noise, the same for the same key.
///
/// Sensible evaluations hide faults of a search, since with them a wrong value is often nearly
/// right, and a wrong move nearly as good. With noise nothing hides. A small amplitude gives many
/// ties.
///
/// ```
/// use plyground::Evaluator;
/// use plyground::testing::{HashNoise, TicTacToe};
///
/// let noise = HashNoise { seed: 1, amplitude: 50 };
/// let score = noise.evaluate(&TicTacToe::default()).get();
/// assert!((-50..=50).contains(&score));
/// assert_eq!(score, noise.evaluate(&TicTacToe::default()).get());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HashNoise {
    /// The seed; different seeds give independent noise.
    pub seed: u64,
    /// The noise is between minus and plus this, in hundredths of a point; not negative.
    pub amplitude: i32,
}

impl HashNoise {
    fn noise(self, key: u64, amplitude: i32) -> i32 {
        let width = 2 * i64::from(amplitude) + 1;
        let within = mix(self.seed, key) % width.unsigned_abs().max(1);
        (within as i64 - i64::from(amplitude)) as i32
    }
}

impl<G: SearchHints> Evaluator<G> for HashNoise {
    fn evaluate(&self, position: &G) -> Score {
        let noise = self.noise(position.key(), self.amplitude);
        Score::estimate(position.margin() * G::POINT + noise)
    }

    fn order(&self, _: &G, _: G::Move, next: &G) -> i32 {
        self.noise(!next.key(), ORDER_AMPLITUDE)
    }
}
