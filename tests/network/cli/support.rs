//! Running the program, and comparing with files.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

pub use crate::run::Run;
use crate::run::assert_same_as_file;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of `inputs/network`, as an argument.
pub fn input(name: &str) -> String {
    project().join("inputs/network").join(name).display().to_string()
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

    pub fn write(&self, name: &str, contents: &str) {
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
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_network"));
        command.current_dir(self.0.path()).args(args.split_whitespace());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
        command
    }

    /// Runs the program with arguments separated by blanks, and nothing on standard input.
    pub fn run(&self, args: &str) -> Run {
        Run::of(&mut self.command(args))
    }

    /// Runs the program with arguments separated by blanks and this on standard input.
    pub fn run_with(&self, args: &str, stdin: &str) -> Run {
        Run::of(self.command(args).write_stdin(stdin))
    }
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

/// Whether the line is that of a result.
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
