//! Every known attack, at every level of this system, by root and by an ordinary user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use plyground_cage::{CageLevel, obstacle, secret_variable, tree_limits};

use crate::keeper::levels;

const ZOO: &str = env!("CARGO_BIN_EXE_zoo");

/// An ID that no user has.
const ORDINARY: u32 = 54_321;

/// By what limit a program loses that an attack does not get anywhere with, but that goes on.
const STOPPED: [(&str, &str); 4] = [
    ("memory", "stopped: memory limit"),
    ("sockets", "stopped: memory limit"),
    ("fork", "stopped: too many processes"),
    ("stop", "stopped: wall limit"),
];

/// Runs all attacks, of which none may succeed.
#[track_caller]
fn hold(program: &Path, arguments: &[&str], user: Option<u32>) {
    let mut command = Command::new(program);
    command.arg("attacks").args(arguments).env(secret_variable(), "secret");
    if let Some(user) = user {
        command.uid(user).gid(user).env("HOME", "/nonexistent");
    }
    let output = command.output().expect("the attacks");
    let text = String::from_utf8_lossy(&output.stdout);
    let whole =
        format!("{arguments:?} {user:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && !text.contains("SUCCEEDED"), "{whole}");
    assert!(text.lines().count() > 50, "{whole}");
    for (attack, outcome) in STOPPED {
        let line = text.lines().find(|line| line.starts_with(&format!("{attack} ")));
        assert!(line.is_some_and(|line| line.ends_with(outcome)), "{attack}: {whole}");
    }
}

#[test]
fn no_attack_succeeds() {
    for level in levels().into_iter().filter(|&level| level > CageLevel::None) {
        hold(Path::new(ZOO), &[level.name()], None);
        hold(Path::new(ZOO), &[level.name(), "build"], None);
    }
}

#[test]
fn no_attack_of_ordinary_user_succeeds() {
    if !nix::unistd::Uid::effective().is_root() {
        // The other test is this one then.
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permission");
    let zoo = folder.path().join("zoo");
    fs::copy(ZOO, &zoo).expect("a copy");
    for level in [CageLevel::Full, CageLevel::Partial] {
        if obstacle(level, Some(Path::new(ZOO))).is_none() {
            hold(&zoo, &[level.name()], Some(ORDINARY));
        }
    }
}

/// The test of the tests: without a cage, most of it works.
#[test]
fn attacks_work_without_cage() {
    let output = Command::new(ZOO)
        .args(["attacks", "none"])
        .env(secret_variable(), "secret")
        .output()
        .expect("the attacks");
    let text = String::from_utf8_lossy(&output.stdout);
    for attack in [
        "read-rival",
        "list-rival",
        "lock-rival",
        "write-rival",
        "home",
        "environment",
        "engine",
        "see-processes",
        "kill-rival",
        "signal-referee",
        "tcp",
        "udp",
        "unix-socket",
        "pipes",
    ] {
        let line = text.lines().find(|line| line.starts_with(&format!("{attack} ")));
        // A control group counts what pipes hold without a cage as well.
        let is_held = attack == "pipes" && tree_limits().memory;
        let outcome = if is_held { "stopped: memory limit" } else { "SUCCEEDED" };
        assert!(line.is_some_and(|line| line.contains(outcome)), "{attack}: {text}");
    }
}
