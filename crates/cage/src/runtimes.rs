//! Languages that are installed in the home folder of a user.

use std::env;
use std::path::{Path, PathBuf};

/// A program that installs languages for one user.
struct Manager {
    /// The variable with its folder.
    variable: &'static str,
    /// The name of its folder in the home folder, if there is no such variable.
    folder: &'static str,
    /// What programs may see of the folder. An empty name stands for all of it.
    visible: &'static [&'static str],
    /// Whether programs need the variable.
    is_told: bool,
}

const MANAGERS: [Manager; 7] = [
    Manager {
        variable: "RUSTUP_HOME",
        folder: ".rustup",
        visible: &["toolchains", "settings.toml"],
        is_told: true,
    },
    // What else is in the folder is the user's: the password for a registry, say.
    Manager { variable: "CARGO_HOME", folder: ".cargo", visible: &["bin"], is_told: false },
    Manager { variable: "PYENV_ROOT", folder: ".pyenv", visible: &[""], is_told: true },
    Manager { variable: "NVM_DIR", folder: ".nvm", visible: &["versions"], is_told: true },
    Manager { variable: "SDKMAN_DIR", folder: ".sdkman", visible: &["candidates"], is_told: true },
    Manager { variable: "ASDF_DATA_DIR", folder: ".asdf", visible: &[""], is_told: true },
    Manager {
        variable: "JAVA_HOME",
        folder: "",
        visible: &["bin", "lib", "conf", "jmods", "release"],
        is_told: true,
    },
];

/// Returns the folders and files of the installed languages, and the variables that tell where the
/// folders are.
pub(crate) fn runtimes() -> (Vec<PathBuf>, Vec<(String, String)>) {
    let (mut visible, mut variables) = (Vec::new(), Vec::new());
    let home = env::var_os("HOME").map(PathBuf::from);
    for manager in &MANAGERS {
        let in_home = home.as_ref().filter(|_| !manager.folder.is_empty());
        let named = env::var_os(manager.variable).map(PathBuf::from);
        let folder = named.or_else(|| Some(in_home?.join(manager.folder)));
        let Some(folder) = folder.filter(|folder| folder.is_absolute() && folder.is_dir()) else {
            continue;
        };
        visible.extend(manager.visible.iter().map(|part| part_of(&folder, part)));
        if let Some(text) = folder.to_str().filter(|_| manager.is_told) {
            variables.push((manager.variable.to_owned(), text.to_owned()));
        }
    }
    (visible, variables)
}

fn part_of(folder: &Path, part: &str) -> PathBuf {
    if part.is_empty() { folder.to_owned() } else { folder.join(part) }
}
