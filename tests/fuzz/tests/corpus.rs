//! The inputs that fuzzing has found, on any toolchain.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use fuzz_targets::TARGETS;

/// The folder of the corpora.
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");

fn inputs(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(CORPUS).join(name);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_input_keeps_the_promises() {
    let mut broken = Vec::new();
    for target in TARGETS {
        let paths = inputs(target.name);
        assert!(paths.len() > 3, "{} has a corpus", target.name);
        for path in paths {
            let bytes = fs::read(&path).expect("an input");
            if catch_unwind(|| (target.run)(&bytes)).is_err() {
                broken.push(path);
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_corpus_has_a_target() {
    let mut names: Vec<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    names.sort();
    let mut found: Vec<String> = fs::read_dir(CORPUS)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    found.sort();
    assert_eq!(found, names);
}
