//! The programs: one build of all for each level of instructions, and what chooses one of them.

use std::fs;

use anyhow::{Context, Result};
use plyground_launcher::{BUILD, BUILDS, levels};

use crate::release::Release;
use crate::tool::run;
use crate::tree::Tree;

/// The programs that people start.
pub const PROGRAMS: [&str; 3] = ["maxconnect4", "network", BUILD];

/// Builds the programs, and adds them.
pub fn add_programs(release: &Release, tree: &mut Tree) -> Result<()> {
    let launcher = build(release, "plyground-launcher", "plyground-launcher", None)?;
    for program in PROGRAMS {
        tree.add_program(format!("bin/{program}"), launcher.clone());
    }
    for level in levels() {
        let bytes = build(release, "programs", BUILD, target_cpu(level.name))?;
        tree.add_program(format!("{BUILDS}/{}/{BUILD}", level.name), bytes);
    }
    Ok(())
}

/// What the compiler calls the processors of a level, where there are several.
pub fn target_cpu(level: &str) -> Option<&str> {
    level.starts_with("x86-64").then_some(level)
}

/// Where a program of a level is built.
pub fn built(release: &Release, program: &str, target_cpu: Option<&str>) -> std::path::PathBuf {
    let folder = release.work.join("programs").join(target_cpu.unwrap_or("any"));
    folder.join(&release.host).join("release").join(program)
}

/// Builds a program of a package, and returns what is in its file.
fn build(
    release: &Release,
    package: &str,
    program: &str,
    target_cpu: Option<&str>,
) -> Result<Vec<u8>> {
    let mut flags = release.flags(target_cpu);
    if release.host.ends_with("linux-gnu") {
        // A program that brings its own C library starts on any Linux, however old.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let mut cargo = release.command("cargo");
    cargo
        .args(["build", "--release", "--locked", "--package", package, "--bin", program])
        // What runs while building is built for this computer.
        .args(["--target", &release.host, "--target-dir"])
        .arg(release.work.join("programs").join(target_cpu.unwrap_or("any")))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    run(&mut cargo)?;
    let path = built(release, program, target_cpu);
    fs::read(&path).with_context(|| path.display().to_string())
}
