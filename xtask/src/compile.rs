//! The programs: one build of all for each level of instructions, and the launcher that chooses a build.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use plyground_launcher::{BUILD, BUILDS, levels};

use crate::release::Release;
use crate::tool::run;
use crate::tree::Tree;

/// The programs that a person starts.
pub const PROGRAMS: [&str; 3] = ["maxconnect4", "network", BUILD];

/// The folder of builds that must run on any processor of the architecture.
const ANY: &str = "any";

/// Builds the programs, and adds them to `tree`.
pub fn add_programs(release: &Release, tree: &mut Tree) -> Result<()> {
    let launcher = build(release, "plyground-launcher", "plyground-launcher", ANY, &[])?;
    for program in PROGRAMS {
        tree.add_program(format!("bin/{program}"), launcher.clone());
    }
    for level in levels() {
        let bytes = build(release, "programs", BUILD, level.name, level.flags)?;
        tree.add_program(format!("{BUILDS}/{}/{BUILD}", level.name), bytes);
    }
    Ok(())
}

/// Returns the path of a built program of a level.
pub fn built(release: &Release, program: &str, level: &str) -> PathBuf {
    target_folder(release, level).join(&release.host).join("release").join(program)
}

fn target_folder(release: &Release, level: &str) -> PathBuf {
    release.work.join("programs").join(level)
}

/// Builds a program of a package, and returns the contents of its file.
fn build(
    release: &Release,
    package: &str,
    program: &str,
    level: &str,
    flags: &[&str],
) -> Result<Vec<u8>> {
    let mut flags = release.flags(flags);
    if release.host.ends_with("linux-gnu") {
        // A program that brings its own C library starts on any Linux, however old.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let mut cargo = release.command("cargo");
    cargo
        .args(["build", "--release", "--locked", "--package", package, "--bin", program])
        // Build scripts and procedural macros are built for this computer.
        .args(["--target", &release.host, "--target-dir"])
        .arg(target_folder(release, level))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    run(&mut cargo)?;
    let path = built(release, program, level);
    fs::read(&path).with_context(|| path.display().to_string())
}
