//! One measurement.

use std::time::Duration;

use cpu_time::ProcessTime;

use super::row::SearchKind;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::{AlphaBeta, Limits, Minimax, Options, Report, Search};

/// What one run of a search took, and its answer.
pub(super) struct Sample<M> {
    /// User and system time of this process.
    pub cpu: Duration,
    pub report: Report<M>,
}

/// Chooses a move with a search made for the purpose, so that its table is cold; making it is
/// part of the time. `None` when the game is over.
pub(super) fn measure<G: Game, E: Evaluator<G>>(
    kind: SearchKind,
    table_mib: usize,
    limits: &Limits,
    position: &G,
    evaluator: E,
) -> Option<Sample<G::Move>> {
    match kind {
        SearchKind::Minimax => timed(position, limits, || Minimax::new(evaluator)),
        SearchKind::AlphaBeta => timed(position, limits, || {
            AlphaBeta::new(evaluator, Options { table_mib, ..Options::default() })
        }),
    }
}

fn timed<G: Game, S: Search<G>>(
    position: &G,
    limits: &Limits,
    search: impl FnOnce() -> S,
) -> Option<Sample<G::Move>> {
    let start = ProcessTime::now();
    let mut search = search();
    let report = search.best(position, limits)?;
    let cpu = start.elapsed();
    Some(Sample { cpu, report })
}
