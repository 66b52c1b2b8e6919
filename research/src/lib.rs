//! Proofs about Network, and the program `research` that makes them. No program that people play with links
//! this.
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
mod sharing;
mod solve;
mod strategy;

use std::env;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use network::{Rules, game};
use plyground_cli::{self as cli, ClusterArgs, ClusterCommands, Failure, Job, Order, read_command};
use plyground_host::SharedGame;

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

/// Proves who wins Network
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
    /// Find which first moves win with a limited number of chips, and what each reply costs
    ///
    /// A first move wins if after every reply there is a second move that wins whatever comes
    /// then. What is not won by chip K may be won by a later one. Ctrl-C shows what is found by
    /// then.
    #[command(after_help = openings::EXAMPLES)]
    Openings(OpeningsArgs),
    /// Share the work of a proof among machines, by Slurm or without
    #[command(after_help = CLUSTER_EXAMPLES)]
    Cluster(ClusterArgs),
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
        ResearchCommand::Cluster(args) => cli::cluster(game, &args, &Shareable),
    }
}

/// Returns the rules of the game; the names are those of the type.
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
    ) -> Option<Result<Box<dyn Job>, Failure>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        command().debug_assert();
    }
}
