//! A kit in a folder, built.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::thread;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::common::run::Run;

/// Without the tools of a language the tests of its kits fail instead of doing nothing if this is set.
const NEEDED: &str = "PLYGROUND_NEEDS_LANGUAGES";

/// The program that writes the kits.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");

/// Which kit it is, and how its program is started in its folder.
#[derive(Clone, Copy, Debug)]
pub struct KitName {
    pub game: &'static str,
    pub rules: Option<&'static str>,
    pub language: &'static str,
    /// The tool that the build needs.
    pub tool: &'static str,
    /// The words that start the program.
    pub start: &'static str,
}

/// A kit in a folder, which is removed when dropped.
pub struct Kit {
    pub name: KitName,
    folder: TempDir,
}

/// Returns `true` if all checks are to be made, however long they take.
pub fn is_nightly() -> bool {
    env::var_os("PLYGROUND_NIGHTLY").is_some()
}

/// `PATH` with the folder of our programs first, and then that of the Python which the shell finds:
/// what finds it for the shell takes longer than to start it.
static PATH: LazyLock<OsString> = LazyLock::new(|| {
    let programs = Path::new(PROGRAM).parent().expect("a folder").to_owned();
    let print = ["-c", "import os, sys; print(os.path.dirname(sys.executable))"];
    let python = process::Command::new("python3").args(print).output().ok();
    let python = python.map(|output| String::from_utf8_lossy(&output.stdout).trim().into());
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [programs].into_iter().chain(python).chain(env::split_paths(&path));
    env::join_paths(folders).expect("folders")
});

/// Returns `true` if a tool is here; without it, a line says that the test is skipped.
#[track_caller]
pub fn is_here(tool: &str) -> bool {
    // Tools differ in what they say to --version; that they start is enough.
    let found =
        process::Command::new(tool).arg("--version").stdin(process::Stdio::null()).output().is_ok();
    assert!(found || env::var_os(NEEDED).is_none(), "{NEEDED} is set, and there is no {tool}");
    if !found {
        let test = thread::current();
        // The test harness keeps to itself what the macros print.
        let line = format!("{} is skipped: no {tool}\n", test.name().unwrap_or("a test"));
        io::stderr().write_all(line.as_bytes()).expect("standard error");
    }
    found
}

impl Kit {
    /// Writes the kit and builds it; `None` if its tools are missing.
    #[track_caller]
    pub fn build(name: KitName) -> Option<Kit> {
        if !is_here("make") || !is_here(name.tool) {
            return None;
        }
        let kit = Kit { name, folder: TempDir::new().expect("a folder") };
        let rules = name.rules.map(|rules| format!("--rules {rules} ")).unwrap_or_default();
        let KitName { game, language, .. } = name;
        let args = format!("starter --game {game} {rules}--language {language} --out kit");
        let mut starter = Command::new(PROGRAM);
        Run::of(starter.current_dir(kit.folder.path()).args(args.split(' '))).success();
        let built = kit.make(&["all"]);
        assert_eq!(built.code, Some(0), "{name:?}: {built:?}");
        assert!(!built.stderr.contains("warning"), "{name:?}: {}", built.stderr);
        Some(kit)
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("kit").join(name)
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    /// Makes something, as a student does who has our programs in `PATH`.
    pub fn make(&self, targets: &[&str]) -> Run {
        Run::of(self.here("make").args(targets))
    }

    /// Runs the program of the kit with arguments separated by blanks.
    pub fn run(&self, args: &str) -> Run {
        self.run_with(args, "")
    }

    /// Runs the program of the kit with these lines on standard input.
    pub fn run_with(&self, args: &str, input: &str) -> Run {
        let words = format!("{} {args}", self.name.start);
        let mut words = words.split(' ');
        let mut command = self.here(words.next().expect("a program"));
        Run::of(command.args(words).write_stdin(input))
    }

    /// A command in the folder of the kit, without what Cargo adds to the environment of tests.
    pub fn here(&self, program: &str) -> Command {
        let own = self.path(program);
        let mut command =
            if program.contains('/') { Command::new(own) } else { Command::new(program) };
        command.current_dir(self.path("")).env("PATH", &*PATH);
        for variable in ["MAKEFLAGS", "CARGO_MAKEFLAGS", "CARGO_TARGET_DIR", "RUSTFLAGS"] {
            command.env_remove(variable);
        }
        command
    }

    /// Holds the player to the checks by `make check`, to these alone unless every night.
    #[track_caller]
    pub fn check(&self, names: &[&str], others: &[&str]) {
        let zeros: String = others.iter().map(|name| format!("\"{name}\" = 0\n")).collect();
        self.write("points.toml", &format!("[points]\n{zeros}"));
        let quick = ["check", "GRADE=--points points.toml"];
        let run = self.make(if is_nightly() { &quick[..1] } else { &quick });
        assert_eq!(run.code, Some(0), "{:?}: {run:?}", self.name);
        for name in names {
            assert!(run.stdout.contains(&format!("\nok    {name} ")), "{name}: {}", run.stdout);
        }
    }
}
