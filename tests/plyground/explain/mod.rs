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
use crate::common::sandbox::{self, Tested};

type Sandbox = sandbox::Sandbox<Plyground>;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (game, name) in [("maxconnect4", "midgame"), ("network", "steps")] {
        let text = std::fs::read_to_string(project().join(format!("inputs/{game}/{name}.txt")));
        sandbox.write(&format!("{game}.txt"), text.expect("an input"));
    }
    sandbox
}

/// Loads a page of a file.
fn load(browser: &Browser, sandbox: &Sandbox, name: &str) {
    browser.load(&format!("file://{}", sandbox.path(name).display()));
}

/// The button with this text.
fn click(browser: &Browser, text: &str) {
    browser.run(&format!(
        "Array.from(document.querySelectorAll('.tree-buttons button')).find((one) => one.firstChild.data === {}).click()",
        json!(text)
    ));
}

const SENTENCE: &str = "return document.querySelector('.tree-sentence').textContent";
