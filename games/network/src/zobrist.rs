//! Zobrist keys: one random number for every fact of a position, joined by exclusive or.
//!
//! Source: A. L. Zobrist, "A New Hashing Method with Application for Game Playing", 1970.

use crate::color::Color;
use crate::square::Square;

/// The part of the key for Black to move.
pub(crate) const BLACK_TO_MOVE: u64 = random(2 * Square::COUNT);

/// The part of the key for the USF rules.
pub(crate) const USF_RULES: u64 = random(2 * Square::COUNT + 1);

/// Returns the part of the key that stands for a chip of `color` on `square`.
#[inline]
pub(crate) fn chip(color: Color, square: Square) -> u64 {
    match color {
        Color::White => WHITE[square.index()],
        Color::Black => BLACK[square.index()],
    }
}

static WHITE: [u64; Square::COUNT] = randoms(0);
static BLACK: [u64; Square::COUNT] = randoms(Square::COUNT);

const SEED: u64 = 0x4E65_7477_6F72_6B21;

/// Returns the numbers from `first` on of the sequence.
const fn randoms(first: usize) -> [u64; Square::COUNT] {
    let mut randoms = [0; Square::COUNT];
    let mut i = 0;
    while i < randoms.len() {
        randoms[i] = random(first + i);
        i += 1;
    }
    randoms
}

/// Returns number `n` of a sequence of random numbers.
const fn random(n: usize) -> u64 {
    const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;
    split_mix(SEED.wrapping_add(INCREMENT.wrapping_mul(n as u64 + 1)))
}

/// Computes the output function of SplitMix64 (Steele, Lea and Flood, 2014).
const fn split_mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
