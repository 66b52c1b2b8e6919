//! The program `research`, run as people run it.

mod cluster;
mod openings;
mod solve;
#[cfg(unix)]
mod together;

use network::strategy_check::{CheckedStrategy, check};

use crate::common::project;
use crate::common::test_folder::{self, Tested};

/// The program that is run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_research");

/// A folder to run it in.
type TestFolder = test_folder::TestFolder<Research>;

/// The program `research`.
struct Research;

impl Tested for Research {
    const PROGRAM: &str = PROGRAM;
}

/// Returns a file of `inputs/network`, as an argument.
fn input(name: &str) -> String {
    project().join("inputs/network").join(name).display().to_string()
}

/// Returns the output of `solve` or `openings` without the line about nodes and time.
fn without_figures(text: &str) -> String {
    text.lines().filter(|line| !line.contains("nodes, ")).map(|line| format!("{line}\n")).collect()
}

#[cfg(unix)]
mod pages {
    use std::io;
    use std::path::Path;

    use super::PROGRAM;
    use crate::common::help::check_examples;
    use crate::{markdown, run};

    #[test]
    fn every_command_has_examples_that_can_be_copied() {
        assert!(check_examples(Path::new(PROGRAM)) > 10);
    }

    #[test]
    fn examples_of_page_print_what_it_shows() -> io::Result<()> {
        let pages = markdown::pages()?;
        let page = pages.iter().find(|page| page.path == "research/README.md");
        let page = page.expect("the page of this package");
        assert!(page.examples().len() > 3, "{}", page.text);
        let programs = Path::new(PROGRAM).parent().expect("a folder");
        let faults = run::check(page, programs)?;
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        Ok(())
    }
}

/// Checks the strategy in a file of the folder.
#[track_caller]
fn accepted(folder: &TestFolder, file: &str) -> CheckedStrategy {
    check(&folder.read(file)).unwrap_or_else(|gap| panic!("{file}: {gap}"))
}
