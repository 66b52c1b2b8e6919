//! Programs held to the assignment.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::support::{Sandbox, assert_golden};

const PROGRAM: &str = env!("CARGO_BIN_EXE_maxconnect4");

/// A submission: a folder with a script called `player`.
fn submit(sandbox: &Sandbox, name: &str, script: &str) {
    let folder = format!("subs/{name}");
    fs::create_dir_all(sandbox.path(&folder)).expect("a folder");
    let path = format!("{folder}/player");
    sandbox.write(&path, format!("#!/bin/sh\n{script}\n"));
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(sandbox.path(&path), permissions).expect("permissions");
}

/// Runs `grade` with a player that may have blanks in it. What it says of the kernel does not
/// matter.
fn grade(sandbox: &Sandbox, player: &str, args: &str) -> String {
    let args = ["grade", "--player", player].into_iter().chain(args.split_whitespace());
    let output = sandbox.command(args).output().expect("the program");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.lines().all(|line| line.starts_with("warning: ")), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn our_own_program_has_all_points() {
    let sandbox = Sandbox::new();
    let player = format!("file:{PROGRAM} one-move {{in}} {{out}} {{depth}}");
    let text = grade(&sandbox, &player, "--json results.json");
    assert!(text.ends_with("\nScore: 100 of 100\n"), "{text}");
    let results = json(&sandbox.read("results.json"));
    assert_eq!(results["score"], 100.0);
    let tests = results["tests"].as_array().expect("tests");
    assert!(tests.iter().all(|test| test["status"] == "passed" && test["visibility"] == "visible"));
    let leaders = results["leaderboard"].as_array().expect("a leaderboard");
    assert_eq!((&leaders[0]["value"], &leaders[1]["order"]), (&1.0.into(), &"asc".into()));
}

#[test]
fn what_is_wrong_is_shown() {
    let sandbox = Sandbox::new();
    let text = grade(&sandbox, "random", "");
    assert_golden("golden/grade-random.stdout", &text);
    // Only the next player changes.
    submit(&sandbox, "lazy", "tr 12 21 < \"$1\" > \"$2\"");
    let text = grade(&sandbox, "file:subs/lazy/player {in} {out}", "");
    assert!(
        text.contains("FAIL  the file is written as it was read       0 of  15  0 of 3"),
        "{text}"
    );
    assert!(text.contains("illegal move, "), "{text}");
    assert!(text.contains("ok    depth 5") || text.contains("FAIL  depth 5"), "{text}");
}

#[test]
fn a_class_is_graded_and_one_that_hangs_delays_nobody() {
    let sandbox = Sandbox::new();
    submit(&sandbox, "good one", &format!("exec {PROGRAM} one-move \"$@\""));
    submit(&sandbox, "hangs", "sleep 1000");
    submit(&sandbox, "none", "exit 1");
    fs::create_dir(sandbox.path("subs/empty")).expect("a folder");
    sandbox.write("subs/README", "no submission");
    // Few checks, so that the time is plenty for who answers.
    let left_out = [
        "only legal moves are chosen",
        "random play is beaten",
        "the score is printed",
        "the last eight moves are seen",
        "the last four moves are seen",
        "a full board is left alone",
    ];
    let zeros: String = left_out.iter().map(|name| format!("\"{name}\" = 0\n")).collect();
    sandbox.write("points.toml", format!("[points]\n{zeros}"));
    let player = "file:{folder}/player {in} {out} {depth}";
    let args = "--class subs --out grades --jobs 2 --total 6s --points points.toml";
    let text = grade(&sandbox, player, &format!("{args} --visible {PROGRAM}"));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[1].starts_with("empty "), "{text}");
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["good", "one", "30", "30"]);
    let csv = sandbox.read("grades/grades.csv");
    assert!(csv.contains("\ngood one,30,30,15,10,5\n"), "{csv}");
    for name in ["empty", "good one", "hangs", "none"] {
        let results = json(&sandbox.read(&format!("grades/{name}/results.json")));
        assert_eq!(results["score"] == 30.0, name == "good one", "{results}");
    }
    let hangs = sandbox.read("grades/hangs/results.txt");
    assert!(hangs.contains("not done: the time for this submission is over"), "{hangs}");
}

#[test]
fn points_are_a_matter_of_taste() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "points.toml",
        "[points]\n\"random play is beaten\" = 1\n\
        \"depth 5 takes a minute at most\" = 0\n",
    );
    let text = grade(&sandbox, "machine:depth={depth}", "--points points.toml");
    assert!(text.contains("random play is beaten               1 of   1"), "{text}");
    assert!(text.ends_with("a full board is left alone\n"), "{text}");
    assert!(text.contains("\nScore: 51 of 51\n"), "{text}");
    sandbox.write("points.toml", "[points]\nbeauty = 1\n");
    let run = sandbox.run("grade --player random --points points.toml");
    run.failure(2, "points.toml:2:1: expected the name of a check: `the file is written");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = Sandbox::new();
    for (args, part) in [
        ("--player human", "human: expected a player that needs nobody at the keyboard"),
        ("--player robot", "player `robot`: expected human, random"),
        ("--player random:{folder}", "expected --class"),
        ("--player random --class none --out x", "expected a player with {folder} in it"),
        ("--player line:{folder} --class none --out x", "none: No such file"),
    ] {
        sandbox.run(&format!("grade {args}")).failure(2, part);
    }
    let run = sandbox.run("grade --player random --json no/results.json");
    run.failure(1, "no/results.json: cannot write");
}
