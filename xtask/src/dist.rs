//! All packages of a release, one after the other.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ar::{Builder, Header};
use clap::{Args, ValueEnum};
use plyground_durable::output::write_whole;
use plyground_launcher::{BUILD, BUILDS, levels};
use sha2::{Digest, Sha256};

use crate::release::{Package, Release, run};
use crate::tree::{Tree, tar_gz};
use crate::{texts, wheel};

const EXAMPLES: &str = "\
Examples:
  cargo xtask dist
  cargo xtask dist --out release --only programs --only wheel";

/// The parts to make, and the folder for them.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DistArgs {
    /// The folder for the packages, which is made anew
    #[arg(long, value_name = "FOLDER", default_value = "target/dist/packages")]
    out: PathBuf,

    /// Make only these
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,

    /// Make them even if something differs from the commit
    #[arg(long)]
    allow_dirty: bool,
}

/// A part of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The programs: an archive, a .deb, and autograders
    Programs,
    /// The package for Python
    Wheel,
    /// The page without a server
    Site,
}

/// Makes the packages.
pub fn dist(args: &DistArgs) -> Result<()> {
    let release = Release::new(args.allow_dirty)?;
    let is_asked = |part| args.only.is_empty() || args.only.contains(&part);
    let mut made = Vec::new();
    if is_asked(Part::Programs) {
        made.extend(programs(&release)?);
    }
    if is_asked(Part::Wheel) {
        made.push(wheel::make(&release)?);
    }
    if is_asked(Part::Site) {
        made.extend(site(&release)?);
    }
    made.sort();
    write(&args.out, &made)
}

fn programs(release: &Release) -> Result<Vec<Package>> {
    let mut tree = Tree::default();
    add_programs(release, &mut tree)?;
    let autograders = autograders(release)?;
    texts::add_man_pages(&mut tree, &release.version)?;
    texts::add_completions(&mut tree);
    texts::add_licenses(release, &mut tree)?;
    texts::add_manual(release, &mut tree)?;
    let name = format!("plyground-{}-{}", release.version, release.platform());
    let archive = tar_gz(&tree, &format!("{name}/"), release.time)?;
    let mut made = vec![(format!("{name}.tar.gz"), archive), deb(release, &tree)?];
    made.extend(autograders);
    Ok(made)
}

/// Writes the packages, and the list of their checksums, into a new folder.
fn write(folder: &Path, packages: &[Package]) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut sums = String::new();
    for (name, bytes) in packages {
        let sum = Sha256::digest(bytes);
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        sums += &format!("{sum}  {name}\n");
        write_whole(&folder.join(name), bytes)?;
    }
    write_whole(&folder.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    Ok(())
}

/// The programs that a person starts.
const PROGRAMS: [&str; 3] = ["maxconnect4", "network", BUILD];

/// The program of leagues, of which one build is enough: it mostly waits for other programs.
const LEAGUE: &str = "plyground-league";

/// The unit that starts a league with the computer.
const UNIT: &str = "plyground-league@.service";

/// The folder of builds that must run on any processor of the architecture.
const ANY: &str = "any";

/// Builds the programs, and adds them to `tree`.
fn add_programs(release: &Release, tree: &mut Tree) -> Result<()> {
    let launcher = build_program(release, "plyground-launcher", "plyground-launcher", ANY, &[])?;
    for program in PROGRAMS {
        tree.add_program(format!("bin/{program}"), launcher.clone());
    }
    for level in levels() {
        let bytes = build_program(release, "programs", BUILD, level.name, level.flags)?;
        tree.add_program(format!("{BUILDS}/{}/{BUILD}", level.name), bytes);
    }
    let levels = levels();
    let lowest = levels.last().context("a level")?;
    let league = build_program(release, "league", LEAGUE, lowest.name, lowest.flags)?;
    tree.add_program(format!("bin/{LEAGUE}"), league);
    let unit = release.root.join("league/systemd").join(UNIT);
    let unit = fs::read(&unit).with_context(|| unit.display().to_string())?;
    tree.add(format!("lib/systemd/system/{UNIT}"), unit);
    Ok(())
}

/// Returns the path of a built program of a level.
fn built(release: &Release, program: &str, level: &str) -> PathBuf {
    target_folder(release, level).join(&release.host).join("release").join(program)
}

fn target_folder(release: &Release, level: &str) -> PathBuf {
    release.work.join("programs").join(level)
}

/// Builds a program of a package, and returns the contents of its file.
fn build_program(
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

const KIB: usize = 1024;

/// Makes the package with all files of a tree, in `/usr`.
fn deb(release: &Release, tree: &Tree) -> Result<Package> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("what Debian calls {other} is not known"),
    };
    let mut placed = Tree::default();
    for (path, file) in tree.files() {
        placed.add_file(format!("usr/{path}"), file);
    }
    let size: usize = tree.files().map(|(_, file)| file.bytes.len().div_ceil(KIB)).sum();
    let mut control = Tree::default();
    control.add("control", control_file(&release.version, architecture, size));
    let time = release.time;
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(&control, "", time)?),
        ("data.tar.gz", tar_gz(&placed, "", time)?),
    ];
    let mut deb = Builder::new(Vec::new());
    for (name, bytes) in &parts {
        let mut header = Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        deb.append(&header, &bytes[..])?;
    }
    let name = format!("plyground_{}_{architecture}.deb", release.version);
    Ok((name, deb.into_inner()?))
}

fn control_file(version: &str, architecture: &str, size: usize) -> String {
    format!(
        "\
Package: plyground
Version: {version}
Architecture: {architecture}
Maintainer: The Plyground authors
Installed-Size: {size}
Section: games
Priority: optional
Description: plays, analyzes, solves and grades two-player board games
 Two games, Max-Connect4 and Network, with one exact alpha-beta search, a page in
 the browser to play and analyze on, matches and tournaments between programs,
 and grades for what students hand in, whose programs run in sandboxes.
"
    )
}

const SEED: &str = "1";

/// The games, and for each the way to run a submission as a player.
const GAMES: [(&str, &str); 2] =
    [("maxconnect4", "file:{start} one-move {in} {out} {depth}"), ("network", "line:{start}")];

/// Makes an autograder for each game, with the build that most processors can run.
fn autograders(release: &Release) -> Result<Vec<Package>> {
    let levels = levels();
    let lowest = levels.last().context("a level")?;
    let program = built(release, BUILD, lowest.name);
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

/// The script. Its argument is the folder for the files of the page.
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
