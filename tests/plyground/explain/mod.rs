//! `explain` and `practice`: their files, their faults, and their pages in a browser.

#[cfg(unix)]
mod beside;
mod forms;
mod practice;
mod server;
mod tree;

use serde_json::json;

use crate::common::browser::Browser;
use crate::common::project;
use crate::common::test_folder::{self, Tested};

type TestFolder = test_folder::TestFolder<Plyground>;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    for (game, name) in [("maxconnect4", "midgame"), ("network", "steps")] {
        let text = std::fs::read_to_string(project().join(format!("inputs/{game}/{name}.txt")));
        folder.write(&format!("{game}.txt"), text.expect("an input"));
    }
    folder
}

/// Loads a page of a file.
fn load(browser: &Browser, folder: &TestFolder, name: &str) {
    browser.load(&format!("file://{}", folder.path(name).display()));
}

/// The button with this text.
fn click(browser: &Browser, text: &str) {
    browser.run(&format!(
        "Array.from(document.querySelectorAll('.tree-buttons button')).find((one) => one.firstChild.data === {}).click()",
        json!(text)
    ));
}

const SENTENCE: &str = "return document.querySelector('.tree-sentence').textContent";
