//! Real classes: from zips to grades, to a ranking, and to Gradescope. Submissions that a person would have
//! running in a minute are built, too. Here is the autograder for Gradescope, in the folders that Gradescope has.

mod grades;
mod prepare;

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::common::{self, Run, Tested, project};

/// The program `plyground`.
pub struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

/// A folder to run it in.
pub type TestFolder = common::TestFolder<Plyground>;

/// A source of the tests.
pub fn source(name: &str) -> String {
    let path = project().join("tests/plyground/class/sources").join(name);
    fs::read_to_string(path).expect("a source")
}

/// The submission in C++ with single lines changed, each of which must be there.
#[track_caller]
pub fn cpp(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(source("maxconnect4.cpp"), |text, (from, to)| {
        assert!(text.contains(from), "no `{from}`");
        text.replace(from, to)
    })
}

/// A zip with these files.
pub fn zipped<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(contents.as_ref()).expect("a file");
    }
    zip.finish().expect("a zip").into_inner()
}

/// Hands in a file in the folder `zips`.
pub fn hand_in(folder: &TestFolder, name: &str, contents: impl AsRef<[u8]>) {
    fs::create_dir_all(folder.path("zips")).expect("a folder");
    folder.write(&format!("zips/{name}"), contents);
}

/// The `PATH` on which Python is what the shell finds, without what finds it: starting that takes
/// longer.
pub fn path() -> Option<String> {
    let print = ["-c", "import sys; print(sys.executable)"];
    let output = Process::new("python3").args(print).output().ok()?;
    let python = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let path = env::var("PATH").ok()?;
    Some(format!("{}:{path}", python.parent()?.display()))
}

/// Returns `true` if the system has all of these programs; says what is not tested otherwise.
pub fn has(tools: &[&str]) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_there = |tool: &str| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    let missing = tools.iter().find(|tool| !is_there(tool));
    if let Some(tool) = missing {
        assert!(env::var_os("PLYGROUND_NEEDS_JAVA").is_none(), "there is no {tool}");
        println!("not tested: there is no {tool}");
    }
    missing.is_none()
}

/// Runs the program with these words. What it says of the kernel does not matter.
#[track_caller]
pub fn run<S: AsRef<OsStr>>(folder: &TestFolder, words: &[S]) -> String {
    let mut command = folder.command(words);
    if let Some(path) = path() {
        command.env("PATH", path);
    }
    let Run { stdout, stderr, code } = Run::of(&mut command).without_progress();
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stderr.lines().all(|line| line.starts_with("warning: ")), "{stderr}");
    stdout
}

/// Prepares what is in `zips`.
#[track_caller]
pub fn prepare(folder: &TestFolder, more: &[&str]) -> String {
    let words = ["submissions", "prepare", "zips", "--out", "subs", "--jobs", "2"];
    run(folder, &[&words[..], more].concat())
}

/// The line of a table that begins with this name.
#[track_caller]
pub fn line<'a>(table: &'a str, name: &str) -> &'a str {
    let is_of = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with("  "));
    table.lines().find(is_of).unwrap_or_else(|| panic!("no {name} in\n{table}"))
}

