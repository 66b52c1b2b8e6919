//! The perft command.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use plyground::Game;
use plyground_host::HostedGame;

use super::args::PLIES;
use super::failure::Failure;
use super::position::load_or_start;

/// The arguments of `perft`.
#[derive(Clone, Debug, Args)]
#[command(allow_missing_positional = true)]
pub struct PerftArgs {
    /// The state file to count from; - for standard input, the start of a game if there is none. Where
    /// no such file exists, the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The length of the sequences in moves, counting those of both players
    #[arg(id = PLIES, value_name = "DEPTH", required = true)]
    pub depth: u32,

    /// Show the count after each first move
    #[arg(long)]
    pub divide: bool,
}

pub(super) fn run(game: &dyn HostedGame, args: &PerftArgs) -> Result<(), Failure> {
    let position = load_or_start(game, args.file.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let total = if args.divide && args.depth > 0 {
        let mut total = 0;
        for mv in position.legal_moves() {
            let count = position.after(mv).perft(args.depth - 1);
            writeln!(out, "{mv}: {count}")?;
            total += count;
        }
        total
    } else {
        position.perft(args.depth)
    };
    writeln!(out, "total: {total}")?;
    out.flush()?;
    Ok(())
}
