//! A proof as shared work: the check that tasks can share it, the findings of a task as the result of a
//! piece, and the speed in the progress line.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use indicatif::style::ProgressTracker;
use indicatif::{HumanCount, ProgressState};
use plyground::search::Monitor;
use plyground_cli::{Failure, ThreadsArgs};
use plyground_durable::input::STDIN;
use plyground_durable::work::{PieceError, WorkError, WorkFolder};
use plyground_durable::{excerpt, one_line};
use serde::{Deserialize, Serialize};

/// The findings of a piece of the work: the lines of a journal, or the values read from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part<T> {
    /// The number of positions visited.
    pub(crate) nodes: u64,
    /// CPU time (user and system), in nanoseconds.
    cpu_ns: u64,
    /// The findings.
    pub(crate) found: Vec<T>,
}

impl<T> Part<T> {
    /// Returns the CPU time (user and system).
    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns)
    }

    /// Reads the findings of a piece, each line with `parse`; `None` if the piece is not done.
    ///
    /// # Errors
    ///
    /// Returns an error if the result cannot be read, or has another form.
    pub(crate) fn read(
        folder: &WorkFolder,
        piece: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Part<T>>, WorkError> {
        let Some(bytes) = folder.result(piece)? else { return Ok(None) };
        let wrong = |why: &str| folder.wrong_result(piece, &why);
        let lines: Part<String> =
            serde_json::from_slice(&bytes).map_err(|error| wrong(&one_line(&error.to_string())))?;
        let Part { nodes, cpu_ns, found } = lines;
        let read =
            |line: &String| parse(line).ok_or_else(|| wrong(&format!("found `{}`", excerpt(line))));
        let found = found.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Some(Part { nodes, cpu_ns, found }))
    }
}

impl Part<String> {
    /// Makes the findings of a thread since this moment of its CPU time.
    pub(crate) fn new(begun: ThreadTime, nodes: u64, found: Vec<String>) -> Part<String> {
        let cpu_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Part { nodes, cpu_ns, found }
    }

    /// Returns the result in the form of its file.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, PieceError> {
        serde_json::to_vec(self).map_err(|error| PieceError::Failed(error.to_string()))
    }
}

/// Refuses arguments that belong to one process: threads, a journal, and a position from standard input.
pub(crate) fn check_shareable(
    command: &str,
    file: Option<&Path>,
    threads: &ThreadsArgs,
    journal: Option<&Path>,
) -> Result<(), Failure> {
    if threads.count.get() > 1 || journal.is_some() || file == Some(Path::new(STDIN)) {
        return Err(Failure::Usage(format!(
            "expected {command} of a file, without --threads and --journal, for tasks share it"
        )));
    }
    Ok(())
}

/// Returns the part of a progress line that shows the number of nodes a second.
pub(crate) fn speed_of(monitor: &Arc<Monitor>) -> impl ProgressTracker + use<> {
    let monitor = Arc::clone(monitor);
    move |state: &ProgressState, line: &mut dyn Write| {
        let seconds = state.elapsed().as_secs_f64().max(f64::EPSILON);
        // If the progress line cannot be written, the error cannot be shown either.
        let _ = write!(line, "{}", HumanCount((monitor.nodes() as f64 / seconds) as u64));
    }
}
