//! A folder to run a program in.

use std::ffi::OsStr;
use std::fs;
use std::marker::PhantomData;
use std::path::PathBuf;

use assert_cmd::Command;
use tempfile::TempDir;

use super::run::Run;

/// Which program is run.
pub trait Tested {
    /// The path of the program.
    const PROGRAM: &str;
}

/// A folder to run the program in, removed when dropped.
pub struct TestFolder<P>(TempDir, PhantomData<P>);

impl<P: Tested> TestFolder<P> {
    pub fn new() -> TestFolder<P> {
        TestFolder(TempDir::new().expect("a temporary folder"), PhantomData)
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

    /// The program, about to run in this folder, whatever the tester wants to see in color.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(P::PROGRAM);
        command.current_dir(self.0.path()).args(args);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
        command
    }

    /// Runs the program with arguments separated by blanks, and nothing on standard input.
    pub fn run(&self, args: &str) -> Run {
        Run::of(&mut self.command(args.split_whitespace()))
    }

    /// Runs the program with arguments separated by blanks and this on standard input.
    pub fn run_with(&self, args: &str, stdin: &str) -> Run {
        Run::of(self.command(args.split_whitespace()).write_stdin(stdin))
    }
}
