//! The autograder for Gradescope, in the folders that Gradescope has.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use zip::ZipArchive;

use super::{Plyground, TestFolder, cpp, has, path, run};
use crate::common::run::{Run, Tested};

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
        let mut command = Command::new(self.root.join("run_autograder"));
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
    assert!(text.starts_with("The autograder has failed. This says nothing of the submission"));
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
