//! Submissions against our players, and how their games end.

use super::jdk::{needs_jdk, network, play, play_class};
use crate::common::run::Run;

/// Holds the game of a class against the random player to its last line.
#[track_caller]
fn assert_result(class: &str, options: &str, result: &str) {
    let run = play_class(class, &format!("{{}} random --seed 1{options}"));
    let last = run.stdout.lines().last().unwrap_or_default();
    assert_eq!((run.code, last), (Some(0), result), "{class}: {}", run.stderr);
}

#[track_caller]
fn assert_fault(class: &str, options: &str, fault: &str) {
    assert_result(class, options, &format!("Result: 0-1 (White: {fault})"));
}

/// The end of the game of two random players.
const NETWORK: &str = "Result: 0-1 (network of Black 50-23-33-35-55-37)";

#[test]
fn berkeley_player_plays_to_the_end() {
    needs_jdk!();
    assert_result("MachinePlayer", "", NETWORK);
    let run = play("berkeley", "machine {} --depth 2 --seed 1");
    assert!(run.stdout.contains("\nResult: 1-0 (network of White "), "{}", run.stdout);
}

#[test]
fn usf_player_plays_either_side() {
    needs_jdk!();
    let run = play("usf", "machine {} --depth 2 --rules usf");
    assert!(run.stdout.contains("\nResult: 1-0 (network of Black "), "{}", run.stdout);
    let run = play("usf:testComputerPlayer", "{} machine --depth 2 --rules usf");
    assert!(run.stdout.contains("\nResult: 0-1 (network of White "), "{}", run.stdout);
}

#[test]
fn steps_are_told_and_made() {
    needs_jdk!();
    // Two random players who see no networks need steps, more often than not, if nobody wins.
    let steps = (1..=10).any(|seed| {
        let run = play("berkeley", &format!("{{}} random --seed {seed}"));
        assert!(!run.stdout.contains("rejected"), "{}", run.stdout);
        let fault = run.stdout.lines().last().filter(|line| !line.contains("network of"));
        assert_eq!(fault, None, "seed {seed}: {}", run.stderr);
        run.stdout.contains("White steps ") && run.stdout.contains("Black steps ")
    });
    assert!(steps, "no game in which the submission steps");
}

#[test]
fn opening_is_given_to_the_player() {
    needs_jdk!();
    let player = "java:tests/network/java/submissions/berkeley";
    let mut command = network(&["match", player, "random", "--games", "2", "--seed", "1"]);
    let run = Run::of(&mut command).success();
    assert!(!run.stdout.contains("fault"), "{}", run.stdout);
}

#[test]
fn printed_text_is_no_part_of_the_protocol() {
    needs_jdk!();
    assert_result("Chatty", "", NETWORK);
}

#[test]
fn depth_is_given_to_the_constructor() {
    needs_jdk!();
    let logs = tempfile::tempdir().expect("a temporary folder");
    let folder = logs.path().display();
    let run = play("berkeley", &format!("{{}} random --seed 1 --depth 3 --logs {folder}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut files = std::fs::read_dir(logs.path()).expect("the folder");
    let log = files.next().expect("a log").expect("a log").path();
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "depth 3\n");
}

#[test]
fn player_that_throws_or_exits_crashes() {
    needs_jdk!();
    let cause = "java.lang.IllegalStateException: no idea";
    assert_fault("Throwing", "", &format!("crash, exit code 1: {cause}"));
    assert_fault("Exiting", "", "crash, exit code 3: the player ended the program");
}

#[test]
fn moves_that_are_none_are_illegal() {
    needs_jdk!();
    assert_fault("Illegal", "", "illegal move, 00: 00 is a corner, where nobody may play");
    assert_fault("OffBoard", "", "illegal move, `(12,-3)` is no move");
    assert_fault("Speechless", "", "illegal move, `null` is no move");
    assert_fault("Quitting", "", "quit");
}

#[test]
fn player_over_a_limit_loses() {
    needs_jdk!();
    assert_fault("Hanging", " --wall 2s", "wall limit of 2s exceeded");
    assert_fault("Spinning", " --cpu 1s", "cpu limit of 1s exceeded");
    assert_fault("Hungry", " --memory 256MiB", "memory limit of 256.0 MiB exceeded");
}

#[test]
fn garbage_is_no_memory() {
    needs_jdk!();
    assert_result("Wasteful", " --memory 256MiB", NETWORK);
}

#[test]
fn rejected_move_is_reported_and_stands() {
    needs_jdk!();
    let run = play_class("Stubborn", "{} random --seed 1");
    assert!(run.stdout.contains("White takes "), "{}", run.stdout);
    assert!(run.stdout.ends_with(&format!("{NETWORK}\n")), "{}", run.stdout);
}

#[test]
fn class_of_the_other_course_is_told_apart() {
    needs_jdk!();
    play("usf", "{} random").failure(2, "found only testComputerPlayer: add `--rules usf`");
    let found = "found only player.MachinePlayer: add `--rules berkeley`";
    play("berkeley", "{} random --rules usf").failure(2, found);
    let run = play_class("Chatty", "{} random --rules usf");
    let cause =
        "Result: 0-1 (Black: crash, exit code 1: java.lang.IllegalStateException: the class";
    assert!(run.stdout.contains(cause), "{}", run.stdout);
}
