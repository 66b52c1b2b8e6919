//! Helpers that the tests of all programs share.

pub mod browser;
#[cfg(unix)]
pub mod help;
pub mod home;
#[cfg(unix)]
pub mod race;
pub mod run;
pub mod served;
pub mod test_folder;

use std::path::{Path, PathBuf};

/// The folder of the project.
pub fn project() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = package.ancestors().find(|folder| folder.join("inputs").is_dir());
    project.expect("the project").to_owned()
}
