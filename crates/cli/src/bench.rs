//! The bench: what the search does and how fast, in two numbers.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use plyground_host::{EngineOptions, HostedGame, bench};

use super::args::SearchArgs;
use super::failure::Failure;

/// The arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// The options of the search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn run(game: &dyn HostedGame, args: &BenchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let options = EngineOptions { search: args.search.options(), ..EngineOptions::default() };
    let count = game.bench().len();
    let (mut nodes, mut cpu) = (0, Duration::ZERO);
    for (number, report) in (1..).zip(bench(game, options)) {
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
