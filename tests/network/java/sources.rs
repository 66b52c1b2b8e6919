//! The Java sources themselves.

use std::path::PathBuf;

use super::jdk::{needs_jdk, ours, run, sources_below, theirs};

/// Compiles sources with every warning an error.
#[track_caller]
fn assert_clean(sources: &[PathBuf], options: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run("javac", |javac| {
        javac.args(["--release", "17", "-Xlint:all", "-Werror"]).args(options);
        javac.arg("-d").arg(folder.path()).arg("-implicit:none").args(sources);
        javac.arg("-sourcepath").arg(ours().join("given"));
    })
    .success();
}

#[test]
fn our_sources_compile_without_warnings_and_are_documented() {
    needs_jdk!();
    for folder in ["host", "given", "engine"] {
        assert_clean(&sources_below(&ours().join(folder)), &["-Xdoclint:all/package"]);
    }
}

#[test]
fn sources_of_the_tests_compile_without_warnings() {
    needs_jdk!();
    for folder in ["submissions/berkeley", "submissions/usf"] {
        assert_clean(&sources_below(&theirs(folder)), &[]);
    }
}
