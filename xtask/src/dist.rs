//! All packages of a release, made one after the other. This file makes the archive, the package for Debian, the
//! autograders, the zip for Windows and the page without a server; [`wheel`] makes the package for Python.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use ar::{Builder, Header};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use flate2::{Compression, GzBuilder};
use md5::Md5;
use plyground_launcher::{BUILD, BUILDS, levels};
use sha2::{Digest, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::release::{
    DOC, LAUNCHER, PROGRAMS, Package, Programs, Release, Tree, build, can_build_for, hex, output,
    run, tar_gz, tar_xz,
};
use crate::{documents, wheel};

const EXAMPLES: &str = "\
Examples:
  cargo xtask dist
  cargo xtask dist --only deb
  cargo xtask dist --out release --only archive --only wheel";

/// The parts to make, and the folder for them.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DistArgs {
    /// The folder for the packages, which is made anew
    #[arg(long, value_name = "FOLDER", default_value = "target/dist/packages")]
    out: PathBuf,

    /// Make only these [default: all that this system can make]
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,

    /// Make builds for this level of instructions alone, for a trial; may be repeated
    #[arg(long, value_name = "LEVEL", default_values = names())]
    #[arg(value_parser = PossibleValuesParser::new(names()))]
    level: Vec<String>,

    /// Make the packages even if something differs from the commit
    #[arg(long)]
    allow_dirty: bool,
}

/// Returns the names of all levels.
fn names() -> Vec<&'static str> {
    levels().iter().map(|level| level.name).collect()
}

/// A part of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The programs for this system, as an archive
    Archive,
    /// The programs for Debian, as a package
    Deb,
    /// Autograders for Gradescope
    Autograders,
    /// The programs for Windows, as an archive
    Zip,
    /// The package for Python
    Wheel,
    /// The package for Python on Windows, made on another system, which nothing tries there
    WindowsWheel,
    /// The page without a server
    Site,
}

impl Part {
    /// Returns true if the part is made by default.
    fn is_possible(self) -> bool {
        match self {
            Part::Deb | Part::Autograders | Part::Site => cfg!(target_os = "linux"),
            Part::Archive => cfg!(unix),
            Part::Zip => has_windows(),
            Part::Wheel => true,
            Part::WindowsWheel => false,
        }
    }
}

/// Makes the packages.
pub fn dist(args: &DistArgs) -> Result<()> {
    let release = Release::new(args.allow_dirty, &args.level)?;
    let parts: Vec<Part> = match &args.only[..] {
        [] => Part::value_variants().iter().copied().filter(|part| part.is_possible()).collect(),
        only => only.to_vec(),
    };
    let mut made = programs(&release, &parts)?;
    for part in parts {
        match part {
            Part::Zip => made.push(windows_zip(&release)?),
            Part::Wheel => made.push(wheel::make(&release, &release.host)?),
            Part::WindowsWheel => made.push(wheel::make(&release, TARGET)?),
            Part::Site => made.extend(site(&release)?),
            Part::Archive | Part::Deb | Part::Autograders => {}
        }
    }
    made.sort();
    write(&args.out, &made)
}

/// Makes the packages of `parts` that contain programs for this system.
fn programs(release: &Release, parts: &[Part]) -> Result<Vec<Package>> {
    let mut made = Vec::new();
    if parts.contains(&Part::Archive) || parts.contains(&Part::Deb) {
        let programs = Programs::build(release)?;
        let tree = documents::with_documents(release, programs)?;
        if parts.contains(&Part::Archive) {
            let name = format!("plyground-{}-{}", release.version, release.platform());
            let archive = tar_xz(&tree, &format!("{name}/"), release.time)?;
            made.push((format!("{name}.tar.xz"), archive));
        }
        if parts.contains(&Part::Deb) {
            made.push(deb(release, &tree)?);
        }
    }
    if parts.contains(&Part::Autograders) {
        made.extend(autograders(release)?);
    }
    Ok(made)
}

