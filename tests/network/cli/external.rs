//! Other programs as players, and our own as theirs.

#![cfg(unix)]

use super::{Run, TestFolder, is_result};

const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

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
