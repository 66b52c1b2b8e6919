//! In place of `process_table` where there is no `/proc`: nothing is known of other processes.

use super::process::Process;

impl Process {
    pub(super) fn exact_memory(&self) -> u64 {
        self.memory
    }
}

/// None that we know of.
pub(super) fn descendants() -> Vec<Process> {
    Vec::new()
}
