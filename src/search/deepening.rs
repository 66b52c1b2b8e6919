//! Iterative deepening: the part of a search that has to do with limits and reports.

use super::limits::{Limits, Meter};
use super::report::{Line, Report};
use crate::game::Game;

/// A search that can look exactly so many plies ahead.
pub(super) trait FixedDepth<G: Game> {
    /// The lines for `depth`, best first, or `None` when the meter stopped the search.
    fn lines(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>>;

    /// The meter that counts this search.
    fn meter(&self) -> &Meter;
}

/// Searches with growing depth, from `first_depth`, until a limit is reached or all is proven.
///
/// `fallback` is the answer when not even one depth can be finished.
pub(super) fn deepen<G: Game>(
    search: &mut impl FixedDepth<G>,
    first_depth: u32,
    limits: &Limits,
    fallback: Line<G::Move>,
    progress: &mut dyn FnMut(&Report<G::Move>),
) -> Report<G::Move> {
    let mut report = report(search, 0, vec![fallback]);
    for depth in first_depth..=limits.last_depth() {
        let Some(lines) = search.lines(depth) else { break };
        report = self::report(search, depth, lines);
        progress(&report);
        if report.proven() || search.meter().is_stopped() {
            break;
        }
    }
    Report {
        nodes: search.meter().nodes(),
        cpu: search.meter().cpu(),
        wall: search.meter().wall(),
        ..report
    }
}

fn report<G: Game>(
    search: &impl FixedDepth<G>,
    depth: u32,
    lines: Vec<Line<G::Move>>,
) -> Report<G::Move> {
    let meter = search.meter();
    Report { lines, depth, nodes: meter.nodes(), cpu: meter.cpu(), wall: meter.wall() }
}
