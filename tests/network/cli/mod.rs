//! The program `network`, run as people run it.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once
//! with `UPDATE_GOLDEN=1` and look at the difference.

use crate::common::project;
use crate::common::run::{self, Tested, assert_same_as_file};

pub use crate::common::run::Run;

mod assignments;
mod external;
mod harness;

/// The program that is run.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

/// A folder to run it in.
pub type TestFolder = run::TestFolder<Network>;

/// The program `network`.
pub struct Network;

impl Tested for Network {
    const PROGRAM: &str = PROGRAM;
}

/// A file of `inputs/network`, as an argument.
pub fn input(name: &str) -> String {
    project().join("inputs/network").join(name).display().to_string()
}

impl Run {
    /// Holds the run to exit code 2 and one line on standard error with `part` in it.
    #[track_caller]
    pub fn refusal(self, part: &str) {
        self.failure(2, part);
    }

    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }
}

/// Returns `true` if the line is that of a result.
pub fn is_result(line: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2"]
        .iter()
        .any(|result| line.starts_with(&format!("Result: {result} (")) && line.ends_with(')'))
}

/// Compares with a file of `tests/network/golden`, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_golden(name: &str, actual: &str) {
    assert_same_as_file(&project().join("tests/network/golden").join(name), actual);
}
