//! Runs the examples of a page.
//!
//! A block marked `console` holds commands behind `$ ` and what they print, standard error
//! included. The blocks of a page are run one after the other in a folder that has a copy of `inputs`.
//! In the output, `...` alone on a line stands for any lines up to the first that is like the one
//! after it, and `[..]` for anything within a line; blanks at the end of a line do not count.
//!
//! With `UPDATE_GOLDEN=1` the true output is put in place of a wrong one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io, thread};

use snapbox::Assert;

use super::markdown::{self, Example, Page};
use super::run;
use crate::common::project;

/// Runs the command in the shell, and returns its output without blanks before line ends.
fn run(command: &str, programs: &Path, folder: &Path) -> io::Result<String> {
    let path = env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

fn copy_inputs(folder: &Path) -> io::Result<()> {
    for game in fs::read_dir(project().join("inputs"))? {
        let game = game?;
        let copy = folder.join("inputs").join(game.file_name());
        fs::create_dir_all(&copy)?;
        for file in fs::read_dir(game.path())? {
            let file = file?;
            fs::copy(file.path(), copy.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// Runs the examples of a page in a folder of their own, with the programs of the folder `programs`, and
/// returns the differences.
pub fn check(page: &Page, programs: &Path) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    copy_inputs(folder.path())?;
    let mut text = page.text.clone();
    let mut faults = Vec::new();
    for Example { command, output } in page.examples() {
        let actual = run(&command, programs, folder.path())?;
        let compared =
            Assert::new().try_eq(Some(&command), actual.clone().into(), (&output).into());
        if let Err(fault) = compared {
            let shown = format!("$ {command}\n{output}");
            text = text.replacen(&shown, &format!("$ {command}\n{actual}"), 1);
            faults.push(format!("{}: $ {command}\n{fault}", page.path));
        }
    }
    if env::var_os("UPDATE_GOLDEN").is_some() && !faults.is_empty() {
        fs::write(project().join(&page.path), text)?;
        faults.clear();
    }
    Ok(faults)
}

/// Its examples are run where there is a JDK: see the tests of Java players.
const NEEDS_JAVA: &str = "games/network/java/README.md";
/// Its examples are run with the tests of the package `research`, whose program they need.
const NEEDS_RESEARCH: &str = "research/README.md";

/// The folder of the programs.
fn program_folder() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_maxconnect4"));
    binary.parent().expect("a folder").to_owned()
}

#[test]
fn examples_print_what_the_pages_show() -> io::Result<()> {
    let mut pages = markdown::pages()?;
    let is_elsewhere = |path: &str| [NEEDS_JAVA, NEEDS_RESEARCH].contains(&path);
    pages.retain(|page| !is_elsewhere(&page.path) && !page.examples().is_empty());
    assert!(pages.len() > 5, "{} pages with examples", pages.len());
    // The examples mostly wait for each other's programs, so all pages are looked at together.
    let faults = thread::scope(|scope| {
        let checks: Vec<_> =
            pages.iter().map(|page| scope.spawn(|| run::check(page, &program_folder()))).collect();
        let checked = checks.into_iter().map(|check| check.join().expect("no panic"));
        checked.collect::<io::Result<Vec<_>>>()
    })?;
    let faults = faults.concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// An example that waits for a file of a program behind it would find that of an earlier one.
#[test]
fn no_example_waits_for_a_file_of_another() -> io::Result<()> {
    for page in markdown::pages()? {
        let mut files = HashSet::new();
        for markdown::Example { command, .. } in page.examples() {
            let Some((_, rest)) = command.split_once(" > ") else { continue };
            let mut words = rest.split(' ');
            let file = words.next().map(str::to_owned);
            let is_behind = words.next() == Some("&");
            let is_new = files.insert(file);
            assert!(is_new || !is_behind, "{}: {command}", page.path);
        }
    }
    Ok(())
}
