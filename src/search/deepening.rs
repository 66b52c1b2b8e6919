//! Iterative deepening: the part of a search that has to do with limits and reports.

use super::limits::Meter;
use super::report::{Line, Report};
use crate::hints::SearchHints;
use crate::value::Value;

/// The result of a search at one depth.
#[derive(Clone, Debug)]
pub(super) struct Found<M> {
    /// The value of the position.
    pub(super) value: Value,
    /// The lines, the best first; at least one.
    pub(super) lines: Vec<Line<M>>,
}

impl<M> Found<M> {
    /// Makes the result that consists of one line and its value.
    pub(super) fn one(line: Line<M>) -> Found<M> {
        Found { value: line.value, lines: vec![line] }
    }
}

/// A search that can look an exact number of plies ahead.
pub(super) trait FixedDepth<G: SearchHints> {
    /// Returns the result at `depth`, or `None` if the meter stopped the search.
    fn look(&mut self, depth: u32) -> Option<Found<G::Move>>;

    /// Returns the meter that counts this search.
    fn meter(&self) -> &Meter;
}

/// Searches `depths` one after the other, until a limit is reached or nothing is left to
/// estimate.
///
/// `fallback` is the answer if not even one depth can be finished.
pub(super) fn deepen<G: SearchHints>(
    search: &mut impl FixedDepth<G>,
    depths: impl Iterator<Item = u32>,
    fallback: Line<G::Move>,
    progress: &mut dyn FnMut(&Report<G::Move>),
) -> Report<G::Move> {
    let mut depth_done = 0;
    let mut last = Found::one(fallback);
    for depth in depths {
        let Some(found) = search.look(depth) else { break };
        let report = report(search, depth, found.clone());
        progress(&report);
        (depth_done, last) = (depth, found);
        if report.is_final() || search.meter().is_stopped() {
            break;
        }
    }
    report(search, depth_done, last)
}

fn report<G: SearchHints>(
    search: &impl FixedDepth<G>,
    depth: u32,
    Found { value, lines }: Found<G::Move>,
) -> Report<G::Move> {
    let meter = search.meter();
    Report { value, lines, depth, nodes: meter.nodes(), cpu: meter.cpu(), wall: meter.wall() }
}
