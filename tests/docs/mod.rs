//! The pages in Markdown: the README, the manual in `docs/`, and those beside games and results. Here are
//! the claims of the pages about the repository and each other, the English of doc comments, and the
//! examples of the pages, run as they stand.

pub mod markdown;
// The command about the sandbox is there on Linux only.
#[cfg(target_os = "linux")]
mod options;
mod results;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io, thread};

use crate::common::project;
use markdown::Page;

/// The first page that a stranger sees is read in a minute.
const MAX_LINES: usize = 150;

/// The contents of the manual.
const CONTENTS: &str = "docs/SUMMARY.md";

/// The top level of the repository, without which a text with a `/` in it is not taken for a path.
const TOP: [&str; 12] = [
    "src/",
    "crates/",
    "games/",
    "programs/",
    "league/",
    "research/",
    "examples/",
    "docs/",
    "inputs/",
    "tests/",
    "results/",
    ".ci/",
];

/// Stands for a name of the reader's own.
const PLACEHOLDER: &str = "NAME";

/// The files and folders that a page names. A bare file is in the folder named before it.
fn paths(page: &Page) -> Vec<String> {
    let mut folder = String::new();
    let mut paths = Vec::new();
    for text in page.code() {
        if text.contains([' ', '*', '{']) || text.contains(PLACEHOLDER) {
            continue;
        }
        if TOP.iter().any(|top| text.starts_with(top)) {
            if text.ends_with('/') {
                folder.clone_from(&text);
            }
            paths.push(text);
        } else if text.ends_with(".rs") {
            paths.push(format!("{folder}{text}"));
        }
    }
    paths
}

/// The path that a link of a page leads to, from the folder of the project.
fn target(page: &str, link: &str) -> String {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in link.split('/') {
        match name {
            ".." => drop(names.pop()),
            "." | "" => {}
            name => names.push(name),
        }
    }
    names.join("/")
}

fn page<'a>(pages: &'a [Page], path: &str) -> &'a Page {
    pages.iter().find(|page| page.path == path).unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn every_file_that_pages_name_is_there() -> io::Result<()> {
    let pages = markdown::pages()?;
    let named: Vec<(&str, String)> = pages
        .iter()
        .flat_map(|page| paths(page).into_iter().map(|path| (page.path.as_str(), path)))
        .collect();
    assert!(named.len() > 50, "{named:?}");
    let absent: Vec<_> = named.iter().filter(|(_, path)| !project().join(path).exists()).collect();
    assert!(absent.is_empty(), "{absent:?}");
    Ok(())
}

