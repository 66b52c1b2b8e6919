//! Games whose rules are a program: Isolation in Python by every command, and broken rules.

use std::process::Command as Process;

use crate::common::run::{self, Run, Tested};

mod broken;
mod isolation;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

type TestFolder = run::TestFolder<Plyground>;

/// Returns a folder with the kit for rules in Python below it.
fn kit() -> TestFolder {
    let folder = TestFolder::new();
    folder.run("rules-kit --language python --out kit").success();
    folder
}

/// Runs a command for a game that is a program, with arguments separated by blanks.
fn run(folder: &TestFolder, game: &str, args: &str) -> Run {
    run_with(folder, game, args, "")
}

fn run_with(folder: &TestFolder, game: &str, args: &str, input: &str) -> Run {
    let mut command = folder.command(["--game", game]);
    Run::of(command.args(args.split_whitespace()).write_stdin(input))
}
