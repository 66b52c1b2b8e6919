//! Two processes that prove the same at the same time.

use std::process::Command;

use super::{PROGRAM, TestFolder, without_figures};
use crate::common::race::{Pipe, race};

/// Five chips of White, four of Black: the game is as good as decided.
const START: &str =
    "........\n..B.....\n........\nW..W...W\n...B....\n....BW..\n........\n...B....\nW\n";

const ROUNDS: usize = 20;

/// Runs a command with `--csv pipe` by two processes, the journal of which is in `journal`, and
/// compares with what it does undisturbed. The file `kept` is in the end as it was after that.
fn together(args: &str, journal: &str, kept: &str) {
    let folder = TestFolder::new();
    folder.write("in.txt", START);
    let alone = folder.run(&format!("{args} --csv alone.csv")).success();
    let (rows, expected) = (folder.read("alone.csv"), folder.read(kept));
    let pipe = Pipe::new(folder.path("pipe"));
    let command = || {
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.path(".")).args(args.split(' ')).args(["--csv", "pipe"]);
        command
    };
    for _ in 0..ROUNDS {
        std::fs::remove_file(folder.path(kept)).expect("a file of the round before");
        let (race, pipe) = race(command, || pipe.open());
        race.assert_refused(journal);
        let stdout = String::from_utf8_lossy(&race.winner.stdout);
        assert_eq!(without_figures(&stdout), without_figures(&alone.stdout));
        assert_eq!(String::from_utf8_lossy(&pipe.written()), rows);
        assert_eq!(folder.read(kept), expected);
        assert_eq!(folder.files(), ["alone.csv", "in.txt", kept, "pipe"]);
    }
}

#[test]
fn one_of_two_finds_out_about_openings() {
    let args = "openings in.txt --chips 7 --first 22 --journal journal --threads 1";
    together(args, "journal", "journal");
}

#[test]
fn one_of_two_solves() {
    let args = "solve in.txt --opening 22 --least --journal journal --threads 1";
    together(args, "journal", "journal");
}

#[test]
fn one_of_two_writes_the_strategy() {
    let args = "solve in.txt --opening 22 --strategy out.txt --threads 1";
    together(args, "out.txt.journal", "out.txt");
}
