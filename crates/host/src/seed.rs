//! Seeds for chance that need not be repeated.

/// Returns a number that is different in every run.
#[must_use]
pub fn any_seed() -> u64 {
    rand::random()
}
