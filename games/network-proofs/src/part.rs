//! What a task has found out, as the result of a piece of shared work.

use std::time::Duration;

use cpu_time::ThreadTime;
use plyground_host::work::{PieceError, WorkError, WorkFolder};
use plyground_host::{excerpt, one_line};
use serde::{Deserialize, Serialize};

/// What was found out in a piece of the work: in the lines of a journal, or as they are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part<T> {
    /// The positions visited.
    pub(crate) nodes: u64,
    /// CPU time (user and system), in nanoseconds.
    cpu_ns: u64,
    /// What was found.
    pub(crate) found: Vec<T>,
}

impl<T> Part<T> {
    /// CPU time (user and system).
    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns)
    }

    /// What was found in a piece, each line as `parse` reads it; `None` if it is not done.
    ///
    /// # Errors
    ///
    /// When the result cannot be read, or is not what it should be.
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
    /// What a thread has found since this moment of its CPU time.
    pub(crate) fn new(begun: ThreadTime, nodes: u64, found: Vec<String>) -> Part<String> {
        let cpu_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Part { nodes, cpu_ns, found }
    }

    /// The result as it is kept.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, PieceError> {
        serde_json::to_vec(self).map_err(|error| PieceError::Failed(error.to_string()))
    }
}
