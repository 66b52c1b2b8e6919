//! The program `network`, run as people run it.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once
//! with `UPDATE_GOLDEN=1` and look at the difference.

use crate::common::project;
use crate::common::run::{self, Tested, assert_same_as_file};

pub use crate::common::run::Run;

mod assignments;
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

#[cfg(unix)]
mod external {
    //! Other programs as players, and our own as theirs.

    use super::{PROGRAM, Run, TestFolder, is_result};

    /// The moves and the result of a game.
    fn moves(run: &Run) -> Vec<String> {
        let is_move = |line: &&str| line.contains(" adds ") || line.contains(" moves ");
        let is_shown = |line: &&str| is_move(line) || line.starts_with("Result");
        let lines = run.stdout.lines().filter(is_shown);
        lines.map(|line| line.split("  (").next().unwrap_or(line).to_owned()).collect()
    }

    fn play(folder: &TestFolder, first: &str, rules: &str) -> Run {
        let options = format!("-q --table 1 -t 60 --ply-cap 60 --rules {rules}");
        Run::of(folder.command(options.split_whitespace()).args([first, "machine:depth=1"]))
    }

    #[test]
    fn our_players_play_the_same_as_programs_by_all_rules() {
        let folder = TestFolder::new();
        for rules in ["berkeley", "usf"] {
            let inside = play(&folder, "machine:depth=2", rules).success();
            assert!(moves(&inside).len() > 10, "{}", inside.stdout);
            let engine = format!("line:{PROGRAM} engine machine:depth=2 --table 1 --rules {rules}");
            let by_lines = play(&folder, &engine, rules);
            assert_eq!(moves(&by_lines), moves(&inside), "{}", by_lines.stderr);
        }
    }

    #[test]
    fn positions_are_exchanged_by_files() {
        let folder = TestFolder::new();
        let one_move = format!("file:{PROGRAM} one-move {{in}} {{out}} 2 --table 1");
        let run = play(&folder, &one_move, "berkeley");
        assert!(moves(&run).len() > 10, "{} {}", run.stdout, run.stderr);
        assert!(!run.stdout.contains("(White: "), "{}", run.stdout);
    }

    #[test]
    fn an_engine_answers() {
        let said = "newgame network berkeley\nposition startpos moves 34 21\ngo depth 1\n\
            position startpos moves 34 34\n";
        let folder = TestFolder::new();
        let mut command = folder.command(["engine", "--rules", "berkeley", "--table", "1"]);
        let run = Run::of(command.write_stdin(said)).success();
        let lines: Vec<_> = run.stdout.lines().collect();
        assert_eq!(lines.len(), 2, "{}", run.stdout);
        assert!(
            lines[0].starts_with("bestmove ") && lines[0].contains(" depth 1 score "),
            "{}",
            lines[0]
        );
        assert!(lines[1].starts_with("illegal 34 "), "{}", lines[1]);
    }

    #[test]
    fn an_engine_takes_the_rules_of_the_referee() {
        let folder = TestFolder::new();
        for rules in ["usf", "berkeley"] {
            let engine = format!("line:{PROGRAM} engine random --seed 1");
            let args = ["play", "-q", "--rules", rules, "--seed", "3", &engine, "random"];
            let run = Run::of(&mut folder.command(args)).success();
            assert!(is_result(run.last_line()), "{}", run.stdout);
            assert!(!run.stdout.contains("illegal"), "{}", run.stdout);
        }
    }

    #[test]
    fn our_own_engines_speak_the_protocol() {
        let engine = format!("{PROGRAM} engine machine:depth=1 --table 1");
        for rules in ["usf", "berkeley"] {
            let args = ["--rules", rules, "engine-check", &engine];
            let run = Run::of(&mut TestFolder::new().command(args)).success();
            assert!(run.stdout.ends_with("15 of 15 exchanges as expected\n"), "{}", run.stdout);
        }
    }
}
