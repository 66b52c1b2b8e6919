//! The manual as pages for a browser.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::release::Release;
use crate::tool::{output, run};
use crate::tree::{DOC, Tree};

/// The version of mdBook that makes the pages: another version may write other bytes.
const VERSION: &str = "0.5.4";

/// Adds the license, the changes and the manual.
pub fn add(release: &Release, tree: &mut Tree) -> Result<()> {
    for (name, file) in [("copyright", "LICENSE"), ("CHANGELOG.md", "CHANGELOG.md")] {
        tree.add(format!("{DOC}/{name}"), std::fs::read(release.root.join(file))?);
    }
    let folder = release.work.join("manual");
    let mdbook = mdbook(release)?;
    let mut command = release.command(&mdbook.to_string_lossy());
    run(command.args(["build", "docs", "--dest-dir"]).arg(&folder))?;
    tree.add_folder(&format!("{DOC}/manual"), &folder)
}

/// Returns the path of mdBook, which is installed for this if the right version is not there.
fn mdbook(release: &Release) -> Result<PathBuf> {
    let is_right = |program: &str| {
        output(Command::new(program).arg("--version"))
            .is_ok_and(|text| text.trim().ends_with(VERSION))
    };
    if is_right("mdbook") {
        return Ok("mdbook".into());
    }
    let root = release.work.join("tools");
    let program = root.join("bin/mdbook");
    if !program.exists() {
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "--locked", "mdbook", "--version", VERSION, "--root"]).arg(&root);
        // It is installed from a folder outside of the clone, whose settings are not meant for it.
        run(cargo.current_dir(std::env::temp_dir()))?;
    }
    Ok(program)
}
