//! The package for Python: one wheel with a native part for each level of instructions, from which
//! `plyground/_build.py` chooses, and with the programs, so that `pipx run plyground` runs the command line.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use plyground_launcher::{BUILD, BUILDS, Level};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::documents;
use crate::release::{self, CLONE, LAUNCHER, PROGRAMS, Package, Release, Tree, run};

/// The tool that builds wheels, and the tool that links the native parts with an old C library. The versions are
/// fixed, because other versions may write other bytes.
const TOOLS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.1"];

/// The oldest system that the wheel supports: a system with glibc 2.17.
const SYSTEM: &str = "manylinux2014";

/// The native part in a wheel for Linux, and the folder of the native parts of the other levels.
const NATIVE: &str = "plyground/_plyground.abi3.so";
const NATIVE_BUILDS: &str = "plyground/_builds";
/// The folder of the software bills of materials in a wheel, which list the linked packages.
const PARTS: &str = ".dist-info/sboms/";

/// Makes the wheel for a system.
pub fn make(release: &Release, system: &str) -> Result<Package> {
    let tools = tools(release)?;
    // The native part that Python loads by default is the part for the lowest level.
    let (lowest, others) = release.levels.split_last().context("expected a level")?;
    let (name, mut tree) = build(release, system, &tools, lowest)?;
    // On other systems, `_build.py` cannot tell the instructions of the processor.
    for level in others.iter().filter(|_| system.contains("linux")) {
        let (_, other) = build(release, system, &tools, level)?;
        let mut files = other.files();
        let (_, native) = files.find(|(path, _)| *path == NATIVE).context("a native part")?;
        tree.add_file(format!("{NATIVE_BUILDS}/{}/_plyground.abi3.so", level.name), native);
    }
    add_programs(release, system, &mut tree)?;
    let info = format!("plyground-{}.dist-info", release.version);
    tree.add(format!("{info}/licenses/LICENSE"), fs::read(release.root.join("LICENSE"))?);
    let licenses = documents::licenses(release, "plyground-python", system)?;
    tree.add(format!("{info}/licenses/licenses.txt"), licenses);
    Ok((name, packed(&tree, &format!("{info}/RECORD"))?))
}

/// The number of builds of the programs in a wheel: more builds would serve few processors.
const MOST_BUILDS: usize = 2;

/// Adds the programs, in the folders of a wheel for scripts and data.
fn add_programs(release: &Release, system: &str, tree: &mut Tree) -> Result<()> {
    let data = format!("plyground-{}.data", release.version);
    let end = if system.contains("windows") { ".exe" } else { "" };
    let launcher = fs::read(release::build(release, system, None, LAUNCHER)?)?;
    for program in PROGRAMS {
        tree.add_program(format!("{data}/scripts/{program}{end}"), launcher.clone());
    }
    for level in release.levels.iter().rev().take(MOST_BUILDS) {
        let path = format!("{data}/data/{BUILDS}/{}/{BUILD}{end}", level.name);
        tree.add_program(path, fs::read(release::build(release, system, Some(level), BUILD)?)?);
    }
    Ok(())
}

/// Returns the folder of the tools that build wheels. Installs the tools if necessary.
fn tools(release: &Release) -> Result<PathBuf> {
    let folder = release.work.join("tools/python");
    let (bin, python) = if cfg!(windows) { ("Scripts", "python") } else { ("bin", "python3") };
    let bin = folder.join(bin);
    if !bin.exists() {
        run(Command::new(python).args(["-m", "venv"]).arg(&folder))?;
    }
    run(Command::new(bin.join("python")).args(["-m", "pip", "install", "--quiet"]).args(TOOLS))?;
    Ok(bin)
}

