//! Replaces `process_table` where there is no `/proc`: nothing is known of other processes.

use crate::process::Process;

impl Process {
    pub(crate) fn exact_memory(&self) -> u64 {
        self.memory
    }
}

/// Returns no processes, since none are known.
pub(crate) fn descendants() -> Vec<Process> {
    Vec::new()
}
