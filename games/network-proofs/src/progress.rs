//! The speed of a proof in progress lines.

use std::fmt::Write;
use std::sync::Arc;

use indicatif::style::ProgressTracker;
use indicatif::{HumanCount, ProgressState};
use plyground::search::Monitor;

/// Returns the part of a progress line that shows the number of nodes a second.
pub(crate) fn speed_of(monitor: &Arc<Monitor>) -> impl ProgressTracker + use<> {
    let monitor = Arc::clone(monitor);
    move |state: &ProgressState, line: &mut dyn Write| {
        let seconds = state.elapsed().as_secs_f64().max(f64::EPSILON);
        // If the progress line cannot be written, the error cannot be shown either.
        let _ = write!(line, "{}", HumanCount((monitor.nodes() as f64 / seconds) as u64));
    }
}
