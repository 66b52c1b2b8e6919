//! Hashes: randomness that is the same every time it is asked.

use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::Score;

/// Mixes two numbers into one, every bit of which depends on every bit of both (the finalizer of
/// SplitMix64; G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number
/// generators", 2014).
#[inline]
#[must_use]
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut hash = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b;
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// How far apart the noise puts moves, on the scale of [`Evaluator::order`].
const ORDER_AMPLITUDE: i32 = 5_000;

/// An evaluator without any sense: banked points and noise, the same for the same key.
///
/// Sensible evaluations hide faults of a search, since with them a wrong value is often nearly
/// right, and a wrong move nearly as good. With noise nothing hides. A small amplitude gives many
/// ties.
#[derive(Clone, Copy, Debug)]
pub struct HashNoise {
    /// Different seeds give independent noise.
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

impl<G: Game> Evaluator<G> for HashNoise {
    fn evaluate(&self, position: &G) -> Score {
        let noise = self.noise(position.key(), self.amplitude);
        Score::estimate(position.banked() * Score::POINT + noise)
    }

    fn order(&self, _: &G, _: G::Move, next: &G) -> i32 {
        self.noise(!next.key(), ORDER_AMPLITUDE)
    }
}