/// A tar of 2 KiB with the script `hw/run.sh`, compressed by xz, and by bzip2.
const XZ: &[u8] = &[
    253, 55, 122, 88, 90, 0, 0, 4, 230, 214, 180, 70, 2, 0, 33, 1, 22, 0, 0, 0, 116, 47, 229, 163,
    224, 7, 255, 0, 76, 93, 0, 52, 29, 193, 229, 170, 52, 30, 7, 1, 35, 156, 183, 106, 40, 250, 52,
    116, 80, 80, 37, 155, 167, 61, 249, 60, 95, 112, 126, 75, 130, 124, 237, 246, 59, 222, 219, 70,
    83, 197, 214, 211, 144, 11, 199, 171, 32, 18, 200, 21, 244, 3, 212, 229, 45, 45, 100, 164, 92,
    29, 85, 246, 3, 197, 92, 119, 215, 178, 91, 70, 16, 181, 100, 62, 175, 53, 0, 0, 201, 220, 234,
    83, 255, 149, 56, 235, 0, 1, 104, 128, 16, 0, 0, 0, 231, 190, 13, 198, 177, 196, 103, 251, 2,
    0, 0, 0, 0, 4, 89, 90,
];
const BZIP2: &[u8] = &[
    66, 90, 104, 57, 49, 65, 89, 38, 83, 89, 185, 118, 92, 38, 0, 0, 48, 91, 128, 202, 144, 104, 1,
    242, 128, 0, 128, 112, 97, 30, 128, 8, 136, 32, 0, 84, 65, 70, 152, 129, 129, 3, 79, 79, 80,
    74, 77, 65, 233, 26, 13, 168, 0, 209, 172, 143, 144, 106, 196, 9, 242, 241, 30, 87, 50, 4, 2,
    245, 202, 157, 78, 138, 241, 17, 160, 33, 186, 160, 186, 67, 180, 153, 100, 205, 13, 124, 82,
    10, 0, 109, 209, 142, 252, 125, 193, 158, 5, 220, 145, 78, 20, 36, 46, 93, 151, 9, 128,
];

#[test]
fn other_archives_are_unpacked_or_named_with_the_remedy() {
    let folder = TestFolder::new();
    hand_in(&folder, "ann.tar.xz", XZ);
    hand_in(&folder, "bob.tar.bz2", BZIP2);
    hand_in(&folder, "carl.rar", "Rar!...");
    let table = prepare(&folder, &[]);
    assert!(line(&table, "ann").ends_with("ready"), "{table}");
    assert!(line(&table, "bob").ends_with("ready"), "{table}");
    let remedy = "found a RAR archive: unpack it, and put a zip in its place";
    assert!(line(&table, "carl").ends_with(remedy), "{table}");
}

/// Neither tests and old files beside a program count, nor what tools leave.
#[test]
#[ignore = "long"]
fn what_the_program_does_not_need_is_no_fault() {
    if !has(&["javac", "g++", "make", "python3"]) {
        return;
    }
    let folder = TestFolder::new();
    let [java, board] = ["maxconnect4.java", "Board.java"].map(source);
    let bare = |text: &str| text.replace("package a.player;", "");
    let [java, board] = [bare(&java), bare(&board)];
    let own = [("maxconnect4.java", java.as_str()), ("Board.java", &board)];
    let beside =
        |name: &'static str, text: &'static str| zipped(&[&own[..], &[(name, text)]].concat());
    let test = "import org.junit.Test;\npublic class BoardTest { @Test public void x() {} }\n";
    hand_in(&folder, "junit.zip", beside("BoardTest.java", test));
    hand_in(&folder, "old.zip", beside("Old.java", "public class Old { not Java }\n"));
    hand_in(&folder, "make.zip", beside("Makefile", "all:\n\tjavac BoardTest.java *.java\n"));
    let parts = [("main.cpp", "int main() {}\n"), ("old.cpp", "not C++\n")];
    hand_in(&folder, "cpp.zip", zipped(&parts));
    let cmake = "project(x)\nadd_executable(hello hello.c)\n";
    let parts = [("CMakeLists.txt", cmake), ("hello.c", "int main(void) {}"), PYTHON];
    hand_in(&folder, "cmake.zip", zipped(&parts));
    let run = "#!/bin/sh\r\nexec python3 maxconnect4.py \"$@\"\r\n";
    hand_in(&folder, "windows.zip", zipped(&[("run.sh", run), PYTHON]));
    let (include, main) = ("#include \"board.h\"\n", "int main() { return board(); }\n");
    let tree = [("app/main.cpp", &*format!("{include}{main}")), ("inc/board.h", "int board();\n")];
    let board = ("src/board.cpp", &*format!("{include}int board() {{ return 0; }}\n"));
    hand_in(&folder, "tree.zip", zipped(&[&tree[..], &[board]].concat()));
    let newer = "#include <span>\nint main() { std::span<int> s; return s.size(); }\n";
    hand_in(
        &folder,
        "newer.zip",
        zipped(&[("Makefile", "clean:\n\trm -f x\n"), ("main.cpp", newer)]),
    );
    hand_in(&folder, "capitals.zip", zipped(&[("MAXCONNECT4.PY", PYTHON.1), ("README", "")]));
    let many: Vec<String> = (0..2_500).map(|number| format!(".git/objects/00/{number}")).collect();
    let mut files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(PYTHON);
    hand_in(&folder, "git.zip", zipped(&files));
    let many: Vec<String> =
        (0..2_500).map(|number| format!("node_modules/a/{number}.js")).collect();
    let mut files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    files.push(PYTHON);
    hand_in(&folder, "packages.zip", zipped(&files));
    let table = prepare(&folder, &[]);
    let ready = ["junit", "old", "make", "cpp", "cmake", "windows", "git", "packages"];
    for name in [&ready[..], &["tree", "newer", "capitals"]].concat() {
        assert!(line(&table, name).ends_with("ready"), "{table}");
    }
    assert_eq!(folder.read("subs/windows/program/run.sh"), run.replace('\r', ""));
    let log = folder.read("subs/windows/build.log");
    assert!(log.starts_with("mended, its lines ended in CR LF: run.sh\n"), "{log}");
    assert!(!folder.path("subs/git/program/.git").exists());
}

