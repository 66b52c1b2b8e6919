//! The bench: what the search does and how fast, in two numbers.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;

use super::args::SearchArgs;
use super::failure::Failure;
use super::program::Program;
use crate::search::{Limits, Search};
use crate::state::StateText;

/// The arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// How to search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn run<P: Program>(program: &P, args: &BenchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut search = args.search.search(program);
    let (mut nodes, mut cpu) = (0, Duration::ZERO);
    for (index, &(state, depth)) in P::BENCH.iter().enumerate() {
        let text = StateText::from_lines(&state.replace('/', "\n"));
        let position = program
            .parse_state(&text)
            .map_err(|fault| Failure::Run(anyhow::anyhow!("bench position {index}: {fault}")))?;
        search.clear();
        let Some(report) = search.best(&position, &Limits::depth(depth)) else { continue };
        nodes += report.nodes;
        cpu += report.cpu;
        writeln!(
            out,
            "{:>2}/{}  depth {:>2}  move {}  score {:>8}  {:>10} nodes  {:>7.3} s",
            index + 1,
            P::BENCH.len(),
            report.depth,
            report.best_move(),
            report.score().to_string(),
            report.nodes,
            report.cpu.as_secs_f64(),
        )?;
    }
    let nodes_per_second = nodes as f64 / cpu.as_secs_f64().max(f64::EPSILON);
    writeln!(out, "{nodes} nodes {nodes_per_second:.0} nps")?;
    Ok(())
}
