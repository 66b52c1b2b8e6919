//! The search for a submission, and its compilation.

use std::fs;
use std::path::Path;
use std::thread;

use super::jdk::{needs_jdk, network, play, run, sources_below, theirs};
use crate::common::run::Run;

fn play_from(place: &Path, cache: Option<&Path>) -> Run {
    let player = format!("java:{}", place.display());
    let mut command = network(&["play", "-q", &player, "random", "--seed", "1"]);
    if let Some(cache) = cache {
        command.env("XDG_CACHE_HOME", cache);
    }
    Run::of(&mut command)
}

#[track_caller]
fn assert_played(run: &Run) {
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("\nResult: 0-1 (network of Black 50-23-"), "{}", run.stdout);
}

#[test]
fn classes_jars_and_sources_in_jars_play_alike() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = theirs("submissions/berkeley");
    let classes = folder.path().join("bin");
    run("javac", |javac| {
        let given = super::jdk::ours().join("given");
        javac.arg("-sourcepath").arg(given).arg("-d").arg(&classes).args(sources_below(&sources));
    })
    .success();
    // As if the submission came without what the course gave.
    fs::remove_file(classes.join("player/Move.class")).expect("the course's class");
    assert_played(&play_from(&classes, None));
    for (name, place) in [("classes.jar", &classes), ("sources.zip", &sources)] {
        let jar = folder.path().join(name);
        run("jar", |command| {
            command.arg("--create").arg("--file").arg(&jar).arg("-C").arg(place).arg(".");
        })
        .success();
        assert_played(&play_from(&jar, None));
    }
}

#[test]
fn several_may_compile_at_once() {
    needs_jdk!();
    let cache = tempfile::tempdir().expect("a temporary folder");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                assert_played(&play_from(&theirs("submissions/berkeley"), Some(cache.path())));
            });
        }
    });
    let made = fs::read_dir(cache.path().join("plyground/java")).expect("the cache");
    assert_eq!(made.count(), 2, "the host and the submission");
}

#[test]
fn submission_that_does_not_compile_is_refused() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("player/MachinePlayer.java");
    fs::create_dir(folder.path().join("player")).expect("a folder");
    fs::write(&source, "package player;\n// caf\u{e9}\nclass MachinePlayer { int x = y; }\n")
        .expect("a source");
    let error = "MachinePlayer.java:3: error: cannot find symbol";
    play_from(folder.path(), None).failure(2, error);
    // Old files are in Latin-1 as often as not.
    fs::write(&source, b"package player;\n// caf\xe9\nclass MachinePlayer { int x = y; }\n")
        .expect("a source");
    play_from(folder.path(), None).failure(2, error);
}

#[test]
fn missing_submission_is_refused() {
    needs_jdk!();
    play("nobody", "{} random").failure(2, "No such file or directory");
    play("berkeley:player.Nobody", "{} random").failure(2, "expected the class player.Nobody");
}

/// Needs no JDK: that is what it is about.
#[test]
fn missing_jdk_is_told_with_what_to_install() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let mut command = network(&["play", "-q", "java:tests/network/java/submissions/usf", "random"]);
    command.env("PATH", empty.path()).env_remove("JAVA_HOME");
    Run::of(&mut command).failure(1, "need a JDK, version 17 or newer");
    // It is not the submissions that lack something.
    let out = empty.path().join("grades").to_string_lossy().into_owned();
    let class = "tests/network/java/submissions";
    let args = ["grade", "--class", class, "--out", &out, "--player", "java:{folder}"];
    let mut command = network(&args);
    command.env("PATH", empty.path()).env_remove("JAVA_HOME");
    Run::of(&mut command).without_progress().failure(1, "need a JDK, version 17 or newer");
}