/// A program that does nothing.
const PYTHON: (&str, &str) = ("maxconnect4.py", "import sys\nsys.argv\n");

#[test]
fn class_that_plays_network_is_ready_with_its_package() {
    if !has(&["javac"]) {
        return;
    }
    let folder = TestFolder::new();
    let class = "package player;\npublic class MachinePlayer extends Player {}\n";
    let parent = "package player;\nclass Player {}\n";
    let test = "package player;\nimport org.junit.Test;\nclass BoardTest {}\n";
    let player = [("player/MachinePlayer.java", class), ("player/Player.java", parent)];
    hand_in(&folder, "ann.zip", zipped(&player));
    let more = [("player/BoardTest.java", test), ("player/MachinePlayer.class", "old")];
    let more = [&player[..], &more, &[("run.sh", "java Test\n"), ("Makefile", "all:\n\tfalse\n")]];
    hand_in(&folder, "bob.zip", zipped(&more.concat()));
    let table = prepare(&folder, &["--program", "network"]);
    for name in ["ann", "bob"] {
        assert!(line(&table, name).ends_with("ready (java:)"), "{table}");
        let class = folder.path(&format!("subs/{name}/program/player/MachinePlayer.class"));
        assert!(fs::read(class).is_ok_and(|bytes| bytes.starts_with(b"\xca\xfe\xba\xbe")));
    }
}

/// A copy with other names and comments.
fn disguised(text: &str) -> String {
    let renamed = text.replace("board", "grid").replace("depth", "level").replace("best", "top");
    renamed.lines().map(|line| format!("{line}  # mine\n")).collect()
}

#[test]
fn sources_that_a_build_removes_or_changes_are_named() {
    if !has(&["make"]) {
        return;
    }
    let place = TestFolder::new();
    for (name, rest) in [("ann", "\trm main.py"), ("bob", "\techo >> main.py"), ("carl", "")] {
        let makefile = format!("all:\n\tcp main.py maxconnect4\n{rest}\n");
        let files = [("Makefile", &*makefile), ("main.py", "#!/usr/bin/env python3\nprint(1)\n")];
        hand_in(&place, &format!("{name}.zip"), zipped(&files));
    }
    prepare(&place, &[]);
    let run = Run::of(&mut place.command(["submissions", "compare", "subs"]));
    assert_eq!(run.code, Some(0));
    let said = |name| format!("warning: {name}: its build has removed or changed main.py: compare");
    assert!(
        run.stderr.contains(&said("ann")) && run.stderr.contains(&said("bob")),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("carl"), "{}", run.stderr);
    let without = "warning: ann: cannot be compared: it has no source files of a known language\n";
    assert!(run.stderr.contains(without), "{}", run.stderr);

    place.write("notes.txt", "");
    let run = Run::of(&mut place.command(["submissions", "compare", "notes.txt"]));
    assert_eq!(run.code, Some(2));
    let fault = "error: notes.txt: expected a folder, with a folder for each submission\n";
    assert_eq!(run.stderr, fault);
}

