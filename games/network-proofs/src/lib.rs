//! The proof of the winner of Network, and the tuning of its evaluation. Nothing of it is needed to play.
//!
//! * [`Opening`] lists the replies to the opening of a color, and [`Strategy::of_proof`] finds the color's
//!   answers from there on.
//! * [`Strategy`] writes all answers as a text, which [`check`] plays against every reply by rules of
//!   its own.
//! * [`OpeningRow`] is a row of the table of first moves, replies and second moves, and [`distances`]
//!   returns the lengths of games that such tables settle.
//! * [`ProofCommand`] has the commands of the program `network` that make and check all of this,
//!   and the one that finds weights of the evaluation by self-play.

mod chart;
mod check;
mod distance;
mod images;
mod opening;
mod opening_table;
mod openings;
mod part;
mod progress;
mod shareable;
mod solve;
mod start;
mod strategy;
mod tune;
mod verify;

use clap::Subcommand;
use network::Rules;
use plyground_cli::{Failure, Job};

pub use check::{CheckedStrategy, Gap, check};
pub use distance::{ChipRange, Distance, FirstMove, distance_table, distances, first_moves};
pub use opening::{NotPlayable, Opening, RepliedOpening};
pub use opening_table::{OpeningResult, OpeningRow, opening_table, parse_opening_table};
pub use openings::OpeningsArgs;
pub use solve::ProveArgs;
pub use strategy::{Strategy, Unproven};
pub use tune::TuneArgs;
pub use verify::VerifyArgs;

/// The commands of the program `network` that are about proofs and weights.
#[derive(Clone, Debug, Subcommand)]
pub enum ProofCommand {
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
    /// Check a strategy against every reply, by rules of its own
    #[command(after_help = verify::EXAMPLES)]
    VerifySolution(VerifyArgs),
    /// Find weights of the evaluation by self-play, and judge them by a match
    ///
    /// The machine plays against itself, and the weights are fitted to the results by logistic
    /// regression. This does not change the weights of the machine. Ctrl-C shows what is found by
    /// then.
    #[command(after_help = tune::EXAMPLES)]
    Tune(TuneArgs),
}

/// Runs a command by these rules.
///
/// # Errors
///
/// Returns the failure that kept the command from finishing.
pub fn run(rules: Rules, command: &ProofCommand) -> Result<(), Failure> {
    match command {
        ProofCommand::Solve(args) => solve::solve(rules, args),
        ProofCommand::Openings(args) => openings::openings(rules, args),
        ProofCommand::VerifySolution(args) => verify::verify(args),
        ProofCommand::Tune(args) => tune::tune(rules, args),
    }
}

/// Returns the work of a command that tasks can share; `None` if it cannot be shared.
#[must_use]
pub fn job(rules: Rules, command: &ProofCommand) -> Option<Result<Box<dyn Job>, Failure>> {
    match command {
        ProofCommand::Solve(args) => Some(solve::job(rules, args)),
        ProofCommand::Openings(args) => Some(openings::job(rules, args)),
        ProofCommand::VerifySolution(_) | ProofCommand::Tune(_) => None,
    }
}
