//! The examples of the page about Java.

use std::fs;
use std::path::Path;
use std::process::Command;

use snapbox::Assert;

use super::jdk::{needs_jdk, path_with_program};
use crate::common::project;
use crate::readme::markdown;

#[test]
fn examples_print_what_the_page_shows() {
    needs_jdk!();
    let path = "games/network/java/README.md".to_owned();
    let text = fs::read_to_string(project().join(&path)).expect("a page");
    let examples = markdown::Page { path, text }.examples();
    assert!(!examples.is_empty());
    for markdown::Example { command, output } in examples {
        let shell = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(project())
            .env("PATH", path_with_program())
            .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-cache"))
            .output();
        let text = shell.expect("a shell").stdout;
        let text = String::from_utf8_lossy(&text).into_owned();
        Assert::new().eq(text, output);
    }
}
