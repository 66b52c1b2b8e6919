//! The checksum of books, and numbers that look random and are the same every time.
//!
//! The engine computes the checksum itself, since it depends on no other crate. The files of the crates
//! above have that of `plyground_durable`, which knows no engine.

/// Returns the hash FNV-1a in 64 bits (G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, "The FNV
/// non-cryptographic hash algorithm", RFC 9923): every change of a single byte changes it.
///
/// ```
/// use plyground::checksum::fnv1a;
///
/// assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
/// assert_ne!(fnv1a(b"7 won"), fnv1a(b"7 not"));
/// ```
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

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

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn known_values() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
