//! Proofs about Network, and the program `research` that makes them. The programs for players do not link
//! this crate.
//!
//! * [`Opening`] lists the replies to the opening of a color, and [`Strategy::of_proof`] finds the color's
//!   answers from there on.
//! * [`Strategy`] writes all answers as a text, which [`network::strategy_check`] plays against every reply
//!   by rules of its own.
//! * [`OpeningRow`] is a row of the table of first moves, replies and second moves, and [`distances`]
//!   returns the lengths of games that such tables settle.
//! * [`main`] runs the program, with the commands that make all of this.

mod distance;
mod opening;
mod openings;
mod solve;
mod strategy;

use std::env;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use cpu_time::ThreadTime;
use indicatif::style::ProgressTracker;
use indicatif::{HumanCount, ProgressState};
use network::{Rules, game};
use plyground::search::Monitor;
use plyground_cli::{
    self as cli, ClusterCommand, ClusterCommands, Failure, Job, Order, ThreadsArgs, read_command,
};
use plyground_durable::input::STDIN;
use plyground_durable::work::{PieceError, WorkError, WorkFolder};
use plyground_durable::{excerpt, one_line};
use plyground_host::SharedGame;
use serde::{Deserialize, Serialize};

use crate::openings::OpeningsArgs;
use crate::solve::ProveArgs;

pub use distance::{ChipRange, Distance, FirstMove, distance_table, distances, first_moves};
pub use opening::{
    NotPlayable, Opening, OpeningResult, OpeningRow, RepliedOpening, opening_table,
    parse_opening_table,
};
pub use strategy::{Strategy, Unproven};

const NAME: &str = "research";

const CLUSTER_EXAMPLES: &str = "\
Examples:
  research cluster slurm --tasks 50 --sbatch --time=4:00:00 \\
      solve --strategy answers.txt
  research cluster run --jobs 4 openings --chips 7 --csv openings.csv
  research cluster status openings.csv.work
  research cluster merge openings.csv.work";

const SLURM_EXAMPLES: &str = "\
Examples:
  cluster slurm --tasks 50 --sbatch '--partition=short --time=4:00:00' \\
      solve --strategy answers.txt
  cluster slurm --dry-run openings --chips 7 --csv openings.csv";

const RUN_EXAMPLES: &str = "\
Examples:
  cluster run --jobs 2 solve position.txt --opening 22
  cluster run --jobs 4 openings --chips 7 --csv openings.csv";

/// Proves which player wins Network
#[derive(Debug, Parser)]
#[command(name = NAME, version)]
struct Research {
    #[command(subcommand)]
    command: ResearchCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum ResearchCommand {
    /// Prove that the player to move wins with a limited number of chips
    #[command(after_help = solve::EXAMPLES)]
    Solve(ProveArgs),
    /// Find the first moves that win with a limited number of chips, and the cost of each reply
    ///
    /// A first move wins if every reply has a second move that wins against any play. A move that
    /// does not win by chip K may win by a later chip. Ctrl-C shows the results so far.
    #[command(after_help = openings::EXAMPLES)]
    Openings(OpeningsArgs),
    /// Share the work of a proof among machines, by Slurm or without
    #[command(subcommand, after_help = CLUSTER_EXAMPLES)]
    Cluster(ClusterCommand),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let game = cli::as_asked(&game(Rules::default()), env::args_os());
    let matches = command_for(&game).try_get_matches();
    let matches = matches.unwrap_or_else(|error| cli::exit(error));
    cli::finish(dispatch(&game, &matches))
}

/// Returns the command line of the program.
pub fn command() -> clap::Command {
    command_for(&game(Rules::default()))
}

fn command_for(game: &SharedGame) -> clap::Command {
    let command = Research::command().mut_subcommand("cluster", |cluster| {
        cluster
            .mut_subcommand("slurm", |slurm| slurm.after_help(SLURM_EXAMPLES))
            .mut_subcommand("run", |run| run.after_help(RUN_EXAMPLES))
    });
    cli::complete(game, command)
}

fn dispatch(game: &SharedGame, matches: &clap::ArgMatches) -> Result<(), Failure> {
    let Research { command } =
        Research::from_arg_matches(matches).unwrap_or_else(|error| cli::exit(error));
    match command {
        ResearchCommand::Solve(args) => solve::solve(rules(game), &args),
        ResearchCommand::Openings(args) => openings::openings(rules(game), &args),
        ResearchCommand::Cluster(command) => cli::cluster(game, &command, &Shareable),
    }
}

/// Returns the rules of the game, which are named as in [`Rules`].
fn rules(game: &SharedGame) -> Rules {
    game.rules().parse().unwrap_or_default()
}

/// The commands whose work can be shared.
struct Shareable;

impl ClusterCommands for Shareable {
    fn job(
        &self,
        game: &SharedGame,
        words: &[String],
        _: Option<&Order>,
    ) -> Option<Result<Job, Failure>> {
        let Research { command } = read_command(command_for(game), words);
        match command {
            ResearchCommand::Solve(args) => Some(solve::job(rules(game), &args)),
            ResearchCommand::Openings(args) => Some(openings::job(rules(game), &args)),
            ResearchCommand::Cluster(_) => None,
        }
    }

