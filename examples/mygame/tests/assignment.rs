//! An assignment about the game, from scratch: checks in a file, a kit, and a player that is graded.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mygame");

/// Runs a program in a folder, and returns what it prints.
fn run(folder: &Path, program: &str, args: &[&str]) -> String {
    let path = env::var_os("PATH").unwrap_or_default();
    let own = Path::new(PROGRAM).parent().map(PathBuf::from);
    let path = env::join_paths(own.into_iter().chain(env::split_paths(&path))).expect("folders");
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("PATH", path).stdin(Stdio::null());
    for variable in ["MAKEFLAGS", "CARGO_MAKEFLAGS"] {
        command.env_remove(variable);
    }
    let output = command.output().expect("a program");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {text}\n{stderr}");
    text
}

#[test]
fn checks_in_a_file_grade_the_engine() {
    let folder = TempDir::new().expect("a folder");
    run(folder.path(), PROGRAM, &["grade", "new-checks", "--out", "checks.toml"]);
    let grade = ["grade", "--checks", "checks.toml", "--player", "machine:depth={depth}"];
    let results = run(folder.path(), PROGRAM, &grade);
    for name in ["only legal moves are chosen", "a search of two plies is right"] {
        assert!(results.contains(&format!("ok    {name} ")), "{name}: {results}");
    }
    assert!(results.contains("not counted: state files are read"), "{results}");
}

#[test]
fn kit_from_the_template_is_checked() {
    let is_here = |tool| Command::new(tool).arg("--version").output().is_ok();
    if !is_here("python3") || !is_here("make") {
        assert!(env::var_os("PLYGROUND_NEEDS_LANGUAGES").is_none(), "there is no python3 or make");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    run(folder.path(), PROGRAM, &["starter", "--language", "python", "--out", "kit"]);
    let kit = folder.path().join("kit");
    run(&kit, PROGRAM, &["grade", "new-checks", "--out", "checks.toml"]);
    let names =
        ["only legal moves are chosen", "legal moves are accepted", "illegal moves are refused"];
    let checks: Vec<_> = names.iter().map(|name| format!("--check \"{name}\"")).collect();
    let results = run(&kit, "make", &["check", &format!("GRADE={}", checks.join(" "))]);
    for name in names {
        assert!(results.contains(&format!("ok    {name} ")), "{name}: {results}");
    }
    // The kit also exchanges files, and keeps their form.
    let state = ". . .\r\n.X.\r\n...\r\nO\r\n";
    fs::write(kit.join("in.txt"), state).expect("a file");
    run(&kit, "python3", &["mygame.py", "one-move", "in.txt", "out.txt", "2", "--seed", "1"]);
    let written = fs::read_to_string(kit.join("out.txt")).expect("a file");
    let changed = state.chars().zip(written.chars()).filter(|(old, new)| old != new).count();
    assert_eq!((written.len(), changed), (state.len(), 2), "{written}");
}