#[test]
fn every_link_leads_somewhere() -> io::Result<()> {
    let pages = markdown::pages()?;
    let anchors: BTreeMap<&str, Vec<String>> =
        pages.iter().map(|page| (page.path.as_str(), page.anchors())).collect();
    let (mut dead, mut count) = (Vec::new(), 0);
    for page in &pages {
        for link in page.links().into_iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let path = if path.is_empty() { page.path.clone() } else { target(&page.path, path) };
            let has = |anchors: &Vec<String>| anchors.iter().any(|known| known == anchor);
            let leads = project().join(&path).exists()
                && (anchor.is_empty() || anchors.get(&*path).is_some_and(has));
            count += 1;
            if !leads {
                dead.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(count > 50, "{count} links");
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    Ok(())
}

#[test]
fn contents_of_the_manual_list_every_page_once() -> io::Result<()> {
    let pages = markdown::pages()?;
    let links = page(&pages, CONTENTS).links();
    let in_order: Vec<String> = links.iter().map(|link| target(CONTENTS, link)).collect();
    let listed: BTreeSet<&str> = in_order.iter().map(String::as_str).collect();
    assert_eq!(listed.len(), in_order.len(), "{in_order:?}");
    let docs = pages.iter().map(|page| page.path.as_str());
    let docs: BTreeSet<&str> =
        docs.filter(|path| path.starts_with("docs/") && *path != CONTENTS).collect();
    assert_eq!(listed, docs);
    Ok(())
}

/// The manual is read as a book, too, which has no pages but its own.
#[test]
fn links_of_the_manual_stay_in_it() -> io::Result<()> {
    for page in markdown::pages()?.iter().filter(|page| page.path.starts_with("docs/")) {
        let links = page.links();
        let outside = links.iter().find(|link| !link.contains("://") && link.starts_with("../"));
        assert_eq!(outside, None, "{}: name the file between backquotes instead", page.path);
    }
    Ok(())
}

#[test]
fn readme_is_short() -> io::Result<()> {
    let pages = markdown::pages()?;
    let lines = page(&pages, "README.md").text.lines().count();
    assert!(lines <= MAX_LINES, "{lines} lines");
    Ok(())
}

#[test]
fn ci_runs_the_commands_of_the_start() -> io::Result<()> {
    let ci = fs::read_to_string(project().join(".ci/run"))?;
    let pages = markdown::pages()?;
    let blocks = page(&pages, "README.md").blocks();
    let start = blocks.iter().find(|block| block.language == "sh").expect("a block of commands");
    for command in start.text.lines() {
        assert!(ci.contains(command), "not in .ci/run: {command}");
    }
    Ok(())
}

/// The page about adding a game goes through the sources of the examples.
#[test]
fn quotes_of_the_example_are_in_its_source() -> io::Result<()> {
    let names = ["main", "lib", "rules", "../tests/othello/main"];
    let of_othello = names.iter().map(|name| format!("examples/othello/src/{name}.rs"));
    let sources: Vec<String> = of_othello
        .chain(["kalah/src/lib", "mygame/src/lib"].map(|name| format!("examples/{name}.rs")))
        .map(|path| fs::read_to_string(project().join(path)))
        .collect::<io::Result<_>>()?;
    let pages = markdown::pages()?;
    let blocks = page(&pages, "docs/adding-a-game.md").blocks();
    let quotes: Vec<_> = blocks.iter().filter(|block| block.language == "rust,ignore").collect();
    assert!(quotes.len() > 5, "{} quotes", quotes.len());
    for quote in quotes {
        assert!(sources.iter().any(|source| source.contains(&quote.text)), "{}", quote.text);
    }
    Ok(())
}

/// The engine's documentation compiles and runs the Rust of pages that it includes.
#[test]
fn rust_on_the_pages_is_compiled() -> io::Result<()> {
    let engine = fs::read_to_string(project().join("src/lib.rs"))?;
    let mut count = 0;
    for page in markdown::pages()? {
        if page.blocks().iter().any(|block| block.language == "rust") {
            assert!(engine.contains(&format!("\"../{}\"", page.path)), "{}", page.path);
            count += 1;
        }
    }
    assert!(count > 1, "{count} pages with Rust");
    Ok(())
}

/// The folders with Rust sources, from the folder of the project.
const SOURCES: [&str; 10] = [
    "src", "bindings", "crates", "examples", "games", "league", "programs", "research", "tests",
    "xtask",
];

/// Words that put a clause in the place of a noun at the beginning of a comment.
const OPENINGS: [&str; 5] = ["What", "Who", "How", "Where", "Whether"];

/// Words and phrases that hide the subject of a sentence.
const RARE: [&str; 6] = ["whoever", "nobody", "is none", "but for", "of whom", "of which there"];

/// The doc comments of a folder, each as one line.
fn doc_comments(folder: &Path, comments: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            doc_comments(&path, comments)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let mut goes_on = false;
            for line in fs::read_to_string(&path)?.lines() {
                let line = line.trim_start();
                let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
                match (text, comments.last_mut().filter(|_| goes_on)) {
                    (Some(text), Some(comment)) => *comment += text,
                    (Some(text), None) => comments.push(text.trim_start().to_owned()),
                    (None, _) => {}
                }
                goes_on = text.is_some();
            }
        }
    }
    Ok(())
}

#[test]
fn doc_comments_begin_with_their_subject() -> io::Result<()> {
    let mut comments = Vec::new();
    for folder in SOURCES {
        doc_comments(&project().join(folder), &mut comments)?;
    }
    assert!(comments.len() > 5_000, "{} comments", comments.len());
    let is_clause = |comment: &&String| {
        comment.split_whitespace().next().is_some_and(|word| OPENINGS.contains(&word))
    };
    let clauses: Vec<&String> = comments.iter().filter(is_clause).collect();
    assert!(clauses.len() <= comments.len() / 1_000, "{clauses:#?}");
    let is_rare = |comment: &&String| RARE.iter().any(|word| comment.contains(word));
    let rare: Vec<&String> = comments.iter().filter(is_rare).collect();
    assert!(rare.len() <= 10, "{rare:#?}");
    Ok(())
}

/// A crate may leave out the tests of its documentation, which take seconds to begin, only while it has no example.
#[test]
fn examples_of_documentation_are_tested() -> io::Result<()> {
    let mut count = 0;
    for folder in ["crates", "games"] {
        for entry in fs::read_dir(project().join(folder))? {
            count += usize::from(leaves_examples_out(&entry?.path())?);
        }
    }
    for folder in ["league", "programs", "research"] {
        count += usize::from(leaves_examples_out(&project().join(folder))?);
    }
    assert!(count > 5, "{count} crates");
    Ok(())
}

/// Returns true if a crate leaves out the tests of its documentation. Its documentation must have no examples.
fn leaves_examples_out(folder: &Path) -> io::Result<bool> {
    let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { return Ok(false) };
    if !manifest.contains("doctest = false") {
        return Ok(false);
    }
    let mut comments = Vec::new();
    doc_comments(&folder.join("src"), &mut comments)?;
    let fences = comments.iter().flat_map(|comment| comment.split("```").skip(1).step_by(2));
    let mut examples =
        fences.filter(|fence| !fence.starts_with("text") && !fence.starts_with("toml"));
    let example = examples.next();
    assert_eq!(example, None, "{} has an example and `doctest = false`", folder.display());
    Ok(true)
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
        let checks: Vec<_> = pages
            .iter()
            .map(|page| scope.spawn(|| markdown::check(page, &program_folder())))
            .collect();
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
