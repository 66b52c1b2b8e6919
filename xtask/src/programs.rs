//! The programs for this system: one build for each level of instructions, and what starts them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use plyground_launcher::{BUILD, BUILDS, Level};

use crate::release::{Release, run};
use crate::tree::Tree;

/// The programs that a person starts.
pub const PROGRAMS: [&str; 3] = ["maxconnect4", "network", BUILD];

/// The program that becomes the build for the processor.
pub const LAUNCHER: &str = "plyground-launcher";

/// The program of leagues, of which one build is enough: it mostly waits for other programs.
const LEAGUE: &str = "plyground-league";

/// The unit that starts a league with the computer.
const UNIT: &str = "plyground-league@.service";

/// The built programs.
pub struct Programs {
    /// The files in their places.
    pub tree: Tree,
    /// The path of the build that most processors can run.
    pub most_portable: PathBuf,
}

impl Programs {
    /// Builds all programs.
    pub fn build(release: &Release) -> Result<Programs> {
        let mut tree = Tree::default();
        let launcher = build(release, &release.host, None, &[LAUNCHER])?.join(LAUNCHER);
        let launcher = fs::read(launcher)?;
        for program in PROGRAMS {
            tree.add_program(format!("bin/{program}"), launcher.clone());
        }
        let lowest = release.lowest()?;
        let mut most_portable = PathBuf::new();
        for level in &release.levels {
            let programs: &[&str] =
                if level.name == lowest.name { &[BUILD, LEAGUE] } else { &[BUILD] };
            let folder = build(release, &release.host, Some(level), programs)?;
            most_portable = folder.join(BUILD);
            tree.add_program(format!("{BUILDS}/{}/{BUILD}", level.name), fs::read(&most_portable)?);
            if programs.contains(&LEAGUE) {
                tree.add_program(format!("bin/{LEAGUE}"), fs::read(folder.join(LEAGUE))?);
            }
        }
        let unit = release.root.join("league/systemd").join(UNIT);
        let unit = fs::read(&unit).with_context(|| unit.display().to_string())?;
        tree.add(format!("lib/systemd/system/{UNIT}"), unit);
        Ok(Programs { tree, most_portable })
    }

    /// Builds the program that most processors can run, and returns its path.
    pub fn most_portable(release: &Release) -> Result<PathBuf> {
        Ok(build(release, &release.host, Some(release.lowest()?), &[BUILD])?.join(BUILD))
    }
}

/// The name of the level of what must run on any processor of the architecture.
const ANY: &str = "any";

/// Builds programs for a system, and returns their folder.
pub fn build(
    release: &Release,
    system: &str,
    level: Option<&Level>,
    programs: &[&str],
) -> Result<PathBuf> {
    let mut flags = release.flags(level.map_or(&[], |level| level.flags));
    if system.ends_with("linux-gnu") || system.ends_with("windows-msvc") {
        // A program that brings its own C library starts on any Linux, however old, and on any Windows.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    if system.ends_with("windows-gnu") {
        flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
    }
    let folder = release.work.join("programs").join(level.map_or(ANY, |level| level.name));
    let mut cargo = release.command("cargo");
    // Build scripts and procedural macros are built for this computer.
    cargo.args(["build", "--release", "--locked", "--target", system, "--target-dir"]).arg(&folder);
    for program in programs {
        let package = match *program {
            BUILD => "programs",
            LEAGUE => "league",
            program => program,
        };
        cargo.args(["--package", package, "--bin", program]);
    }
    run(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")))?;
    Ok(folder.join(system).join("release"))
}
