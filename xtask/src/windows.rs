//! The programs for Windows: a zip to be unpacked into any folder.

use std::fs;
use std::io::{Cursor, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use plyground_launcher::{BUILD, BUILDS};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::programs::{LAUNCHER, PROGRAMS, build};
use crate::release::{Package, Release};
use crate::texts;
use crate::tree::Tree;

/// The name of Windows for a compiler on another system.
const TARGET: &str = "x86_64-pc-windows-gnu";

/// The linker for it.
const LINKER: &str = "x86_64-w64-mingw32-gcc";

/// The builds: the third is for few processors, and would be a third of the zip.
const MOST_BUILDS: usize = 2;

const README: &str = include_str!("windows/README.txt");

/// If true, this is Windows, or it has a compiler and a linker for it.
pub fn can_be_built() -> bool {
    let is_there = |program: &str, words: &[&str]| {
        let status = Command::new(program).args(words).stdout(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    cfg!(windows) || cfg!(target_arch = "x86_64") && is_there(LINKER, &["--version"])
}

/// Makes the zip.
pub fn make(release: &Release) -> Result<Package> {
    let target = if cfg!(windows) { &release.host } else { TARGET };
    let mut tree = Tree::default();
    let launcher =
        fs::read(build(release, target, None, &[LAUNCHER])?.join(format!("{LAUNCHER}.exe")))?;
    for program in PROGRAMS {
        tree.add_program(format!("{program}.exe"), launcher.clone());
    }
    for level in release.levels.iter().rev().take(MOST_BUILDS) {
        let program = build(release, target, Some(level), &[BUILD])?.join(format!("{BUILD}.exe"));
        tree.add_program(format!("{BUILDS}/{}/{BUILD}.exe", level.name), fs::read(program)?);
    }
    tree.add("README.txt", with_crlf(&README.replace("{version}", &release.version)));
    tree.add("LICENSE.txt", with_crlf(&fs::read_to_string(release.root.join("LICENSE"))?));
    tree.add("licenses.txt", with_crlf(&texts::licenses(release, "programs", target)?));
    for input in ["input1.txt", "input2.txt"] {
        let path = release.root.join("inputs/maxconnect4").join(input);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        tree.add(format!("inputs/{input}"), with_crlf(&text));
    }
    let name = format!("plyground-{}-x86_64-windows", release.version);
    let bytes = zipped(&tree, &name)?;
    Ok((format!("{name}.zip"), bytes))
}

/// Returns a text with the ends of lines of Windows.
fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Returns the files as a zip, in which all are in one folder.
fn zipped(tree: &Tree, folder: &str) -> Result<Vec<u8>> {
    // All files have the earliest time that a zip can have.
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in tree.files() {
        let options = SimpleFileOptions::default().unix_permissions(file.mode);
        zip.start_file(format!("{folder}/{path}"), options.compression_level(Some(9)))?;
        zip.write_all(&file.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