#[test]
#[ignore = "long"]
fn look_alikes_are_named_and_marked() {
    if !has(&["python3"]) {
        return;
    }
    let place = TestFolder::new();
    let original = source("maxconnect4.py");
    let copy = disguised(&original);
    let other = "import sys\nprint('nothing', sys.argv)\n";
    for (name, text) in [("ann", &*original), ("bob", &*copy), ("carl", other)] {
        hand_in(&place, &format!("{name}.zip"), zipped(&[("maxconnect4.py", text)]));
    }
    prepare(&place, &[]);
    let table = run(&place, &["submissions", "compare", "subs", "--out", "alike.html"]);
    assert!(table.contains("\nann         bob  100 %"), "{table}");
    let advice = "\nThis is no verdict: read the passages, and ask. Name code that you gave with --starter.\n";
    assert!(table.ends_with(advice), "{table}");
    let page = place.read("alike.html");
    assert!(page.contains("ann and bob: 100 %") && page.contains("# mine"), "{page}");
    // What everybody was given does not count.
    place.write("given.py", &*original);
    let none = run(&place, &["submissions", "compare", "subs", "--starter", "given.py"]);
    assert_eq!(none, "No two submissions share more than chance explains.\n");
    // More than half of a class is no ring, but it is named.
    for name in ["ann", "bob", "carl", "dan"] {
        fs::create_dir_all(place.path(&format!("same/{name}"))).expect("a folder");
        place.write(&format!("same/{name}/maxconnect4.py"), &*original);
    }
    let same = run(&place, &["submissions", "compare", "same"]);
    assert!(
        same.starts_with("4 submissions have code in common that does not count: 100 % of ann, "),
        "{same}"
    );
    assert!(same.ends_with("\n\nNo two submissions share more than chance explains.\n"), "{same}");
    let words = [
        "maxconnect4",
        "grade",
        "--class",
        "subs",
        "--out",
        "grades",
        "--total",
        "1ms",
        "--player",
        "file:{start} one-move {in} {out} {depth}",
    ];
    run(&place, &words);
    let class = place.read("grades/class.html");
    assert!(class.contains("like bob (100 %)</li>"), "{class}");
    // The grades are as before, but not the marks.
    let said = run(&place, &[&words[..], &["--starter", "given.py"]].concat());
    assert!(said.contains("\n0 graded now, 3 as before\n"), "{said}");
    assert!(!place.read("grades/class.html").contains("like bob"));
    let missing = [&words[..], &["--starter", "none.py"]].concat();
    let missing = Run::of(&mut place.command(missing));
    assert_eq!(missing.code, Some(2));
    let fault = "error: --starter: none.py: cannot read it: No such file or directory";
    assert!(missing.stderr.starts_with(fault), "{}", missing.stderr);
    assert_eq!(missing.stderr.lines().count(), 1, "{}", missing.stderr);
}

/// The fields that Gradescope's documentation names, and those of a test and of the leaderboard.
const FIELDS: [&str; 11] = [
    "score",
    "execution_time",
    "output",
    "output_format",
    "test_output_format",
    "test_name_format",
    "visibility",
    "stdout_visibility",
    "extra_data",
    "tests",
    "leaderboard",
];
const TEST_FIELDS: [&str; 11] = [
    "score",
    "max_score",
    "status",
    "name",
    "name_format",
    "number",
    "output",
    "output_format",
    "tags",
    "visibility",
    "extra_data",
];
const LEADERBOARD_FIELDS: [&str; 3] = ["name", "value", "order"];
const VISIBILITIES: [&str; 4] = ["hidden", "after_due_date", "after_published", "visible"];

