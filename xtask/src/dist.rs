//! All packages of a release, one after the other.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use plyground_durable::output::write_whole;
use sha2::{Digest, Sha256};

use crate::release::{Package, Release};
use crate::tree::Tree;
use crate::{archive, compile, completions, deb, gradescope, man, manual, notices, site, wheel};

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
        made.extend(site::make(&release)?);
    }
    made.sort();
    write(&args.out, &made)
}

fn programs(release: &Release) -> Result<Vec<Package>> {
    let mut tree = Tree::default();
    compile::add_programs(release, &mut tree)?;
    let autograders = gradescope::make(release)?;
    man::add_pages(&mut tree, &release.version)?;
    completions::add(&mut tree);
    notices::add(release, &mut tree)?;
    manual::add(release, &mut tree)?;
    let name = format!("plyground-{}-{}", release.version, release.platform());
    let archive = archive::tar_gz(&tree, &format!("{name}/"), release.time)?;
    let mut made = vec![(format!("{name}.tar.gz"), archive), deb::make(release, &tree)?];
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
