//! Zobrist keys: one random number for every fact of a position, joined by exclusive or.
//!
//! Source: A. L. Zobrist, "A New Hashing Method with Application for Game Playing", 1970.

use crate::color::Color;
use crate::square::Square;

/// Part of the key when Black is to move.
pub(crate) const BLACK_TO_MOVE: u64 = TABLE[2 * Square::COUNT];

/// Part of the key under the USF rules.
pub(crate) const USF_RULES: u64 = TABLE[2 * Square::COUNT + 1];

/// The part of the key that stands for a chip of `color` on `square`.
#[inline]
pub(crate) fn chip(color: Color, square: Square) -> u64 {
    KEYS[color.index() * Square::COUNT + square.index()]
}

const SEED: u64 = 0x4E65_7477_6F72_6B21;

const TABLE: [u64; 2 * Square::COUNT + 2] = keys();

/// The table in memory, for look-ups at run time.
static KEYS: [u64; 2 * Square::COUNT + 2] = TABLE;

const fn keys() -> [u64; 2 * Square::COUNT + 2] {
    let mut keys = [0; 2 * Square::COUNT + 2];
    let mut state = SEED;
    let mut i = 0;
    while i < keys.len() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        keys[i] = split_mix(state);
        i += 1;
    }
    keys
}

/// The output function of SplitMix64 (Steele, Lea and Flood, 2014).
const fn split_mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
