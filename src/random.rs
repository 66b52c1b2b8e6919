//! Numbers that look random and are the same every time.

/// Mixes two numbers into one, every bit of which depends on every bit of both (the finalizer of
/// SplitMix64; G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number
/// generators", 2014).
#[inline]
#[must_use]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut hash = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b;
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}