/// Builds a wheel with the native part of one level, and returns its name and its files.
fn build(release: &Release, system: &str, tools: &Path, level: &Level) -> Result<(String, Tree)> {
    let work = release.work.join("wheel");
    let out = work.join("wheels");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut maturin = release.builder(&tools.join("maturin").to_string_lossy(), system);
    maturin
        .args(["build", "--release", "--locked", "--target", system, "--target-dir"])
        .arg(&work)
        .arg("--out")
        .arg(&out)
        .args(["--manifest-path", "bindings/python/Cargo.toml"])
        // Features on the command line, such as the feature of a level, replace the features in `pyproject.toml`.
        .args(["--features", "extension-module"]);
    let flags = release.for_level(&mut maturin, system, level)?;
    maturin.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    if system.ends_with("linux-gnu") {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = [tools.to_owned()].into_iter().chain(std::env::split_paths(&path));
        maturin.args(["--zig", "--compatibility", SYSTEM]).env("PATH", std::env::join_paths(path)?);
    }
    run(&mut maturin)?;
    let wheels: Vec<_> = fs::read_dir(&out)?.collect::<Result<_, _>>()?;
    ensure!(wheels.len() == 1, "expected one wheel in {}", out.display());
    let name = wheels[0].file_name().to_string_lossy().into_owned();
    Ok((name, unpacked(&fs::read(wheels[0].path())?, &release.root)?))
}

/// Returns the files of a wheel that was built in the clone at `root`.
fn unpacked(wheel: &[u8], root: &Path) -> Result<Tree> {
    let mut zip = ZipArchive::new(Cursor::new(wheel))?;
    let mut tree = Tree::default();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index)?;
        let name = file.name()?.into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if name.contains(PARTS) {
            bytes = anywhere(&bytes, root)?;
        }
        tree.add(name, bytes);
    }
    Ok(tree)
}

/// Returns a list of packages with the folder of the clone replaced by [`CLONE`].
fn anywhere(list: &[u8], root: &Path) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(list).context("a list of parts")?;
    Ok(text.replace(&format!("file://{}", root.display()), &format!("file://{CLONE}")).into_bytes())
}

/// Returns the files as a wheel, with a new list of the files at the path `record`.
fn packed(tree: &Tree, record: &str) -> Result<Vec<u8>> {
    let mut list = String::new();
    // All files have the earliest time that a zip can have.
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in tree.files().filter(|(path, _)| *path != record) {
        let sum = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
        list += &format!("{path},sha256={sum},{}\n", file.bytes.len());
        zip.start_file(path, SimpleFileOptions::default().unix_permissions(file.mode))?;
        zip.write_all(&file.bytes)?;
    }
    list += &format!("{record},,\n");
    zip.start_file(record, SimpleFileOptions::default())?;
    zip.write_all(list.as_bytes())?;
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheel_lists_its_files() -> Result<()> {
        let mut tree = Tree::default();
        tree.add("plyground/a.py", "");
        tree.add("x.dist-info/RECORD", "old");
        let wheel = packed(&tree, "x.dist-info/RECORD")?;
        assert_eq!(wheel, packed(&tree, "x.dist-info/RECORD")?);
        let tree = unpacked(&wheel, Path::new("/home/ann/plyground"))?;
        let (_, record) = tree.files().find(|(path, _)| path.ends_with("RECORD")).context("it")?;
        // The checksum of an empty file.
        let expected = "plyground/a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n\
                        x.dist-info/RECORD,,\n";
        assert_eq!(std::str::from_utf8(&record.bytes)?, expected);
        Ok(())
    }

    #[test]
    fn list_of_parts_names_no_folder_of_this_computer() -> Result<()> {
        let mut tree = Tree::default();
        let path = "x.dist-info/sboms/x.json";
        tree.add(path, r#"{ "bom-ref": "path+file:///home/ann/clone/crates/host#1" }"#);
        let wheel = packed(&tree, "x.dist-info/RECORD")?;
        let tree = unpacked(&wheel, Path::new("/home/ann/clone"))?;
        let (_, list) = tree.files().find(|(name, _)| *name == path).context("it")?;
        let expected = r#"{ "bom-ref": "path+file:///plyground/crates/host#1" }"#;
        assert_eq!(std::str::from_utf8(&list.bytes)?, expected);
        Ok(())
    }
}
