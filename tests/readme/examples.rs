//! The examples of the pages, run as they stand.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{io, thread};

use super::{markdown, run};

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
