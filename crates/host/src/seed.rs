//! Seeds for chance that need not be repeated.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A number that is different in every run.
#[must_use]
pub fn any_seed() -> u64 {
    // The standard library seeds its hash maps with numbers from the OS.
    RandomState::new().build_hasher().finish()
}
