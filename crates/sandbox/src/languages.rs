//! The languages that are installed for one user: their folders, and the variables that tell of them.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// A program that installs languages for one user.
struct Manager {
    /// The variable with its folder.
    variable: &'static str,
    /// The name of its folder in the home folder, if there is no such variable.
    folder: &'static str,
    /// The parts of the folder that programs may see. An empty name stands for all of it.
    visible: &'static [&'static str],
    /// If true, programs need the variable.
    is_told: bool,
}

/// The variable with the folder of rustup.
const RUSTUP: &str = "RUSTUP_HOME";

const MANAGERS: [Manager; 7] = [
    Manager {
        variable: RUSTUP,
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

/// The languages that are installed.
#[derive(Debug, Default)]
pub(crate) struct Languages {
    /// Their folders and files.
    pub(crate) visible: Vec<PathBuf>,
    /// The variables that tell where they are.
    pub(crate) variables: Vec<(String, String)>,
    /// The folders with programs that come before those of `PATH`.
    pub(crate) programs: Vec<PathBuf>,
}

/// Returns the installed languages.
pub(crate) fn languages() -> Languages {
    let Languages { mut visible, mut variables, mut programs } = Languages::default();
    let home = env::var_os("HOME").map(PathBuf::from);
    for manager in &MANAGERS {
        let in_home = home.as_ref().filter(|_| !manager.folder.is_empty());
        let named = env::var_os(manager.variable).map(PathBuf::from);
        let folder = named.or_else(|| Some(in_home?.join(manager.folder)));
        let Some(folder) = folder.filter(|folder| folder.is_absolute() && folder.is_dir()) else {
            continue;
        };
        if manager.variable == RUSTUP {
            programs.extend(toolchain(&folder));
        }
        visible.extend(manager.visible.iter().map(|part| part_of(&folder, part)));
        if let Some(text) = folder.to_str().filter(|_| manager.is_told) {
            variables.push((manager.variable.to_owned(), text.to_owned()));
        }
    }
    Languages { visible, variables, programs }
}

/// The programs of the default toolchain. Those of rustup itself write where a program must not.
fn toolchain(folder: &Path) -> Option<PathBuf> {
    let settings = fs::read_to_string(folder.join("settings.toml")).ok()?;
    let line = settings.lines().find_map(|line| line.strip_prefix("default_toolchain = "))?;
    Some(folder.join("toolchains").join(line.trim().trim_matches('"')).join("bin"))
}

fn part_of(folder: &Path, part: &str) -> PathBuf {
    if part.is_empty() { folder.to_owned() } else { folder.join(part) }
}
