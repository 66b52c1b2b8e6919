//! The products of the repository besides its programs: `cargo xtask dist` makes the packages of a release
//! from a clean clone, and `cargo xtask results` the measurements in `results/`.
//!
//! Of the packages, the same commit gives the same bytes, regardless of the place of the clone: the times are
//! those of the commit, archives are sorted, and compilers get a name for the folder that is always the same.

mod dist;
mod release;
mod results;
mod texts;
mod wheel;

use std::process::ExitCode;

use clap::Parser;

use dist::DistArgs;
use results::ResultsArgs;

/// Makes releases and measurements
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
enum Xtask {
    /// Make the packages: archives, a .deb, a wheel, autograders, the page, and their checksums
    Dist(DistArgs),
    /// Measure again what the files of results/ say of the search
    Results(ResultsArgs),
}

fn main() -> ExitCode {
    if let Some(level) = release::level_to_compile_for() {
        return release::compile(&level);
    }
    let done = match Xtask::parse() {
        Xtask::Dist(args) => dist::dist(&args),
        Xtask::Results(args) => results::results(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
