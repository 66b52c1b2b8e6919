//! The products of the repository besides its programs: `cargo xtask dist` makes the packages of a release
//! from a clean clone, and `cargo xtask results` the measurements in `results/`.
//!
//! The same commit gives packages with the same bytes, regardless of the folder of the clone: all times are the time
//! of the commit, archives are sorted, and compilers get a fixed name for the folder.
//!
//! Each file of `results/` is made in a folder of `target/results/` that is named after the signature of the search,
//! so that an interrupted run continues. The finished file replaces the file in `results/`, and its signature is
//! written into `results/signatures.toml`.

mod dist;
mod documents;
mod release;
mod wheel;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser};

use dist::DistArgs;
use release::{output, run};

/// Makes releases and measurements
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
enum Xtask {
    /// Make the packages: archives, a .deb, a wheel, autograders, the page, and their checksums
    Dist(DistArgs),
    /// Repeat the measurements of the search in results/
    Results(ResultsArgs),
}

fn main() -> ExitCode {
    if let Some(level) = release::level_to_compile_for() {
        return release::compile(&level);
    }
    let done = match Xtask::parse() {
        Xtask::Dist(args) => dist::dist(&args),
        Xtask::Results(args) => results(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, Args)]
struct ResultsArgs {
    /// Measure only this: may be repeated
    #[arg(long, value_name = "NAME", value_parser = names())]
    only: Vec<String>,
}

fn names() -> PossibleValuesParser {
    MEASUREMENTS.map(|measurement| measurement.name).into()
}

/// A measurement, and the commands that make its files.
struct Measurement {
    /// The name of the files without the ending.
    name: &'static str,
    /// The games of the measurement.
    games: &'static [&'static str],
    /// The arguments of `cargo`, in which `{csv}` and `{svg}` stand for the paths of the files, and
    /// `{timing}` for the command `timing` of the game with both files.
    commands: &'static [&'static str],
}

/// The arguments of `cargo` that `{timing}` stands for.
const TIMING: &str = "run --release -p programs --bin {game} -- timing --csv {csv} --plot {svg}";

const MEASUREMENTS: [Measurement; 8] = [
    Measurement {
        name: "maxconnect4",
        games: &["maxconnect4"],
        commands: &["{timing} --search minimax", "{timing}"],
    },
    Measurement {
        name: "network-start",
        games: &["network"],
        commands: &[
            "{timing} inputs/network/start.txt --search minimax",
            "{timing} inputs/network/start.txt",
        ],
    },
    Measurement {
        name: "network-ten-plies",
        games: &["network"],
        commands: &[
            "{timing} inputs/network/ten-plies.txt --search minimax",
            "{timing} inputs/network/ten-plies.txt",
        ],
    },
    Measurement {
        name: "network-steps",
        games: &["network"],
        commands: &[
            // Depth 5 would take most of an hour.
            "{timing} inputs/network/steps.txt --search minimax --depths ..4",
            "{timing} inputs/network/steps.txt",
        ],
    },
    Measurement {
        name: "network-search",
        games: &["network"],
        commands: &["bench -p network --bench speed -- search {csv}"],
    },
    Measurement {
        name: "ablation",
        games: &["maxconnect4", "network"],
        commands: &["bench -p research --bench ablation -- {csv}"],
    },
    Measurement {
        name: "minimax-crate",
        games: &["maxconnect4"],
        commands: &["bench -p research --bench minimax_crate -- {csv}"],
    },
    Measurement {
        name: "threads",
        games: &["maxconnect4"],
        commands: &["bench -p research --bench ablation -- threads {csv}"],
    },
];

impl Measurement {
    /// Returns the names of the files.
    fn files(&self) -> impl Iterator<Item = String> {
        let has_plot = self.commands[0].contains("{timing}");
        let plot = has_plot.then(|| format!("{}.svg", self.name));
        [format!("{}.csv", self.name)].into_iter().chain(plot)
    }

