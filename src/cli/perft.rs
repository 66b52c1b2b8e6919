//! The perft command.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use super::args::PLIES;
use super::failure::Failure;
use super::position::load_or_start;
use super::program::Program;
use crate::perft::{divide, perft};

/// The arguments of `perft`.
#[derive(Clone, Debug, Args)]
#[command(allow_missing_positional = true)]
pub struct PerftArgs {
    /// The state file to count from; - for standard input, the start of a game if there is none
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How many moves the sequences to count have, those of both players counted
    #[arg(id = PLIES, value_name = "DEPTH", required = true)]
    pub depth: u32,

    /// Show the count after each first move
    #[arg(long)]
    pub divide: bool,
}

pub(super) fn run<P: Program>(program: &P, args: &PerftArgs) -> Result<(), Failure> {
    let position = load_or_start(program, args.file.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let total = if args.divide && args.depth > 0 {
        let counts = divide(&position, args.depth);
        for (mv, count) in &counts {
            writeln!(out, "{mv}: {count}")?;
        }
        counts.iter().map(|(_, count)| count).sum()
    } else {
        perft(&position, args.depth)
    };
    writeln!(out, "total: {total}")?;
    out.flush()?;
    Ok(())
}
