//! The check that tasks can share a question.

use std::path::Path;

use plyground_cli::{Failure, ThreadsArgs};
use plyground_durable::input::STDIN;

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