    fn names(&self) -> &'static str {
        "solve or openings"
    }
}

/// The findings of a piece of the work: the lines of a journal, or the values read from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part<T> {
    /// The number of positions visited.
    pub(crate) nodes: u64,
    /// CPU time (user and system), in nanoseconds.
    cpu_ns: u64,
    /// The findings.
    pub(crate) found: Vec<T>,
}

impl<T> Part<T> {
    /// Returns the CPU time (user and system).
    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns)
    }

    /// Reads the findings of a piece, each line with `parse`; `None` if the piece is not done.
    ///
    /// # Errors
    ///
    /// Returns an error if the result cannot be read, or has another form.
    pub(crate) fn read(
        folder: &WorkFolder,
        piece: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Part<T>>, WorkError> {
        let Some(bytes) = folder.result(piece)? else { return Ok(None) };
        let wrong = |why: &str| folder.wrong_result(piece, &why);
        let lines: Part<String> =
            serde_json::from_slice(&bytes).map_err(|error| wrong(&one_line(&error.to_string())))?;
        let Part { nodes, cpu_ns, found } = lines;
        let read =
            |line: &String| parse(line).ok_or_else(|| wrong(&format!("found `{}`", excerpt(line))));
        let found = found.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Some(Part { nodes, cpu_ns, found }))
    }
}

impl Part<String> {
    /// Makes the findings of a thread since this moment of its CPU time.
    pub(crate) fn new(begun: ThreadTime, nodes: u64, found: Vec<String>) -> Part<String> {
        let cpu_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Part { nodes, cpu_ns, found }
    }

    /// Returns the result in the form of its file.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, PieceError> {
        serde_json::to_vec(self).map_err(|error| PieceError::Failed(error.to_string()))
    }
}

/// Refuses arguments that belong to one process: threads, a journal, and a position from standard input.
pub(crate) fn check_shareable(
    command: &str,
    file: Option<&Path>,
    threads: &ThreadsArgs,
    journal: Option<&Path>,
) -> Result<(), Failure> {
    if threads.count.get() > 1 || journal.is_some() || file == Some(Path::new(STDIN)) {
        return Err(Failure::Usage(format!(
            "expected {command} of a file, without --threads and --journal: tasks share the work"
        )));
    }
    Ok(())
}

/// Returns the part of a progress line that shows the number of nodes a second.
pub(crate) fn speed_of(monitor: &Arc<Monitor>) -> impl ProgressTracker + use<> {
    let monitor = Arc::clone(monitor);
    move |state: &ProgressState, line: &mut dyn Write| {
        let seconds = state.elapsed().as_secs_f64().max(f64::EPSILON);
        // If the progress line cannot be written, the error cannot be shown either.
        let _ = write!(line, "{}", HumanCount((monitor.nodes() as f64 / seconds) as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        command().debug_assert();
    }
}