    /// Makes the files in `folder`.
    fn make(&self, root: &Path, folder: &Path) -> Result<()> {
        let path = |ending| folder.join(self.name).with_extension(ending).display().to_string();
        for command in self.commands {
            let command = command.replace("{timing}", TIMING).replace("{game}", self.games[0]);
            let words = command.split(' ').map(|word| match word {
                "{csv}" => path("csv"),
                "{svg}" => path("svg"),
                word => word.to_owned(),
            });
            run(Command::new("cargo").current_dir(root).args(words))?;
        }
        Ok(())
    }
}

/// Makes the files of the selected measurements.
fn results(args: &ResultsArgs) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let list = root.join("results/signatures.toml");
    let is_wanted = |name| args.only.is_empty() || args.only.iter().any(|only| only == name);
    for measurement in MEASUREMENTS.iter().filter(|measurement| is_wanted(measurement.name)) {
        let signatures = signatures(&root, measurement.games)?;
        let folder: Vec<_> = signatures.iter().map(|(_, nodes)| nodes.to_string()).collect();
        let folder = root.join("target/results").join(folder.join("-"));
        fs::create_dir_all(&folder)?;
        measurement.make(&root, &folder)?;
        for file in measurement.files() {
            let (from, to) = (folder.join(&file), root.join("results").join(&file));
            fs::copy(&from, &to).with_context(|| format!("cannot write {}", to.display()))?;
            fs::remove_file(&from)?;
            let signed = signed(&fs::read_to_string(&list)?, &file, &signatures)?;
            fs::write(&list, signed)?;
        }
    }
    Ok(())
}

/// Returns the signatures of the searches of some games: the numbers of positions that the benches of the games visit.
fn signatures(root: &Path, games: &[&str]) -> Result<Vec<(String, u64)>> {
    let signature = |game: &&str| {
        let mut cargo = Command::new("cargo");
        cargo.args(["run", "--release", "--locked", "-p", "programs", "--bin", game]);
        cargo.args(["--", "bench"]);
        let report = output(cargo.current_dir(root))?;
        Ok(((*game).to_owned(), visited(&report)?))
    };
    games.iter().map(signature).collect()
}

/// Returns the number of positions in the last line of a bench.
fn visited(report: &str) -> Result<u64> {
    let words = report.lines().last().and_then(|line| line.split_once(" nodes"));
    let (nodes, _) = words.with_context(|| format!("expected a number of nodes in:\n{report}"))?;
    Ok(nodes.parse()?)
}

/// Returns the list with new signatures for a file, which the list must contain.
fn signed(list: &str, file: &str, signatures: &[(String, u64)]) -> Result<String> {
    let start = format!("\"{file}\" = ");
    ensure!(
        list.lines().any(|line| line.starts_with(&start)),
        "results/signatures.toml lacks a line for {file}: add one under [search]"
    );
    let values: Vec<_> =
        signatures.iter().map(|(game, nodes)| format!("{game} = {nodes}")).collect();
    let new = format!("{start}{{ {} }}", values.join(", "));
    let lines = list.lines().map(|line| if line.starts_with(&start) { &new } else { line });
    Ok(lines.fold(String::new(), |text, line| text + line + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_the_signatures_and_all_else_stays() -> Result<()> {
        let list = "# A list.\n[search]\n\"a.csv\" = { x = 1 }\n\"b.csv\" = { x = 1, y = 2 }\n";
        let signatures = [("x".to_owned(), 7), ("y".to_owned(), 8)];
        assert_eq!(signed(list, "b.csv", &signatures)?, list.replace("1, y = 2", "7, y = 8"));
        assert!(signed(list, "c.csv", &signatures).is_err());
        Ok(())
    }

    #[test]
    fn bench_ends_with_its_positions() -> Result<()> {
        let report =
            "1/1  depth  3  move 4  score        1         12 nodes    0.000 s\n12 nodes 99 nps\n";
        assert_eq!(visited(report)?, 12);
        assert!(visited("").is_err());
        Ok(())
    }

    #[test]
    fn every_measured_file_is_in_the_list() -> Result<()> {
        let list = include_str!("../../results/signatures.toml");
        for measurement in MEASUREMENTS {
            for file in measurement.files() {
                signed(list, &file, &[])?;
            }
        }
        Ok(())
    }
}
