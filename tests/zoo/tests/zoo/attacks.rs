//! Every known attack, at every level of this system, by root and by an ordinary user.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use plyground_host::referee::Interrupted;
use plyground_sandbox::{
    AttackReport, BUILD, CHECK, SUPERVISE, SandboxLevel, SandboxPolicy, obstacle, secret_variable,
    tree_limits,
};

use crate::keeper::{Game, Protocol, levels, new_mark, strict};

const ZOO: &str = env!("CARGO_BIN_EXE_zoo");

/// An ID that no user has.
const ORDINARY: u32 = 54_321;

/// By what limit a program loses that an attack does not get anywhere with, but that goes on.
const STOPPED: [(&str, &str); 5] = [
    ("memory", "stopped: memory limit"),
    ("sockets", "stopped: memory limit"),
    ("fork", "stopped: too many processes"),
    ("stop", "stopped: wall limit"),
    // A program that keeps itself from running is not taken for one that others do.
    ("crowd", "stopped: wall limit"),
];

/// The attacks that work without a sandbox.
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

/// Runs all attacks, as this user if one is named. Returns their outcomes by their names.
fn attack(
    program: &Path,
    level: SandboxLevel,
    build: bool,
    user: Option<u32>,
) -> BTreeMap<String, String> {
    let mut command = Command::new(program);
    command.args([SUPERVISE, CHECK, level.name()]).args(build.then_some(BUILD));
    command.env(secret_variable(), "secret");
    if let Some(user) = user {
        command.uid(user).gid(user).env("HOME", "/nonexistent");
    }
    let output = command.output().expect("the attacks");
    let text = String::from_utf8_lossy(&output.stdout);
    eprintln!("{level} {build} {user:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{level} {build} {user:?}");
    let reports =
        text.lines().map(|line| -> AttackReport { serde_json::from_str(line).expect("a report") });
    reports.map(|report| (report.name, report.outcome.to_string())).collect()
}

/// No attack succeeds.
#[track_caller]
fn hold(program: &Path, level: SandboxLevel, build: bool, user: Option<u32>) {
    let outcomes = attack(program, level, build, user);
    let succeeded = outcomes.iter().filter(|(_, outcome)| outcome.starts_with("SUCCEEDED"));
    assert_eq!(succeeded.collect::<Vec<_>>(), [], "{level}, build: {build}, {user:?}");
    assert!(outcomes.len() > 80, "{outcomes:?}");
    for (attack, stopped) in STOPPED {
        assert_eq!(outcomes[attack], stopped, "{attack}");
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
    let outcomes = attack(program, SandboxLevel::None, false, user);
    let is_root = user.is_none() && nix::unistd::Uid::effective().is_root();
    // The kernel itself limits what the pipes of an ordinary user hold.
    for attack in WORKS.into_iter().filter(|&attack| is_root || attack != "pipes") {
        // A control group counts what pipes hold without a sandbox as well.
        let is_held = attack == "pipes" && tree_limits().memory;
        let expected = if is_held { "stopped: memory limit" } else { "SUCCEEDED" };
        assert!(outcomes[attack].starts_with(expected), "{attack}");
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

const PROTOCOLS: [Protocol; 2] = [Protocol::Line, Protocol::File];

/// A supervisor that is started by these commands of a shell.
fn supervised(folder: &Path, commands: &str) -> SandboxPolicy {
    let path = folder.join("supervisor");
    fs::write(&path, format!("#!/bin/sh\n{commands}\n")).expect("a script");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("permission");
    SandboxPolicy { supervisor: Some(path), hosts: Some(true), ..strict() }
}

/// Plays a game of an animal that plays well, and returns how it ends.
fn play(protocol: Protocol, policy: SandboxPolicy) -> Result<(), Interrupted> {
    let mark = new_mark();
    let words = [ZOO, "well", &mark].map(str::to_owned).to_vec();
    let game = Game::try_of(protocol, words, &mark, policy)?;
    assert_eq!(game.fault(), None);
    game.assert_nobody_left();
    Ok(())
}

/// One test, for a script is not started while another thread starts something: that might have
/// the file open for a moment.
#[test]
fn nobody_loses_by_what_is_not_their_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    without_a_supervisor_there_is_no_game(folder.path());
    who_plays_well_does_not_lose_for_want_of_files(folder.path());
}

fn without_a_supervisor_there_is_no_game(folder: &Path) {
    for protocol in PROTOCOLS {
        let nowhere = SandboxPolicy {
            supervisor: Some("/nowhere/at/all".into()),
            hosts: Some(true),
            ..strict()
        };
        for policy in [nowhere, supervised(folder, "exit 1")] {
            let result = play(protocol, policy);
            assert!(matches!(result, Err(Interrupted::System { .. })), "{protocol:?}: {result:?}");
        }
    }
}

/// However many files there may be opened, a program that can play is not the one that loses.
fn who_plays_well_does_not_lose_for_want_of_files(folder: &Path) {
    for protocol in PROTOCOLS {
        let results: Vec<_> = (3..100)
            .step_by(4)
            .map(|files| {
                let commands = format!("ulimit -n {files}\nexec '{ZOO}' \"$@\"");
                play(protocol, supervised(folder, &commands))
            })
            .collect();
        assert!(results[0].is_err(), "{results:?}");
        assert!(results[results.len() - 1].is_ok(), "{results:?}");
    }
}