/// Holds results to the fields of the documentation and to the values that they may have.
#[track_caller]
fn validate(results: &Value) {
    let only = |value: &Value, fields: &[&str]| {
        let object = value.as_object().expect("an object");
        for (name, value) in object {
            assert!(fields.contains(&name.as_str()), "unknown field {name}");
            let is_right = match name.as_str() {
                "score" | "max_score" | "execution_time" => value.is_number(),
                "visibility" | "stdout_visibility" => {
                    value.as_str().is_some_and(|value| VISIBILITIES.contains(&value))
                }
                "status" => value == "passed" || value == "failed",
                "order" => value == "asc" || value == "desc",
                "tests" | "leaderboard" | "tags" => value.is_array(),
                "extra_data" => value.is_object(),
                "value" => value.is_number() || value.is_string(),
                format if format.ends_with("_format") => {
                    let formats = ["text", "html", "simple_format", "md", "ansi"];
                    value.as_str().is_some_and(|value| formats.contains(&value))
                }
                _ => value.is_string(),
            };
            assert!(is_right, "{name}: {value}");
        }
    };
    only(results, &FIELDS);
    assert!(results["score"].is_number(), "without tests, a score is needed");
    assert_eq!(results["stdout_visibility"], "hidden");
    results["tests"].as_array().expect("tests").iter().for_each(|test| only(test, &TEST_FIELDS));
    let lines = results["leaderboard"].as_array().expect("a leaderboard");
    lines.iter().for_each(|line| only(line, &LEADERBOARD_FIELDS));
}

/// The folders of Gradescope, with the autograder in them.
struct Autograder {
    root: PathBuf,
}

impl Autograder {
    /// Unpacks the zip as Gradescope does.
    fn new(folder: &TestFolder) -> Autograder {
        let root = folder.path("autograder");
        let mut zip =
            ZipArchive::new(File::open(folder.path("a.zip")).expect("a zip")).expect("a zip");
        zip.extract(root.join("source")).expect("an autograder");
        fs::copy(root.join("source/run_autograder"), root.join("run_autograder")).expect("a copy");
        open_to_all(&folder.path(""));
        open_to_all(&root);
        Autograder { root }
    }

    /// Grades these files, or no folder at all, as Gradescope does; the results.
    fn grade(&self, files: Option<&[(&str, &str)]>) -> Value {
        for folder in ["submission", "results", "plyground"] {
            let _ = fs::remove_dir_all(self.root.join(folder));
        }
        for (name, text) in files.into_iter().flatten() {
            let path = self.root.join("submission").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let mut command = Process::new(self.root.join("run_autograder"));
        command.env("AUTOGRADER_ROOT", &self.root).env_remove("HOME");
        if let Some(path) = path() {
            command.env("PATH", path);
        }
        let output = command.output().expect("the autograder");
        let text = fs::read_to_string(self.root.join("results/results.json"));
        let text = text.unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let results = serde_json::from_str(&text).expect("JSON");
        validate(&results);
        results
    }
}

/// Lets other users find what is in a folder: that of a test is for its user alone.
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("permissions");
}

/// The least checks that there are, so that it takes no time.
const POINTS: &str = "[points]\n\"only legal moves are chosen\" = 0\n\"random play is beaten\" = 0\n\
    \"the last eight moves are seen\" = 0\n\"the last six moves are seen\" = 0\n\
    \"points are seen two moves ahead\" = 0\n\"points are seen four moves ahead\" = 0\n\"a full board is left alone\" = 0\n\
    \"no file is written for a full board\" = 0\n\"depth 5 takes a minute at most\" = 0\n\
    \"the depth is the number of moves looked ahead\" = 0\n\
    [visibility]\n\"the score is printed\" = \"hidden\"\n";

fn make(folder: &TestFolder, more: &[&str]) -> Autograder {
    folder.write("points.toml", POINTS);
    let words = [
        "maxconnect4",
        "grade",
        "gradescope",
        "--player",
        "file:{start} one-move {in} {out} {depth}",
        "--points",
        "points.toml",
        "--out",
        "a.zip",
        "--seed",
        "7",
        "--cpu",
        "1s",
    ];
    let text = run(folder, &[&words[..], more].concat());
    assert!(text.contains("a.zip: an autograder for Gradescope"), "{text}");
    Autograder::new(folder)
}

