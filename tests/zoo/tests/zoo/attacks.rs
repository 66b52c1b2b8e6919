//! Every known attack, at every level of this system, by root and by an ordinary user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use plyground_sandbox::{
    SandboxLevel, landlock_keeps_signals, obstacle, secret_variable, tree_limits,
};

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

/// What works without a sandbox.
const WORKS: [&str; 14] = [
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
];

/// Runs all attacks, as this user if one is named; whether none succeeded, and what came of each.
fn attack(program: &Path, level: SandboxLevel, build: bool, user: Option<u32>) -> (bool, String) {
    let mut command = Command::new(program);
    command.args(["attacks", level.name()]).args(build.then_some("build"));
    command.env(secret_variable(), "secret");
    if let Some(user) = user {
        command.uid(user).gid(user).env("HOME", "/nonexistent");
    }
    let output = command.output().expect("the attacks");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    eprintln!("{level} {build} {user:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

fn outcome<'a>(text: &'a str, attack: &str) -> &'a str {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == attack).map_or("", |(_, outcome)| outcome.trim_start())
}

/// No attack succeeds but those that the level says it does not stop.
#[track_caller]
fn hold(program: &Path, level: SandboxLevel, build: bool, user: Option<u32>) {
    let (none_succeeded, text) = attack(program, level, build, user);
    let succeeded: Vec<&str> = text.lines().filter(|line| line.contains("SUCCEEDED")).collect();
    assert!(succeeded.is_empty(), "{level}: {succeeded:?}");
    assert!(none_succeeded, "{level}");
    assert!(text.lines().count() > 50, "{text}");
    for (attack, stopped) in STOPPED {
        assert_eq!(outcome(&text, attack), stopped, "{attack}");
    }
}

/// A copy of the program that everybody may run, if this user can be another one.
fn copy_for_others() -> Option<(tempfile::TempDir, PathBuf)> {
    if !nix::unistd::Uid::effective().is_root() {
        // The other tests are those of an ordinary user then.
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permission");
    let zoo = folder.path().join("zoo");
    fs::copy(ZOO, &zoo).expect("a copy");
    Some((folder, zoo))
}

#[test]
fn no_attack_succeeds() {
    for level in levels().into_iter().filter(|&level| level > SandboxLevel::None) {
        hold(Path::new(ZOO), level, false, None);
        hold(Path::new(ZOO), level, true, None);
    }
}

#[test]
fn no_attack_of_ordinary_user_succeeds() {
    let Some((_folder, zoo)) = copy_for_others() else { return };
    if obstacle(SandboxLevel::Full, Some(Path::new(ZOO))).is_none() {
        for build in [false, true] {
            hold(&zoo, SandboxLevel::Full, build, Some(ORDINARY));
        }
    }
}

/// The test of the tests.
#[track_caller]
fn work(program: &Path, user: Option<u32>) {
    let (_, text) = attack(program, SandboxLevel::None, false, user);
    let is_root = user.is_none() && nix::unistd::Uid::effective().is_root();
    // The kernel itself limits what the pipes of an ordinary user hold.
    for attack in WORKS.into_iter().filter(|&attack| is_root || attack != "pipes") {
        // A control group counts what pipes hold without a sandbox as well.
        let is_held = attack == "pipes" && tree_limits().memory;
        let expected = if is_held { "stopped: memory limit" } else { "SUCCEEDED" };
        assert!(outcome(&text, attack).starts_with(expected), "{attack}");
    }
}

#[test]
fn attacks_work_without_sandbox() {
    work(Path::new(ZOO), None);
}

#[test]
fn attacks_of_ordinary_user_work_without_sandbox() {
    let Some((_folder, zoo)) = copy_for_others() else { return };
    work(&zoo, Some(ORDINARY));
}
