//! Our players in the programs of the courses.

use network::{Notation, Position, Rules};
use plyground::{Game, Outcome};

use super::jdk::{needs_jdk, ours, path_with_program, play, run, theirs};

const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

/// Returns what the program of a course prints: the moves of a game between two players of ours,
/// whose program is found by a property or, without one, by `PATH`.
fn moves_of_course(class: &str, properties: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let roots = std::env::join_paths([ours().join("engine"), ours().join("given")]);
    run("javac", |javac| {
        javac.arg("-d").arg(folder.path()).arg("-sourcepath").arg(roots.expect("folders"));
        javac.arg(theirs("course").join(format!("{class}.java")));
    })
    .success();
    let game = run("java", |java| {
        java.args(properties).arg("-cp").arg(folder.path()).arg(class);
        if properties.len() < 2 {
            java.env("PATH", path_with_program());
        }
    });
    game.success().stdout.lines().map(str::to_owned).collect()
}

/// Plays the moves, and how the game ends.
fn outcome(rules: Rules, notation: Notation, moves: &[String]) -> Option<Outcome> {
    let mut position = Position::new(rules);
    for text in moves {
        let mv = notation.parse_move(text).unwrap_or_else(|error| panic!("{error}"));
        position.play(mv).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    position.outcome()
}

#[test]
fn machine_player_of_ours_plays_in_berkeleys_program() {
    needs_jdk!();
    let moves = moves_of_course("BerkeleyCourse", &[]);
    assert!(outcome(Rules::Berkeley, Notation::BerkeleyWords, &moves).is_some(), "{moves:?}");
}

#[test]
fn computer_player_of_ours_plays_in_usfs_program() {
    needs_jdk!();
    let program = format!("-Dnetwork.program={}", PROGRAM);
    let player = "-Dnetwork.player=machine:depth=2".to_owned();
    let moves = moves_of_course("UsfCourse", &[program, player]);
    assert!(outcome(Rules::Usf, Notation::Usf, &moves).is_some(), "{moves:?}");
}

#[test]
fn our_own_classes_are_submissions_too() {
    needs_jdk!();
    let engine = "../../../../games/network/java/engine";
    let run = play(engine, &format!("{{}} random --depth 2 --seed 1 --visible {PROGRAM}"));
    assert!(run.stdout.contains("\nResult: 1-0 (network of White "), "{}", run.stdout);
}
