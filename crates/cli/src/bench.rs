//! `bench`, which measures a fixed amount of search; and `perft`, which counts sequences of moves.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plyground::Game;
use plyground_host::{self as host, EngineOptions, HostedGame};

use super::args::{Plies, SearchArgs, load_or_start};
use super::failure::Failure;

/// The arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// The options of the search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn bench(game: &dyn HostedGame, args: &BenchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let options = EngineOptions { search: args.search.options(), ..EngineOptions::default() };
    let count = game.bench().len();
    let (mut nodes, mut cpu) = (0, Duration::ZERO);
    for (number, report) in (1..).zip(host::bench(game, options)) {
        let report = report
            .map_err(|fault| Failure::Run(anyhow::anyhow!("bench position {number}: {fault}")))?;
        nodes += report.nodes;
        cpu += report.cpu;
        writeln!(
            out,
            "{number:>2}/{count}  depth {:>2}  move {}  score {:>8}  {:>10} nodes  {:>7.3} s",
            report.depth,
            report.best_move(),
            game.show(report.best().value),
            report.nodes,
            report.cpu.as_secs_f64(),
        )?;
    }
    let nodes_per_second = nodes as f64 / cpu.as_secs_f64().max(f64::EPSILON);
    writeln!(out, "{nodes} nodes {nodes_per_second:.0} nps")?;
    Ok(())
}

/// The arguments of `perft`.
#[derive(Clone, Debug, Args)]
#[command(allow_missing_positional = true)]
pub struct PerftArgs {
    /// The state file to count from, or - for standard input; without it, the start of a game. A
    /// text that names no file is the position on one line, or the moves that lead to it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The length of the sequences in moves, counting the moves of both players
    #[arg(value_name = "DEPTH", required = true)]
    pub depth: Plies,

    /// Show the count after each first move
    #[arg(long)]
    pub divide: bool,
}

pub(super) fn perft(game: &dyn HostedGame, args: &PerftArgs) -> Result<(), Failure> {
    let position = load_or_start(game, args.file.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let total = if args.divide && args.depth.0 > 0 {
        let mut total = 0;
        for mv in position.legal_moves() {
            let count = position.after(mv).perft(args.depth.0 - 1);
            writeln!(out, "{mv}: {count}")?;
            total += count;
        }
        total
    } else {
        position.perft(args.depth.0)
    };
    writeln!(out, "total: {total}")?;
    out.flush()?;
    Ok(())
}
