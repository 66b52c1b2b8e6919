//! `cargo xtask dist`: makes the packages of a release from a clean clone.
//!
//! The same commit gives the same bytes, regardless of the place of the clone: the times are those of the
//! commit, archives are sorted, and compilers get a name for the folder that is always the same.

mod archive;
mod compile;
mod completions;
mod deb;
mod dist;
mod gradescope;
mod man;
mod manual;
mod notices;
mod release;
mod site;
mod tool;
mod tree;
mod wheel;

use std::process::ExitCode;

use clap::Parser;

use dist::DistArgs;

/// Makes releases
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
enum Xtask {
    /// Make the packages: an archive, a .deb, wheels, autograders, the page, and their checksums
    Dist(DistArgs),
}

fn main() -> ExitCode {
    let Xtask::Dist(args) = Xtask::parse();
    match dist::dist(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
