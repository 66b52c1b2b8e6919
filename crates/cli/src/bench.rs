//! The bench: what the search does and how fast, in two numbers.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use plyground::search::{Limits, Scope};
use plyground_host::state::StateText;
use plyground_host::{EngineOptions, HostedGame};

use super::args::SearchArgs;
use super::failure::Failure;

/// The arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// How to search
    #[command(flatten)]
    pub search: SearchArgs,
}

pub(super) fn run(game: &dyn HostedGame, args: &BenchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let options = EngineOptions { search: args.search.options(), ..EngineOptions::default() };
    let mut engine = game.engine(options);
    let positions = game.bench();
    let (mut nodes, mut cpu) = (0, Duration::ZERO);
    for (number, (state, depth)) in (1..).zip(&positions) {
        let text = StateText::from_lines(&state.replace('/', "\n"));
        let position = game
            .parse_state(&text)
            .map_err(|fault| Failure::Run(anyhow::anyhow!("bench position {number}: {fault}")))?;
        engine.clear();
        let limits = Limits::depth(*depth);
        let found = engine.search(&position, &limits, Scope::BestMove, &mut |_| ());
        let Some(report) = found else { continue };
        nodes += report.nodes;
        cpu += report.cpu;
        writeln!(
            out,
            "{number:>2}/{}  depth {:>2}  move {}  score {:>8}  {:>10} nodes  {:>7.3} s",
            positions.len(),
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
