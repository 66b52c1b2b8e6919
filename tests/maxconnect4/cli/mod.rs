//! The program `maxconnect4`, run as people run it.
//!
//! Expected outputs are files; after a change of the search that is meant to change them, run the
//! tests once with `UPDATE_GOLDEN=1` and look at the difference.

use std::path::{Path, PathBuf};

use crate::common::project;
use crate::common::run::{self, Tested, assert_same_as_file};

pub use crate::common::run::Run;

mod analysis;
mod book;
mod cluster;
mod external;
#[cfg(unix)]
pub mod grade;
mod inputs;
mod matches;
mod one_move;
mod review;
mod submissions;
#[cfg(target_os = "linux")]
mod terminal;
mod timing;
mod tournament;

/// The program that is run.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_maxconnect4");

/// A folder to run it in.
pub type TestFolder = run::TestFolder<MaxConnect4>;

/// The program `maxconnect4`.
pub struct MaxConnect4;

impl Tested for MaxConnect4 {
    const PROGRAM: &str = PROGRAM;
}

/// The input of the assignment with twelve pieces, with LF as line ends.
pub const TWELVE_PIECES: &str = "0000000\n0000000\n0200000\n0100002\n0200111\n1100222\n1\n";

/// A board with a single empty cell, in column 4; player 2 is to move.
pub const LAST_MOVE: &str = "2220222\n1111111\n2222222\n1111111\n2222222\n1111111\n2\n";

/// The same board after the last move.
pub const AFTER_LAST_MOVE: &str = "2222222\n1111111\n2222222\n1111111\n2222222\n1111111\n1\n";

/// A full board on which player 2 has more points, 3 to 2.
pub const FULL: &str = "2122111\n2111212\n2212112\n2112221\n1122222\n1121121\n1\n";

/// A file of `inputs/maxconnect4`.
pub fn input(name: &str) -> PathBuf {
    project().join("inputs/maxconnect4").join(name)
}

/// A file of `tests/maxconnect4`.
pub fn data(name: &str) -> PathBuf {
    project().join("tests/maxconnect4").join(name)
}

/// Compares with a file of `tests/maxconnect4`, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_golden(name: &str, actual: &str) {
    assert_same_as_file(Path::new(&data(name)), actual);
}