/// The level of Gradescope's system: root, without namespaces.
fn level() -> Vec<&'static str> {
    if nix::unistd::Uid::effective().is_root() {
        vec!["--sandbox", "user"]
    } else {
        println!("not tested: the level user, for which only root can do");
        Vec::new()
    }
}

#[test]
#[ignore = "long"]
fn autograder_writes_results_whatever_happens() {
    if !has(&["g++", "make"]) {
        return;
    }
    let folder = TestFolder::new();
    let autograder = make(&folder, &level());
    let graded = |changes: &[(&str, &str)]| {
        let code = cpp(changes);
        autograder.grade(Some(&[("submission/maxconnect4.cpp", &code)]))
    };
    let good = graded(&[]);
    assert_eq!(good["score"], 12.0, "{good}");
    assert_eq!(good["extra_data"]["status"], "ready");
    let tests = good["tests"].as_array().expect("tests");
    let hidden = tests.iter().find(|test| test["name"] == "the score is printed").expect("a test");
    assert_eq!((&hidden["visibility"], &hidden["output"]), (&"hidden".into(), &"".into()));
    let none = autograder.grade(None);
    assert_eq!(
        (&none["score"], &none["extra_data"]["status"]),
        (&0.0.into(), &"no program".into())
    );
    assert!(none["output"].as_str().is_some_and(|text| text.contains("there are no files in it")));
    let unbuilt = autograder.grade(Some(&[("a.cpp", "int main() { retrun 0; }")]));
    let text = unbuilt["output"].as_str().unwrap_or_default();
    assert!(text.contains("not built, a.cpp:1:") && text.contains("The build:"), "{text}");
    assert_eq!(unbuilt["score"], 0.0);
    let crash = graded(&[("    load(words[2]);", "    fputs(\"an error\\n\", stderr); abort();")]);
    assert_eq!(crash["score"], 0.0);
    let text = crash.to_string();
    assert!(text.contains("signal SIGABRT: an error"), "{text}");
    let hangs = graded(&[("    load(words[2]);", "    for (;;) ;")]);
    assert_eq!(hangs["score"], 0.0);
    assert!(hangs.to_string().contains("cpu limit of 1s exceeded"), "{hangs}");
}

#[test]
fn autograder_that_fails_leaves_results() {
    let folder = TestFolder::new();
    folder.write("small", format!("#!/bin/sh\nexec {} \"$@\"\n", Plyground::PROGRAM));
    let autograder = make(&folder, &["--executable", "small"]);
    // It does not even start.
    fs::write(autograder.root.join("source/grader"), "#!/bin/sh\nkill -9 $$\n").expect("a file");
    let results = autograder.grade(Some(&[("a.py", "")]));
    assert_eq!(results["score"], 0.0);
    let text = results["output"].as_str().unwrap_or_default();
    assert!(text.starts_with("The autograder has failed, not the submission"));
    // It starts, and is told nonsense.
    let autograder = make(&folder, &["--executable", "small"]);
    fs::write(autograder.root.join("source/autograder.toml"), "x = 1\n").expect("a file");
    let results = autograder.grade(Some(&[("a.py", "")]));
    assert!(results["output"].as_str().is_some_and(|text| text.contains("has failed")));
}

#[test]
fn setup_installs_what_is_asked_for_and_nothing_else() {
    let folder = TestFolder::new();
    folder.write("small", "#!/bin/sh\n");
    let autograder = make(&folder, &["--packages", "gcc make", "--executable", "small"]);
    let setup = fs::read_to_string(autograder.root.join("source/setup.sh")).expect("a script");
    assert!(
        setup.contains("\napt-get install --yes --no-install-recommends gcc make\n"),
        "{setup}"
    );
    let words = [
        "maxconnect4",
        "grade",
        "gradescope",
        "--player",
        "file:{start} {in} {out}",
        "--out",
        "b.zip",
        "--packages",
        "gcc; reboot",
    ];
    let refused = Run::of(&mut folder.command(words));
    refused.failure(2, "expected --packages with names of packages");
    assert!(!folder.path("b.zip").exists());
}
