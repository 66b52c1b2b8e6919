//! What the kernel counts and does for the control group of a program.

use std::sync::Arc;
use std::time::Duration;

use nix::unistd::Pid;

use crate::accounting::Accounting;
use crate::cgroup::{Cgroup, Counters};
use crate::end::ProcessEnd;
use crate::tree_control::{TreeControl, Usage};

/// The processes of a program in a control group, in which there is nobody else.
#[derive(Debug)]
pub(crate) struct Grouped {
    group: Arc<Cgroup>,
    /// What the group had counted for earlier runs in the same sandbox.
    before: Counters,
    /// What does the rest.
    rest: Accounting,
}

impl Grouped {
    /// Returns the control of a run that has not started.
    pub(crate) fn new(group: Arc<Cgroup>, rest: Accounting) -> Grouped {
        let before = group.counters().unwrap_or_default();
        Grouped { group, before, rest }
    }
}

impl TreeControl for Grouped {
    fn usage(&mut self, gone: Duration) -> Usage {
        match (self.group.cpu(), self.group.processes()) {
            (Ok(cpu), Ok(processes)) => {
                Usage { cpu: cpu.saturating_sub(self.before.cpu), processes }
            }
            // Somebody has taken the group away.
            _ => self.rest.usage(gone),
        }
    }

    fn exceeds_memory(&self, most: u64, buffers: &dyn Fn(&[Pid]) -> u64) -> bool {
        !self.group.limits_memory() && self.rest.exceeds_memory(most, buffers)
    }

    fn freeze(&self) {
        if self.group.freeze().is_err() {
            self.rest.freeze();
        }
    }

    fn resume(&self) {
        if self.group.resume().is_err() {
            self.rest.resume();
        }
    }

    fn kill(&self, root: Option<Pid>) {
        // Nobody is left of a program that has ended by itself, as most do that exchange files.
        let is_over = root.is_none() && self.group.processes().is_ok_and(|left| left == 0);
        if !is_over && self.group.kill().is_err() {
            self.rest.kill(root);
        }
    }

    fn kill_rest(&self) {
        let _ = self.group.kill();
        // Without a sandbox, a program may have left its group.
        self.rest.kill_rest();
    }

    fn broken_limit(&self) -> Option<ProcessEnd> {
        let now = self.group.counters().ok()?;
        if now.out_of_memory > self.before.out_of_memory {
            Some(ProcessEnd::MemoryLimit)
        } else if now.refused_processes > self.before.refused_processes {
            Some(ProcessEnd::Processes)
        } else {
            None
        }
    }
}
