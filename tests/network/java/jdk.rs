//! The JDK and the folders.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::thread;

use assert_cmd::Command;

use crate::common::project;
use crate::common::run::Run;

/// Without a JDK the tests fail instead of doing nothing if this is set.
const NEEDED: &str = "PLYGROUND_NEEDS_JAVA";

/// Returns `true` if there is a JDK; without one, a line says that the test is skipped.
#[track_caller]
pub fn is_here() -> bool {
    let found = process::Command::new("javac").arg("-version").output().is_ok();
    assert!(found || env::var_os(NEEDED).is_none(), "{NEEDED} is set, and there is no javac");
    if !found {
        let test = thread::current();
        // The test harness keeps to itself what the macros print.
        let line = format!("{} is skipped: there is no JDK\n", test.name().unwrap_or("a test"));
        io::stderr().write_all(line.as_bytes()).expect("standard error");
    }
    found
}

/// Leaves a test that needs a JDK if there is no JDK.
macro_rules! needs_jdk {
    () => {
        if !crate::network_java::jdk::is_here() {
            return;
        }
    };
}

pub(crate) use needs_jdk;

/// The folder with our Java programs.
pub fn ours() -> PathBuf {
    project().join("games/network/java")
}

/// A folder of Java sources for these tests.
pub fn theirs(name: &str) -> PathBuf {
    project().join("tests/network/java").join(name)
}

/// All Java sources below a folder, sorted.
pub fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources.extend(sources_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "java") {
            sources.push(path);
        }
    }
    sources.sort();
    sources
}

/// The folder with the Berkeley submissions compiled, and our host beside them.
pub static CLASSES: LazyLock<PathBuf> = LazyLock::new(|| {
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-classes");
    let folders = [ours().join("host"), ours().join("given"), theirs("submissions/berkeley")];
    let sources = folders.iter().flat_map(|folder| sources_below(folder));
    run("javac", |javac| {
        javac.arg("-d").arg(&classes).args(sources);
    })
    .success();
    classes
});

/// The program, about to run in the project's folder, with a cache that the tests share.
pub fn network(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_network"));
    command.current_dir(project()).args(args);
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-cache"));
    command.env("PATH", path_with_program());
    command
}

/// `PATH` with the folder of our program first.
pub fn path_with_program() -> std::ffi::OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_network")).parent().expect("a folder");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(env::split_paths(&path));
    env::join_paths(folders).expect("folders from PATH")
}

/// Plays a game of a submission's sources, in a seat and with options that `args` say: `{}` stands
/// for the player.
pub fn play(submission: &str, args: &str) -> Run {
    play_from(&format!("tests/network/java/submissions/{submission}"), args)
}

/// Plays a game of a compiled class of the Berkeley submissions.
pub fn play_class(class: &str, args: &str) -> Run {
    play_from(&format!("{}:player.{class}", CLASSES.display()), args)
}

fn play_from(place: &str, args: &str) -> Run {
    let player = format!("java:{place}");
    let args: Vec<&str> =
        args.split(' ').map(|word| if word == "{}" { &player } else { word }).collect();
    Run::of(&mut network(&[&["play", "-q"], &args[..]].concat()))
}

/// Runs a program of the JDK.
pub fn run(program: &str, configure: impl FnOnce(&mut Command)) -> Run {
    let mut command = Command::new(program);
    configure(&mut command);
    Run::of(&mut command)
}
