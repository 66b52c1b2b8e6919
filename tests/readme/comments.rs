//! The English of doc comments: a comment begins with its subject, and some words have plainer ones.

use std::path::Path;
use std::{fs, io};

use crate::common::project;

/// The folders with Rust sources, from the folder of the project.
const SOURCES: [&str; 9] =
    ["src", "bindings", "crates", "examples", "games", "programs", "research", "tests", "xtask"];

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
    assert!(rare.len() <= 20, "{rare:#?}");
    Ok(())
}
