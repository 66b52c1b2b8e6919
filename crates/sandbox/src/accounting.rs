//! What a supervisor adds up and does itself, process by process.

use std::collections::HashMap;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::end::ProcessEnd;
use crate::process::Process;
use crate::process_table::descendants;
use crate::reach::Reach;
use crate::tree_control::{TreeControl, Usage};

/// The processes of a program, as the supervisor finds them among its descendants.
#[derive(Debug)]
pub(crate) struct Accounting {
    /// How the processes are signaled.
    reach: Reach,
    watched: Watched,
}

/// The CPU time of each process when it was last seen.
///
/// The kernel is more exact, but forgets children whose parent ignores their exit.
#[derive(Debug, Default)]
struct Watched {
    alive: HashMap<Pid, Duration>,
    /// What processes that are gone had used when they were last seen.
    gone: Duration,
}

impl Watched {
    /// Records the processes that are alive. Returns the CPU time of all that ever were.
    fn update(&mut self, alive: &[Process]) -> Duration {
        let now: HashMap<Pid, Duration> =
            alive.iter().map(|process| (process.pid, process.cpu)).collect();
        for (pid, &before) in &self.alive {
            // The OS may have reused the process ID for another process.
            if now.get(pid).is_none_or(|&cpu| cpu < before) {
                self.gone += before;
            }
        }
        self.alive = now;
        self.gone + self.alive.values().sum::<Duration>()
    }
}

impl Accounting {
    /// Returns the accounting of one run of a program.
    pub(crate) fn new(reach: Reach) -> Accounting {
        Accounting { reach, watched: Watched::default() }
    }
}

impl TreeControl for Accounting {
    fn usage(&mut self, gone: Duration) -> Usage {
        let alive = descendants();
        let living: Duration =
            alive.iter().map(|process| process.cpu + process.cpu_of_children).sum();
        Usage {
            cpu: (gone + living).max(self.watched.update(&alive)),
            processes: u32::try_from(alive.len()).unwrap_or(u32::MAX),
        }
    }

    fn exceeds_memory(&self, most: u64, buffers: &dyn Fn(&[Pid]) -> u64) -> bool {
        let alive = descendants();
        let pids: Vec<Pid> = alive.iter().map(|process| process.pid).collect();
        let buffers = buffers(&pids);
        let exceeds = |memory: u64| memory.saturating_add(buffers) > most;
        // Pages that several share are counted once only where it matters, for that takes longer.
        exceeds(alive.iter().map(|process| process.memory).sum())
            && exceeds(alive.iter().map(Process::exact_memory).sum())
    }

    fn freeze(&self) {
        self.reach.signal_all(Signal::SIGSTOP);
    }

    fn resume(&self) {
        self.reach.signal_all(Signal::SIGCONT);
    }

    fn kill(&self, root: Option<Pid>) {
        if let Some(root) = root {
            // Killing the group is atomic: no process in it can start another meanwhile.
            let _ = killpg(root, Signal::SIGKILL);
            let _ = kill(root, Signal::SIGKILL);
        }
        self.kill_rest();
    }

    fn kill_rest(&self) {
        self.reach.signal_all(Signal::SIGKILL);
    }

    fn broken_limit(&self) -> Option<ProcessEnd> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watched_keeps_time_of_ended_processes() {
        let seconds = Duration::from_secs;
        let process = |pid, cpu| Process {
            pid: Pid::from_raw(pid),
            cpu: seconds(cpu),
            cpu_of_children: seconds(100),
            memory: 0,
        };
        let mut watched = Watched::default();
        assert_eq!(watched.update(&[process(1, 2), process(2, 3)]), seconds(5));
        assert_eq!(watched.update(&[process(2, 4)]), seconds(6));
        // Another process with the same process ID.
        assert_eq!(watched.update(&[process(2, 1), process(3, 1)]), seconds(8));
        assert_eq!(watched.update(&[]), seconds(8));
    }
}
