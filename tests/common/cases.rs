//! Cases that are drawn, and shrunk to the simplest that fails.

use proptest::test_runner::{Config, RngSeed};

/// So many cases, the same in every run.
pub fn cases(count: u32) -> Config {
    let rng_seed = RngSeed::Fixed(1);
    Config { cases: count, rng_seed, failure_persistence: None, ..Config::default() }
}
