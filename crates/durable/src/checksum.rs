//! Checksums of data that is read back.
//!
//! Books have that of the engine, which depends on no other crate.

use std::hash::Hasher;

/// Returns the 64-bit FNV-1a checksum of the bytes, which reveals accidental changes but no deliberate ones.
///
/// Source: Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>.
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
