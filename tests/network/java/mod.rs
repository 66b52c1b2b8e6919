//! Java classes of the courses: theirs against our players, and ours in their programs. Here are the host
//! of Java players by itself, the search for a submission and its compilation, the sources, and the page
//! about them.
//!
//! All tests need a JDK. Without one they say so and do nothing, or fail if `PLYGROUND_NEEDS_JAVA` is
//! set.

mod arena;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs, process, thread};

use assert_cmd::Command;
use snapbox::Assert;

use crate::common::{Run, project};
use crate::docs::markdown;

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
        if !crate::network_java::is_here() {
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

/// Returns the answers of the host to these lines, for a player of the submissions.
fn conversation(said: &[&str]) -> Run {
    let mut java = Command::new("java");
    java.arg("-cp").arg(&*CLASSES).args(["plyground.host.Host", "player.MachinePlayer"]);
    Run::of(java.write_stdin(said.join("\n")))
}

#[track_caller]
fn assert_answers(said: &[&str], answers: &[&str]) {
    let run = conversation(said).success();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), answers.len(), "{}", run.stdout);
    for (line, answer) in lines.iter().zip(answers) {
        assert!(line.starts_with(answer), "`{line}` is not like `{answer}`");
    }
}

#[test]
#[ignore = "long"]
fn it_answers_as_the_protocol_has_it() {
    needs_jdk!();
    assert_answers(
        &[
            "newgame network berkeley second",
            "isready",
            "hello",
            "",
            "position startpos moves 34",
            "isready",
            "go wall 1000",
            "quit",
            "isready",
        ],
        &["readyok", "readyok", "bestmove "],
    );
}

#[test]
#[ignore = "long"]
fn it_says_which_moves_are_taken_for_illegal() {
    needs_jdk!();
    assert_answers(
        &[
            "newgame network berkeley second",
            "position startpos moves 00",
            "isready",
            // The player's own, which is forced upon it, in the other's goal.
            "position startpos moves 11 05",
            "isready",
            "position startpos moves 11 05 33",
            "isready",
            "go",
        ],
        &["illegal 00", "readyok", "illegal 05", "readyok", "readyok", "bestmove "],
    );
}

#[test]
fn it_begins_anew_when_the_game_does() {
    needs_jdk!();
    assert_answers(
        &[
            // Which side it is shows only when it is to move.
            "newgame network berkeley",
            "isready",
            "position startpos moves 34",
            "isready",
            "go",
            // Taken back, and the other side besides.
            "position startpos",
            "go",
            "newgame network berkeley first",
            "position startpos moves 34 43",
            "isready",
            "go",
        ],
        &["readyok", "readyok", "bestmove ", "bestmove ", "readyok", "bestmove "],
    );
}

#[test]
fn it_sets_up_positions_chip_by_chip() {
    needs_jdk!();
    let state = "......../.W....../......../...B..../......../..W...../......../......../B";
    let position = format!("position {state} moves 11 33");
    assert_answers(
        &["newgame network berkeley second", &position, "isready", "go"],
        // Both squares are taken already.
        &["illegal 11", "illegal 33", "readyok", "bestmove "],
    );
    // White, who begins, cannot be one chip behind.
    let position = format!("position {}", state.replace('W', "."));
    let run = conversation(&["newgame network berkeley second", &position]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("adding chips in turn does not lead to"), "{}", run.stderr);
}

fn play_cached(place: &Path, cache: Option<&Path>) -> Run {
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
#[ignore = "long"]
fn classes_jars_and_sources_in_jars_play_alike() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = theirs("submissions/berkeley");
    let classes = folder.path().join("bin");
    run("javac", |javac| {
        let given = ours().join("given");
        javac.arg("-sourcepath").arg(given).arg("-d").arg(&classes).args(sources_below(&sources));
    })
    .success();
    // As if the submission came without what the course gave.
    fs::remove_file(classes.join("player/Move.class")).expect("the course's class");
    assert_played(&play_cached(&classes, None));
    for (name, place) in [("classes.jar", &classes), ("sources.zip", &sources)] {
        let jar = folder.path().join(name);
        run("jar", |command| {
            command.arg("--create").arg("--file").arg(&jar).arg("-C").arg(place).arg(".");
        })
        .success();
        assert_played(&play_cached(&jar, None));
    }
}

#[test]
#[ignore = "long"]
fn several_may_compile_at_once() {
    needs_jdk!();
    let cache = tempfile::tempdir().expect("a temporary folder");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                assert_played(&play_cached(&theirs("submissions/berkeley"), Some(cache.path())));
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
    play_cached(folder.path(), None).failure(2, error);
    // Old files are in Latin-1 as often as not.
    fs::write(&source, b"package player;\n// caf\xe9\nclass MachinePlayer { int x = y; }\n")
        .expect("a source");
    play_cached(folder.path(), None).failure(2, error);
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
    let Run { stderr, code, .. } = Run::of(&mut command).without_progress();
    assert_eq!(code, Some(1), "{stderr}");
    let why = "warning: berkeley, usf: not graded: java: players need a JDK, version 17 or newer";
    assert!(stderr.contains(why), "{stderr}");
    assert!(stderr.contains("error: this system could not run 2 of the submissions"), "{stderr}");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
}

/// Compiles sources with every warning an error.
#[track_caller]
fn assert_clean(sources: &[PathBuf], options: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run("javac", |javac| {
        javac.args(["--release", "17", "-Xlint:all", "-Werror"]).args(options);
        javac.arg("-d").arg(folder.path()).arg("-implicit:none").args(sources);
        javac.arg("-sourcepath").arg(ours().join("given"));
    })
    .success();
}

#[test]
#[ignore = "long"]
fn our_sources_compile_without_warnings_and_are_documented() {
    needs_jdk!();
    for folder in ["host", "given", "engine"] {
        assert_clean(&sources_below(&ours().join(folder)), &["-Xdoclint:all/package"]);
    }
}

#[test]
#[ignore = "long"]
fn sources_of_the_tests_compile_without_warnings() {
    needs_jdk!();
    for folder in ["submissions/berkeley", "submissions/usf"] {
        assert_clean(&sources_below(&theirs(folder)), &[]);
    }
}

#[test]
#[ignore = "long"]
fn examples_print_what_the_page_shows() {
    needs_jdk!();
    let path = "games/network/java/README.md".to_owned();
    let text = fs::read_to_string(project().join(&path)).expect("a page");
    let examples = markdown::Page { path, text }.examples();
    assert!(!examples.is_empty());
    for markdown::Example { command, output } in examples {
        let shell = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(project())
            .env("PATH", path_with_program())
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-cache"))
            .output();
        let text = shell.expect("a shell").stdout;
        let text = String::from_utf8_lossy(&text).into_owned();
        Assert::new().eq(text, output);
    }
}
