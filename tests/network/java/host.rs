//! The host by itself, and what it says to other referees than ours.

use assert_cmd::Command;

use super::jdk::{CLASSES, needs_jdk};
use crate::common::run::Run;

/// Returns the answers of the host to these lines, for a player of the submissions.
fn conversation(said: &[&str]) -> Run {
    let mut java = Command::new("java");
    java.arg("-cp").arg(&*CLASSES).args(["plyground.host.Host", "player.MachinePlayer"]);
    Run::of(java.write_stdin(said.join("\n")))
}

#[track_caller]
fn assert_answers(said: &[&str], answers: &[&str]) {
    let run = conversation(said).success();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), answers.len(), "{}", run.stdout);
    for (line, answer) in lines.iter().zip(answers) {
        assert!(line.starts_with(answer), "`{line}` is not like `{answer}`");
    }
}

#[test]
fn it_answers_as_the_protocol_has_it() {
    needs_jdk!();
    assert_answers(
        &[
            "newgame network berkeley second",
            "isready",
            "hello",
            "",
            "position startpos moves 34",
            "isready",
            "go wall 1000",
            "quit",
            "isready",
        ],
        &["readyok", "readyok", "bestmove "],
    );
}

#[test]
fn it_says_which_moves_are_taken_for_illegal() {
    needs_jdk!();
    assert_answers(
        &[
            "newgame network berkeley second",
            "position startpos moves 00",
            "isready",
            // The player's own, which is forced upon it, in the other's goal.
            "position startpos moves 11 05",
            "isready",
            "position startpos moves 11 05 33",
            "isready",
            "go",
        ],
        &["illegal 00", "readyok", "illegal 05", "readyok", "readyok", "bestmove "],
    );
}

#[test]
fn it_begins_anew_when_the_game_does() {
    needs_jdk!();
    assert_answers(
        &[
            // Which side it is shows only when it is to move.
            "newgame network berkeley",
            "isready",
            "position startpos moves 34",
            "isready",
            "go",
            // Taken back, and the other side besides.
            "position startpos",
            "go",
            "newgame network berkeley first",
            "position startpos moves 34 43",
            "isready",
            "go",
        ],
        &["readyok", "readyok", "bestmove ", "bestmove ", "readyok", "bestmove "],
    );
}

#[test]
fn it_sets_up_positions_chip_by_chip() {
    needs_jdk!();
    let state = "......../.W....../......../...B..../......../..W...../......../......../B";
    let position = format!("position {state} moves 11 33");
    assert_answers(
        &["newgame network berkeley second", &position, "isready", "go"],
        // Both squares are taken already.
        &["illegal 11", "illegal 33", "readyok", "bestmove "],
    );
    // White, who begins, cannot be one chip behind.
    let position = format!("position {}", state.replace('W', "."));
    let run = conversation(&["newgame network berkeley second", &position]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("adding chips in turn does not lead to"), "{}", run.stderr);
}
