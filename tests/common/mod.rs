//! Helpers that the tests of all programs share.

pub mod browser;
#[cfg_attr(not(unix), allow(dead_code))]
pub mod run;
pub mod served;

use std::path::{Path, PathBuf};

/// The folder of the project.
pub fn project() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = package.ancestors().find(|folder| folder.join("inputs").is_dir());
    project.expect("the project").to_owned()
}
