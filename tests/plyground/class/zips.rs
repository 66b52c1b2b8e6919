//! Submissions made from sources, and the program that works on them.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::Command as Process;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::common::project;
use crate::common::run::Run;
use crate::common::test_folder::{self, Tested};

/// The program `plyground`.
pub struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

/// A folder to run it in.
pub type TestFolder = test_folder::TestFolder<Plyground>;

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