/// Writes the packages, and the list of their checksums, into a new folder.
fn write(folder: &Path, packages: &[Package]) -> Result<()> {
    ensure!(!packages.is_empty(), "expected a part that this system can make");
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut sums = String::new();
    for (name, bytes) in packages {
        sums += &format!("{}  {name}\n", hex(&Sha256::digest(bytes)));
        fs::write(folder.join(name), bytes).with_context(|| name.clone())?;
    }
    fs::write(folder.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    Ok(())
}

const SEED: &str = "1";

/// The games, each with the player that runs a submission.
const GAMES: [(&str, &str); 2] =
    [("maxconnect4", "file:{start} one-move {in} {out} {depth}"), ("network", "line:{start}")];

/// Makes an autograder for each game, with the build that most processors can run.
fn autograders(release: &Release) -> Result<Vec<Package>> {
    let program = Programs::most_portable(release)?;
    let mut made = Vec::new();
    for (game, player) in GAMES {
        let name = format!("plyground-{}-gradescope-{game}.zip", release.version);
        let path = release.work.join(&name);
        let mut command = release.command(&program.to_string_lossy());
        command.args([game, "grade", "gradescope", "--player", player, "--seed", SEED, "--out"]);
        run(command.arg(&path))?;
        made.push((name, fs::read(&path)?));
    }
    Ok(made)
}

/// The script that builds the page without a server. Its argument is the folder for the files of the page.
const SCRIPT: &str = "bindings/wasm/build";

/// Makes the page; returns `None` if the script does not exist.
fn site(release: &Release) -> Result<Option<Package>> {
    let script = release.root.join(SCRIPT);
    if !script.exists() {
        return Ok(None);
    }
    let folder = release.work.join("site");
    run(release.command(&script.to_string_lossy()).arg(&folder))?;
    let mut tree = Tree::default();
    tree.add_folder("site", &folder)?;
    let name = format!("plyground-{}-site", release.version);
    let bytes = tar_gz(&tree, &format!("{name}/"), release.time)?;
    Ok(Some((format!("{name}.tar.gz"), bytes)))
}

const KIB: usize = 1024;

/// The folder of files that Debian's policy requires compressed.
const COMPRESSED: &str = "share/man/";

/// The findings of lintian to ignore, with the reasons.
const OVERRIDES: &str = include_str!("deb/lintian-overrides");

/// Makes the package for Debian and its descendants, with all files of the archive in `/usr`.
fn deb(release: &Release, tree: &Tree) -> Result<Package> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("expected x86_64 or aarch64 for the Debian package, found {other}"),
    };
    let placed = placed(release, tree)?;
    let size: usize = placed.files().map(|(_, file)| file.bytes.len().div_ceil(KIB)).sum();
    let mut control = Tree::default();
    control.add("control", control_file(&release.version, architecture, size));
    control.add("md5sums", md5sums(&placed));
    let time = release.time;
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(&control, "", time)?),
        ("data.tar.xz", tar_xz(&placed, "./", time)?),
    ];
    let mut package = Builder::new(Vec::new());
    for (name, bytes) in &parts {
        let mut header = Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        package.append(&header, &bytes[..])?;
    }
    let name = format!("plyground_{}_{architecture}.deb", release.version);
    Ok((name, package.into_inner()?))
}

/// Returns the files in their places on the system.
fn placed(release: &Release, tree: &Tree) -> Result<Tree> {
    let mut placed = Tree::default();
    for (path, file) in tree.files() {
        if path.starts_with(COMPRESSED) {
            placed.add(format!("usr/{path}.gz"), gz(&file.bytes)?);
        } else {
            placed.add_file(format!("usr/{path}"), file);
        }
    }
    placed.add(format!("usr/{DOC}/changelog.gz"), gz(changelog(release)?.as_bytes())?);
    placed.add("usr/share/lintian/overrides/plyground", OVERRIDES);
    Ok(placed)
}

fn gz(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gz = GzBuilder::new().write(Vec::new(), Compression::best());
    gz.write_all(bytes)?;
    Ok(gz.finish()?)
}

