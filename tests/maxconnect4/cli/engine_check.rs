//! Engines that speak the line protocol, and engines that do not.

use super::support::{PROGRAM, Run, TestFolder};
use crate::common::project;

fn check(engine: &str, more: &[&str]) -> Run {
    let args = ["engine-check", "--visible", PROGRAM, engine];
    let args = args.into_iter().chain(more.iter().copied());
    Run::of(&mut TestFolder::new().command(args))
}

/// The names of the exchanges that failed.
fn failed(run: &Run) -> Vec<&str> {
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("FAIL  "));
    lines.filter_map(|line| line.split(' ').next()).collect()
}

#[test]
fn our_own_engines_speak_the_protocol() {
    for player in ["random", "machine:depth=2", "machine:perfect,time=10ms"] {
        let run = check(&format!("{PROGRAM} engine {player} --table 1"), &[]).success();
        assert!(run.stdout.ends_with("\n\n15 of 15 exchanges as expected\n"), "{}", run.stdout);
    }
}

#[test]
fn what_an_engine_does_wrong_is_named() {
    for (hears, says, wrong) in [
        ("", "sed -u 's/^protocol 1/protocol 2/'", &["version"][..]),
        ("", "sed -u 's/^info error unknown.*/resign/'", &["unknown"]),
        (
            "sed -u -e 's/^newgame maxconnect4 [^ ]*/newgame maxconnect4 standard/'",
            "cat",
            &["other-rules"],
        ),
        // Without the moves it always chooses the same column, which is full in the end.
        ("sed -u -e 's/^\\(position startpos\\) moves.*/\\1/'", "cat", &["whole-game"]),
        (
            "",
            "sed -u 's/^readyok/readyok\\nreadyok/'",
            &["ready", "start", "moves", "replaced", "second", "new-game"],
        ),
    ] {
        let engine = format!("'{PROGRAM}' engine machine:depth=1 --table 1");
        let engine = match hears {
            "" => format!("sh -c \"{engine} | {says}\""),
            _ => format!("sh -c \"{hears} -e /^quit/q | {engine}\""),
        };
        let run = check(&engine.replace('\\', "\\\\"), &["--wall", "20s"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        let found = failed(&run);
        assert!(wrong.iter().all(|name| found.contains(name)), "{says}: {}", run.stdout);
        let said = format!("error: the engine failed in {} of 15 exchanges\n", found.len());
        assert_eq!(run.stderr, said);
        if wrong.len() == 1 {
            assert_eq!(found, wrong, "{says}: {}", run.stdout);
        }
    }
}

#[test]
fn every_exchange_can_fail() {
    let all = 15;
    for says in ["sed -u 's/^readyok/illegal 1\\nreadyok/'", "sed -u 's/^readyok/what/'", "true"] {
        let engine = format!("sh -c \"'{PROGRAM}' engine random | {says}\"").replace('\\', "\\\\");
        let run = check(&engine, &["--wall", "300ms"]);
        let found = failed(&run);
        // One that says nothing to `protocol` may well be old.
        assert!(found.len() >= all - 2, "{says}: {}", run.stdout);
    }
    let moves = "sed -u 's/^bestmove .*/bestmove 9/'";
    let run = check(&format!("sh -c \"'{PROGRAM}' engine random | {moves}\""), &["--wall", "20s"]);
    assert!(run.stdout.contains("found `bestmove 9`: it is no move"), "{}", run.stdout);
    let run = check(&format!("sh -c \"'{PROGRAM}' engine random; exit 3\""), &["--wall", "20s"]);
    assert_eq!(failed(&run), ["whole-game"], "{}", run.stdout);
    assert!(run.stdout.contains("found after quit, crash, exit code 3"), "{}", run.stdout);
}

#[test]
fn the_example_of_the_manual_speaks_the_protocol() {
    let manual = std::fs::read_to_string(project().join("docs/protocol.md")).expect("a manual");
    let (_, rest) = manual.split_once("```python\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let folder = TestFolder::new();
    folder.write("bob.py", example);
    let run = Run::of(&mut folder.command(["engine-check", "python3 bob.py"]));
    assert!(run.success().stdout.ends_with("15 of 15 exchanges as expected\n"));
}

#[test]
fn what_cannot_be_checked_is_refused() {
    check("no-such-program", &[]).failure(2, "there is no program `no-such-program`");
    let run = check("", &[]);
    assert!(run.code == Some(2) && run.stderr.contains("expected a command"), "{run:?}");
}
