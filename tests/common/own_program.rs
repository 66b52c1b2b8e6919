//! Helpers of the tests of games that have a program of their own.

use std::path::{Path, PathBuf};
use std::{fs, process};

use assert_cmd::Command;
use tempfile::TempDir;

use crate::common::browser::Browser;
use crate::common::run::Run;
use crate::common::served::Served;

/// Asserts that a run has succeeded and printed this.
#[track_caller]
pub fn shows(run: Run, part: &str) -> Run {
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(part), "no `{part}` in {}", run.stdout);
    run
}

/// Opens the page of a program, on which two people play its game. Returns `None` without a browser.
pub fn page_of_two_people(program: &str, game: &str) -> Option<(Served, Browser)> {
    let served = Served::start(program, "");
    let browser = Browser::start(1200, 900)?;
    browser.load(&served.url());
    let players = r#"[{"kind":"human"},{"kind":"human"}]"#;
    browser.run(&format!("localStorage.setItem('plyground.{game}.players', '{players}')"));
    browser.reload();
    Some((served, browser))
}

/// Writes the starter kit in Python of a game's own program, holds it to these checks by `make check`, and lets
/// it make a move by files. Without Python and make it does nothing, unless `PLYGROUND_NEEDS_LANGUAGES` is set.
pub fn check_kit(program: &str, rules: &str, names: &[&str]) {
    let is_here = |tool| process::Command::new(tool).arg("--version").output().is_ok();
    if !is_here("python3") || !is_here("make") {
        let needed = std::env::var_os("PLYGROUND_NEEDS_LANGUAGES").is_some();
        assert!(!needed, "there is no python3 or make");
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(program).parent().map(PathBuf::from);
    let path = own.into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("folders");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        for variable in ["MAKEFLAGS", "CARGO_MAKEFLAGS"] {
            command.env_remove(variable);
        }
        let run = Run::of(command.args(args).current_dir(folder.path()).env("PATH", &path));
        assert_eq!(run.code, Some(0), "{program} {args:?}: {run:?}");
        run
    };
    let words = format!("starter {rules} --language python --out kit");
    run(program, &words.split_whitespace().collect::<Vec<_>>());
    let game = Path::new(program).file_stem().expect("a name").to_string_lossy().into_owned();
    let checks: Vec<_> = names.iter().map(|name| format!("--check \"{name}\"")).collect();
    let grade = format!("GRADE={}", checks.join(" "));
    let results = run("make", &["-C", "kit", "check", &grade]);
    for name in names {
        assert!(results.stdout.contains(&format!("ok    {name} ")), "{name}: {}", results.stdout);
    }
    fs::write(folder.path().join("none.txt"), "").expect("a file");
    let play = format!("kit/{game}.py");
    let asked = run("python3", &[&play, "interactive", "new.txt", "computer-next", "1"]);
    assert!(asked.stdout.contains("No more input."), "{asked:?}");
}
