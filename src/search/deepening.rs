//! Iterative deepening: the part of a search that has to do with limits and reports.

use super::limits::Meter;
use super::report::{Line, Report};
use crate::game::Game;

/// A search that can look exactly so many plies ahead.
pub(super) trait FixedDepth<G: Game> {
    /// The lines for `depth`, best first, or `None` when the meter stopped the search.
    fn lines(&mut self, depth: u32) -> Option<Vec<Line<G::Move>>>;

    /// The meter that counts this search.
    fn meter(&self) -> &Meter;
}

/// Searches `depths` one after the other, until a limit is reached or all is proven.
///
/// `fallback` is the answer when not even one depth can be finished.
pub(super) fn deepen<G: Game>(
    search: &mut impl FixedDepth<G>,
    depths: impl Iterator<Item = u32>,
    fallback: Line<G::Move>,
    progress: &mut dyn FnMut(&Report<G::Move>),
) -> Report<G::Move> {
    let mut depth_done = 0;
    let mut lines_done = vec![fallback];
    for depth in depths {
        let Some(lines) = search.lines(depth) else { break };
        let report = report(search, depth, lines.clone());
        progress(&report);
        (depth_done, lines_done) = (depth, lines);
        if report.proven() || search.meter().is_stopped() {
            break;
        }
    }
    report(search, depth_done, lines_done)
}

fn report<G: Game>(
    search: &impl FixedDepth<G>,
    depth: u32,
    lines: Vec<Line<G::Move>>,
) -> Report<G::Move> {
    let meter = search.meter();
    Report { lines, depth, nodes: meter.nodes(), cpu: meter.cpu(), wall: meter.wall() }
}
