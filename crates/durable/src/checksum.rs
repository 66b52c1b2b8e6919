//! Checksums of what is read back.

use std::hash::Hasher;

/// Returns the 64-bit FNV-1a checksum of the bytes: it tells that a file has changed, and not that nobody
/// wanted it to.
///
/// Source: Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>.
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
