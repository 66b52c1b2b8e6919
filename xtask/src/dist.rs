//! All packages of a release, one after the other.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use plyground_launcher::levels;
use sha2::{Digest, Sha256};

use crate::programs::Programs;
use crate::release::{Package, Release, hex, run};
use crate::tree::{Tree, tar_gz, tar_xz};
use crate::{deb, texts, wheel, windows};

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

    /// Make them even if something differs from the commit
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
    /// The page without a server
    Site,
}

impl Part {
    /// If true, this system can make the part.
    fn is_possible(self) -> bool {
        match self {
            Part::Deb | Part::Autograders | Part::Site => cfg!(target_os = "linux"),
            Part::Archive => cfg!(unix),
            Part::Zip => windows::can_be_built(),
            Part::Wheel => true,
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
            Part::Zip => made.push(windows::make(&release)?),
            Part::Wheel => made.push(wheel::make(&release)?),
            Part::Site => made.extend(site(&release)?),
            Part::Archive | Part::Deb | Part::Autograders => {}
        }
    }
    made.sort();
    write(&args.out, &made)
}

/// Makes those of `parts` that have the programs for this system.
fn programs(release: &Release, parts: &[Part]) -> Result<Vec<Package>> {
    let mut made = Vec::new();
    if parts.contains(&Part::Archive) || parts.contains(&Part::Deb) {
        let programs = Programs::build(release)?;
        let tree = texts::with_texts(release, programs)?;
        if parts.contains(&Part::Archive) {
            let name = format!("plyground-{}-{}", release.version, release.platform());
            let archive = tar_xz(&tree, &format!("{name}/"), release.time)?;
            made.push((format!("{name}.tar.xz"), archive));
        }
        if parts.contains(&Part::Deb) {
            made.push(deb::make(release, &tree)?);
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

/// The games, and for each the way to run a submission as a player.
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
