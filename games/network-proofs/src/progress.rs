//! What progress lines show of a proof.

use std::fmt::Write;
use std::sync::Arc;

use indicatif::style::ProgressTracker;
use indicatif::{HumanCount, ProgressState};
use plyground::search::Monitor;

/// What shows in a progress line how many nodes a second are visited.
pub(crate) fn speed_of(monitor: &Arc<Monitor>) -> impl ProgressTracker + use<> {
    let monitor = Arc::clone(monitor);
    move |state: &ProgressState, line: &mut dyn Write| {
        let seconds = state.elapsed().as_secs_f64().max(f64::EPSILON);
        // If the progress line cannot be written, there is nobody to tell.
        let _ = write!(line, "{}", HumanCount((monitor.nodes() as f64 / seconds) as u64));
    }
}