/// Returns the list of checksums with which `dpkg --verify` finds changed files.
fn md5sums(tree: &Tree) -> String {
    tree.files()
        .map(|(path, file)| format!("{}  {path}\n", hex(&Md5::digest(&file.bytes))))
        .collect()
}

/// The authors, for the control file and the changelog. Debian requires an address, and the authors have none: the
/// domain `.invalid` never resolves. The field Homepage is optional, and there is no homepage.
const MAINTAINER: &str = concat!(env!("CARGO_PKG_AUTHORS"), " <none@plyground.invalid>");

/// Returns the changelog in the format of Debian. Its only entry refers to the changelog of the project.
fn changelog(release: &Release) -> Result<String> {
    let mut date = release.command("date");
    date.args(["--utc", "--rfc-email", "--date"]).arg(format!("@{}", release.time));
    let (version, date) = (&release.version, output(&mut date)?);
    Ok(format!(
        "\
plyground ({version}) stable; urgency=medium

  * Version {version}: /usr/{DOC}/CHANGELOG.md says what changed.

 -- {MAINTAINER}  {date}"
    ))
}

fn control_file(version: &str, architecture: &str, size: usize) -> String {
    format!(
        "\
Package: plyground
Version: {version}
Architecture: {architecture}
Maintainer: {MAINTAINER}
Installed-Size: {size}
Section: education
Priority: optional
Description: play, analyze, solve and grade two-player board games
 Two games, Max-Connect4 and Network, with one exact alpha-beta search, a page
 in the browser to play and analyze on, matches and tournaments between
 programs, and grades for the programs of students, which run in sandboxes.
"
    )
}

/// The target of Windows for a compiler on another system.
const TARGET: &str = "x86_64-pc-windows-gnu";

/// The linker for Windows.
const LINKER: &str = "x86_64-w64-mingw32-gcc";

/// The number of builds for Windows: a third build would serve few processors, and be a third of the zip.
const MOST_BUILDS: usize = 2;

/// The introduction to the files for Windows.
const README: &str = include_str!("windows/README.txt");

/// Returns true if this system is Windows, or has a compiler and a linker for Windows.
fn has_windows() -> bool {
    cfg!(windows) || cfg!(target_arch = "x86_64") && has_linker() && can_build_for(TARGET)
}

fn has_linker() -> bool {
    let status = Command::new(LINKER).arg("--version").stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Makes the programs for Windows: a zip to be unpacked into any folder.
fn windows_zip(release: &Release) -> Result<Package> {
    let target = if cfg!(windows) { &release.host } else { TARGET };
    let mut tree = Tree::default();
    let launcher = fs::read(build(release, target, None, LAUNCHER)?)?;
    for program in PROGRAMS {
        tree.add_program(format!("{program}.exe"), launcher.clone());
    }
    for level in release.levels.iter().rev().take(MOST_BUILDS) {
        let program = build(release, target, Some(level), BUILD)?;
        tree.add_program(format!("{BUILDS}/{}/{BUILD}.exe", level.name), fs::read(program)?);
    }
    tree.add("README.txt", with_crlf(&README.replace("{version}", &release.version)));
    tree.add("LICENSE.txt", with_crlf(&fs::read_to_string(release.root.join("LICENSE"))?));
    tree.add("licenses.txt", with_crlf(&documents::licenses(release, "programs", target)?));
    for input in ["input1.txt", "input2.txt"] {
        let path = release.root.join("inputs/maxconnect4").join(input);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        tree.add(format!("inputs/{input}"), with_crlf(&text));
    }
    let name = format!("plyground-{}-x86_64-windows", release.version);
    let bytes = zipped(&tree, &name)?;
    Ok((format!("{name}.zip"), bytes))
}

/// Returns a text with the line ends of Windows.
fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Returns a zip with all files in one folder.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_all_files() {
        let mut tree = Tree::default();
        tree.add("usr/b", "");
        tree.add("usr/a", "a");
        let expected = "0cc175b9c0f1b6a831c399e269772661  usr/a\n\
                        d41d8cd98f00b204e9800998ecf8427e  usr/b\n";
        assert_eq!(md5sums(&tree), expected);
    }
}
