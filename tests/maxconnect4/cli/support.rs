//! Running the program, and comparing with files.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

pub use crate::run::Run;
use crate::run::assert_same_as_file;

/// The input of the assignment with twelve pieces, with LF as line ends.
pub const TWELVE_PIECES: &str = "0000000\n0000000\n0200000\n0100002\n0200111\n1100222\n1\n";

/// A board with a single empty cell, in column 4; player 2 is to move.
pub const LAST_MOVE: &str = "2220222\n1111111\n2222222\n1111111\n2222222\n1111111\n2\n";

/// The same board after the last move.
pub const AFTER_LAST_MOVE: &str = "2222222\n1111111\n2222222\n1111111\n2222222\n1111111\n1\n";

/// A full board on which player 2 has more points, 3 to 2.
pub const FULL: &str = "2122111\n2111212\n2212112\n2112221\n1122222\n1121121\n1\n";

/// The folder of this project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of `inputs/maxconnect4`.
pub fn input(name: &str) -> PathBuf {
    project().join("inputs/maxconnect4").join(name)
}

/// A file of `tests/maxconnect4`.
pub fn data(name: &str) -> PathBuf {
    project().join("tests/maxconnect4").join(name)
}

/// A folder to run the program in, removed when dropped.
pub struct Sandbox(TempDir);

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox(TempDir::new().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).expect("a file in a temporary folder");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of the files in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a temporary folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    /// The program, about to run in this folder.
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_maxconnect4"));
        command.current_dir(self.0.path()).args(args);
        command
    }

    /// Runs the program with arguments separated by blanks.
    pub fn run(&self, args: &str) -> Run {
        Run::of(&mut self.command(args.split_whitespace()))
    }

    /// Runs the program with arguments separated by blanks and this on standard input.
    pub fn run_with(&self, args: &str, stdin: &str) -> Run {
        Run::of(self.command(args.split_whitespace()).write_stdin(stdin))
    }
}

/// Compares with a file of `tests/maxconnect4`, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_golden(name: &str, actual: &str) {
    assert_same_as_file(Path::new(&data(name)), actual);
}
