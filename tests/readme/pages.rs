//! What the README and the other pages say of the repository.

use std::fs;

use super::markdown;
use crate::common::project;

const README: &str = include_str!("../../README.md");

/// The top level of the repository, without which a text with a `/` in it is not taken for a path.
const TOP: [&str; 10] = [
    "src/",
    "crates/",
    "games/",
    "programs/",
    "examples/",
    "docs/",
    "inputs/",
    "tests/",
    "results/",
    ".ci/",
];

/// Stands for a name of the reader's own.
const PLACEHOLDER: &str = "NAME";

/// The texts between single backquotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The files and folders that a line names. A bare file is in the folder named before it.
fn paths(line: &str) -> Vec<String> {
    let mut folder = "";
    let mut paths = Vec::new();
    for text in quoted(line).filter(|text| !text.contains(' ') && !text.contains(PLACEHOLDER)) {
        if TOP.iter().any(|top| text.starts_with(top)) {
            paths.push(text.to_owned());
            folder = if text.ends_with('/') { text } else { folder };
        } else if text.ends_with(".rs") {
            paths.push(format!("{folder}{text}"));
        }
    }
    paths
}

#[test]
fn every_file_that_it_names_is_there() {
    let prose = README.lines().filter(|line| !line.starts_with('$'));
    let named: Vec<String> = prose.flat_map(paths).collect();
    assert!(named.len() > 2, "{named:?}");
    let links = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = links.filter(|link| !link.starts_with("http")).map(str::to_owned);
    for path in named.into_iter().chain(local) {
        assert!(project().join(&path).exists(), "no {path}");
    }
}

#[test]
fn links_of_the_other_pages_lead_somewhere() -> std::io::Result<()> {
    for page in markdown::PAGES.into_iter().skip(1) {
        let path = project().join(page);
        let text = fs::read_to_string(&path)?;
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        // A part of the same page begins with `#`.
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            assert!(path.with_file_name(link).exists(), "{page}: {link}");
        }
    }
    Ok(())
}

#[test]
fn ci_runs_the_commands_of_the_start() -> std::io::Result<()> {
    let ci = fs::read_to_string(project().join(".ci/run"))?;
    let blocks = markdown::blocks(README);
    let start = blocks.iter().find(|block| block.language == "sh").expect("a block of commands");
    for command in start.text.lines() {
        assert!(ci.contains(command), "not in .ci/run: {command}");
    }
    Ok(())
}
