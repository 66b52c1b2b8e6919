//! Programs held to the assignment.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::support::{PROGRAM, TestFolder, assert_golden};
use crate::common::run::is_progress;

/// Submits a folder with a script called `player`.
pub fn submit(place: &TestFolder, name: &str, script: &str) {
    let folder = format!("subs/{name}");
    fs::create_dir_all(place.path(&folder)).expect("a folder");
    let path = format!("{folder}/player");
    place.write(&path, format!("#!/bin/sh\n{script}\n"));
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path(&path), permissions).expect("permissions");
}

/// Submits our own program.
pub fn submit_ours(place: &TestFolder, name: &str) {
    submit(place, name, &format!("exec {PROGRAM} one-move \"$@\""));
}

/// The player of a class of such folders.
pub const CLASS_PLAYER: &str = "file:{folder}/player {in} {out} {depth}";

/// Runs `grade` with a player that may have blanks in it. What it says of the kernel does not
/// matter.
#[track_caller]
pub fn grade(place: &TestFolder, player: &str, args: &str) -> String {
    let program = ["grade", "--visible", PROGRAM, "--player", player];
    let args = program.into_iter().chain(args.split_whitespace());
    let output = place.command(args).output().expect("the program");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let is_known = |line: &str| line.starts_with("warning: ") || is_progress(line);
    assert!(errors.lines().all(is_known), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The names of all checks.
pub const CHECKS: [&str; 14] = [
    "the assignment's own files are read",
    "the file has the format of the input",
    "the lines end as in the input files",
    "the score is printed",
    "a full board is left alone",
    "no file is written for a full board",
    "only legal moves are chosen",
    "the depth is the number of moves looked ahead",
    "points are seen two moves ahead",
    "points are seen four moves ahead",
    "the last six moves are seen",
    "the last eight moves are seen",
    "random play is beaten",
    "depth 5 takes a minute at most",
];

/// Writes the file with the points so that only these checks count, and those that are always made.
pub fn count_only(place: &TestFolder, names: &[&str]) {
    let zeros = CHECKS.iter().filter(|name| !names.contains(name));
    let zeros: String = zeros.map(|name| format!("\"{name}\" = 0\n")).collect();
    place.write("points.toml", format!("[points]\n{zeros}"));
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn our_own_program_has_all_points() {
    let place = TestFolder::new();
    let player = format!("file:{PROGRAM} one-move {{in}} {{out}} {{depth}}");
    let text = grade(&place, &player, "--json results.json");
    assert!(text.contains("\nScore: 100 of 100\nIt ran in a sandbox of the level "), "{text}");
    assert!(text.ends_with("\nPositions: --seed 1\n"), "{text}");
    for name in CHECKS {
        assert!(text.contains(&format!("ok    {name} ")), "{name}: {text}");
    }
    let reasons = text.matches("        asked: ").count();
    assert_eq!((reasons, text.matches("        assignment: \"").count()), (14, 14));
    let results = json(&place.read("results.json"));
    assert_eq!(results["score"], 100.0);
    let tests = results["tests"].as_array().expect("tests");
    assert!(tests.iter().all(|test| test["status"] == "passed"));
    let leaders = results["leaderboard"].as_array().expect("a leaderboard");
    assert_eq!((&leaders[0]["value"], &leaders[1]["order"]), (&1.0.into(), &"asc".into()));
}

#[test]
fn what_is_wrong_is_shown() {
    let place = TestFolder::new();
    let text = grade(&place, "random", "");
    assert_golden("golden/grade-random.stdout", &text);
    count_only(&place, &CHECKS[..3]);
    // Only the next player changes.
    submit(&place, "lazy", "tr 12 21 < \"$1\" > \"$2\"; echo lazy today >&2");
    let text = grade(&place, "file:subs/lazy/player {in} {out}", "--points points.toml");
    assert!(text.contains("FAIL  the file has the format of the input  "), "{text}");
    assert!(text.contains("        written   0000000\\r\\n"), "{text}");
    assert!(text.contains("        standard error ends:\n          lazy today\n"), "{text}");
    assert!(text.contains("\nScore: 0 of 8\n"), "{text}");
}

#[test]
fn a_class_is_graded_and_one_that_hangs_delays_nobody() {
    let place = TestFolder::new();
    submit_ours(&place, "good one");
    submit(&place, "hangs", "sleep 1000");
    submit(&place, "none", "exit 1");
    fs::create_dir(place.path("subs/empty")).expect("a folder");
    place.write("subs/README", "no submission");
    // Few checks, so that the time is plenty for who answers.
    count_only(&place, &CHECKS[..3]);
    let args = "--class subs --out grades --jobs 2 --total 8s --points points.toml";
    let text = grade(&place, CLASS_PLAYER, args);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert!(lines[1].starts_with("empty "), "{text}");
    let csv = place.read("grades/grades.csv");
    for name in ["empty", "good one", "hangs", "none"] {
        let results = json(&place.read(&format!("grades/{name}/results.json")));
        assert_eq!(results["score"] == 8.0, name == "good one", "{results}");
        let page = place.read(&format!("grades/{name}/page.html"));
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains(name), "{page}");
        assert!(csv.contains(&format!("\n{name},{},8,", results["score"].as_f64().unwrap_or(9.0))));
    }
    let hangs = place.read("grades/hangs/results.txt");
    assert!(hangs.contains("not done: the time for this submission is over"), "{hangs}");
}

#[test]
fn program_that_hangs_again_and_again_is_asked_once_a_check() {
    let place = TestFolder::new();
    submit(&place, "hangs", "sleep 1000");
    count_only(&place, &[CHECKS[0], CHECKS[1], CHECKS[6]]);
    let text =
        grade(&place, "file:subs/hangs/player {in} {out}", "--wall 100ms --points points.toml");
    assert!(text.contains("\nScore: 0 of 13\n"), "{text}");
    let counts = ["wall limit of 100ms exceeded", "not asked: the program exceeded its time"]
        .map(|said| text.matches(said).count());
    // Three of four files, one file, one game; the rest of four, four and ten.
    assert_eq!(counts, [5, 8], "{text}");
}

#[test]
fn points_are_a_matter_of_taste() {
    let place = TestFolder::new();
    place.write(
        "points.toml",
        "[points]\n\"random play is beaten\" = 1\n\"the last six moves are seen\" = 0\n\
        \"the last eight moves are seen\" = 0\n\"depth 5 takes a minute at most\" = 0\n",
    );
    let text = grade(&place, "machine:depth={depth}", "--points points.toml");
    assert!(
        text.contains("random play is beaten                               1 of   1"),
        "{text}"
    );
    assert!(text.contains("\nScore: 37 of 37\n"), "{text}");
    place.write("points.toml", "[points]\nbeauty = 1\n");
    let run = place.run("grade --player random --points points.toml");
    run.failure(2, "points.toml:2:1: expected the name of a check: `the assignment's own files");
}

#[test]
fn one_check_is_done_alone() {
    let place = TestFolder::new();
    let args = ["grade", "--player", "random", "--check", "only legal moves are chosen"];
    let output = place.command(args).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nScore: 6 of 6\n"), "{text}");
    let run = place.run("grade --player random --check beauty");
    run.failure(2, "--check: `beauty` is not the name of a check: expected `the assignment's own");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = TestFolder::new();
    submit_ours(&place, "ann");
    place.write("roster.csv", "grade\n5\n");
    for (args, part) in [
        ("--player human", "human: expected a player that needs nobody at the keyboard"),
        ("--player robot", "player `robot`: expected human, random"),
        ("--player random:{folder}", "expected --class"),
        (
            "--player random --class none --out x",
            "expected a player with {start} or {folder} in it",
        ),
        ("--player line:{folder} --class none --out x", "none: No such file"),
        ("--player line:{folder} --class subs --out x --only bob", "found `bob`"),
        ("--player line:{folder} --class subs --out x --roster roster.csv", "roster.csv:1: "),
    ] {
        place.run(&format!("grade {args}")).failure(2, part);
    }
    let run = place.run("grade --player random --class subs --out x --deadline soon");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("expected a time such as"), "{run:?}");
    let run = place.run("grade --player random --json no/results.json");
    run.failure(1, "no/results.json: cannot write");
    fs::create_dir(place.path("subs/history")).expect("a folder");
    let run = place.run("grade --player line:{folder} --class subs --out x");
    run.failure(2, "expected no submission of the name history");
}
