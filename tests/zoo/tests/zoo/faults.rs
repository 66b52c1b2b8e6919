//! Every animal loses by its fault, in time, and leaves no process behind.

use std::time::Duration;

use crate::keeper::{Game, LONG, Protocol, new_mark, strict};
use plyground::Game as _;
use plyground_sandbox::{ProcessLimits, SandboxPolicy};

/// The time for a move of animals that do not answer.
const SHORT: Duration = Duration::from_secs(1);

/// Plays against the animal, and holds it to losing for this reason.
#[track_caller]
fn loses(protocol: Protocol, animal: &str, reason: &str) {
    // Whatever it does, it is the reason, and not the time.
    loses_with(strict(), protocol, animal, reason);
}

#[track_caller]
fn loses_with(policy: SandboxPolicy, protocol: Protocol, animal: &str, reason: &str) {
    let game = Game::treated(protocol, animal, &new_mark(), policy);
    let fault = game.fault().unwrap_or_else(|| panic!("{animal} should lose: {:?}", game.ending));
    assert!(fault.starts_with(reason), "{protocol:?} {animal}: expected {reason}, found {fault}");
    assert!(game.time < LONG, "{animal} took {:?}", game.time);
    game.assert_nobody_left();
}

#[track_caller]
fn loses_either_way(animal: &str, reason: &str) {
    loses(Protocol::Line, animal, reason);
    loses(Protocol::File, animal, reason);
}

#[test]
fn who_does_not_answer_in_time() {
    for (animal, protocol) in [
        ("sleeps", Protocol::Line),
        ("sleeps", Protocol::File),
        ("stubborn", Protocol::Line),
        ("stubborn", Protocol::File),
        ("parent-of-stubborn", Protocol::Line),
        ("stops", Protocol::Line),
        ("stops", Protocol::File),
        ("detaches", Protocol::Line),
        ("detaches", Protocol::File),
        // Its silence is no fault, but then it does not end.
        ("closes-pipes", Protocol::File),
    ] {
        let limits = ProcessLimits { wall: Some(SHORT), ..strict().limits };
        loses_with(
            SandboxPolicy { limits, ..strict() },
            protocol,
            animal,
            "wall limit of 1s exceeded",
        );
    }
}

#[test]
fn who_computes_too_much() {
    loses_either_way("spins", "cpu limit of ");
    loses_either_way("works", "cpu limit of ");
    loses_either_way("works-secretly", "cpu limit of ");
}

#[test]
fn who_has_too_many_processes() {
    loses_either_way("forks", "crash, more than 8 processes");
    loses_either_way("breeds", "crash, more than 8 processes");
}

#[test]
fn who_prints_or_writes_too_much() {
    loses_either_way("floods", "output limit of ");
    loses_either_way("floods-lines", "output limit of ");
    loses_either_way("fills-file", "output limit of ");
    loses_either_way("fills-folder", "output limit of ");
    loses_either_way("hides", "output limit of ");
}

#[test]
fn who_occupies_too_much_memory() {
    loses_either_way("fills-memory", "memory limit of ");
    loses_either_way("fills-memory-together", "memory limit of ");
}

#[test]
fn who_ends() {
    loses_either_way("crashes", "crash, signal SIGABRT");
    loses_either_way("silent-with-code", "crash, exit code 3");
    loses(Protocol::Line, "silent", "quit");
    loses(Protocol::File, "silent", "no move, it wrote no output");
    loses(Protocol::Line, "leaves", "quit");
    loses(Protocol::File, "leaves", "no move, it wrote no output");
    loses(Protocol::Line, "resigns", "quit");
}

#[test]
fn who_does_not_play_by_the_rules() {
    loses_either_way("garbage", "illegal move, ");
    loses_either_way("illegal", "illegal move, ");
    loses_either_way("twice", "illegal move, ");
    loses(Protocol::Line, "early", "illegal move, `4` before it was asked");
}

#[test]
fn who_does_not_keep_to_their_files() {
    loses(Protocol::File, "edits-input", "no move, it wrote no output");
    loses(Protocol::File, "deletes-folder", "no move, it wrote no output");
    loses(Protocol::Line, "closes-pipes", "no move, it closed its output");
}

#[test]
fn whose_output_is_no_file() {
    for animal in ["pipe-as-output", "folder-as-output", "device-as-output"] {
        loses(Protocol::File, animal, "no move, it wrote no output");
    }
    let answer = tempfile::NamedTempFile::new().expect("a file");
    let after = maxconnect4::game().start().after("1".parse().expect("a column"));
    std::fs::write(&answer, after.state()).expect("the answer");
    let mark = answer.path().to_string_lossy().into_owned();
    let game = Game::treated(Protocol::File, "link-as-output", &mark, strict());
    assert_eq!(game.fault().as_deref(), Some("no move, it wrote no output"));
}

#[test]
fn whose_output_is_no_position() {
    loses(Protocol::File, "nuls-as-output", "no move, it wrote no output");
    loses(Protocol::File, "bytes-as-output", "illegal move, its output is no position");
    loses(Protocol::File, "huge-output", "output limit of ");
}

#[test]
fn who_complains_without_end() {
    let limits = ProcessLimits { wall: Some(SHORT), cpu: None, ..strict().limits };
    for protocol in [Protocol::Line, Protocol::File] {
        let policy = SandboxPolicy { limits: limits.clone(), ..strict() };
        loses_with(policy, protocol, "complains-forever", "wall limit of 1s exceeded");
    }
}

#[test]
fn who_begins_a_line_and_does_not_end_it() {
    // What it prints next is part of that line, and so is its move.
    let limits = ProcessLimits { wall: Some(SHORT), ..strict().limits };
    let policy = SandboxPolicy { limits, ..strict() };
    loses_with(policy, Protocol::Line, "floods-without-lines", "wall limit of 1s exceeded");
}

#[test]
fn there_is_no_such_program() {
    let game = Game::of(Protocol::Line, vec!["/nowhere/at/all".to_owned()], "/nowhere", strict());
    assert_eq!(
        game.fault().as_deref(),
        Some("crash, cannot be started: No such file or directory (os error 2)")
    );
}
