//! A release: a commit with its version and its time, from which the packages are made, and the other
//! programs that make parts of it.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use plyground_launcher::{Level, levels};

/// The name for the folder of the clone in everything that is built from it.
pub const CLONE: &str = "/plyground";

/// The name and the bytes of a file for download.
pub type Package = (String, Vec<u8>);

/// A release while its packages are made.
pub struct Release {
    /// The folder of the clone.
    pub root: PathBuf,
    /// The folder for everything that is built.
    pub work: PathBuf,
    pub version: String,
    /// The time of the commit, in seconds since 1970.
    pub time: u64,
    /// The name of this system for compilers.
    pub host: String,
    /// The levels of instructions that builds are made for, the best first.
    pub levels: Vec<Level>,
}

impl Release {
    /// Returns the release of the commit that is checked out, with builds for the levels of these names.
    pub fn new(allow_dirty: bool, names: &[String]) -> Result<Release> {
        let root = output(Command::new("git").args(["rev-parse", "--show-toplevel"]))?;
        let root = PathBuf::from(root.trim_end_matches('\n'));
        let git = |words: &[&str]| output(Command::new("git").current_dir(&root).args(words));
        let changes = git(&["status", "--porcelain"])?;
        ensure!(
            allow_dirty || changes.is_empty(),
            "expected nothing that differs from the commit, found:\n{changes}"
        );
        let time = git(&["log", "-1", "--format=%ct"])?.trim().parse()?;
        let about = output(Command::new("rustc").arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("expected rustc to tell its host")?.to_owned();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let mut levels = levels();
        levels.retain(|level| names.iter().any(|name| name == level.name));
        Ok(Release { work: root.join("target/dist"), root, version, time, host, levels })
    }

    /// Returns the level that most processors have.
    pub fn lowest(&self) -> Result<&Level> {
        self.levels.last().context("expected a level")
    }

    /// Returns the platform of the programs, as in file names.
    pub fn platform(&self) -> String {
        format!("{ARCH}-{OS}")
    }

    /// Returns the path of a new, empty folder of this name.
    pub fn new_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Returns a command that runs in the clone, with an environment that gives the same results at any time
    /// and place.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env("SOURCE_DATE_EPOCH", self.time.to_string())
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
            .env_remove("RUSTFLAGS");
        command
    }

    /// Returns the compiler flags for a level: its instructions, and other names for the folders of this
    /// computer.
    pub fn flags(&self, of_level: &[&str]) -> Vec<String> {
        let mut flags = vec![format!("--remap-path-prefix={}={CLONE}", self.root.display())];
        if let Some(home) = cargo_home() {
            flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
        }
        flags.extend(of_level.iter().map(ToString::to_string));
        flags
    }
}

/// Returns the folder in which Cargo keeps the sources of our dependencies.
fn cargo_home() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// Returns bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs a command, whose output goes to the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    eprintln!("{}", shown(command));
    // Standard output is for the results.
    let status = command.stdin(Stdio::null()).stdout(std::io::stderr()).status();
    let status = status.with_context(|| format!("cannot run {name}"))?;
    ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}

/// Runs a command, and returns its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run {name}"))?;
    ensure!(output.status.success(), "{} failed: {}", shown(command), output.status);
    Ok(String::from_utf8(output.stdout)?)
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
