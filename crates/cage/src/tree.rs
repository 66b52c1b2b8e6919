//! The descendants of the supervisor: what they use, and how they end.

use std::collections::HashMap;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::WaitStatus;
use nix::unistd::Pid;

use crate::end::ProcessEnd;
use crate::process::Process;
use crate::process_table::descendants;
use crate::reach::Reach;

/// The descendants of this process, all of which stem from its only child.
#[derive(Debug)]
pub(crate) struct Tree {
    root: Pid,
    /// How the processes are signaled.
    reach: Reach,
    /// How the root ended, if it has.
    end: Option<ProcessEnd>,
    /// The CPU time that is known to have been used.
    cpu: Duration,
    /// The CPU time of the processes that are gone, and of those that they had waited for.
    reaped: Duration,
    /// The greatest memory of any single process that is gone, in bytes.
    greatest_memory: u64,
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

/// What the processes use together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// The CPU time of all processes that ever were.
    pub(crate) cpu: Duration,
    /// The memory of the processes that are alive, in bytes.
    pub(crate) memory: u64,
    /// How many processes are alive.
    pub(crate) processes: u32,
}

impl Tree {
    /// Returns the tree that stems from `root`, a child of this process.
    pub(crate) fn new(root: Pid, reach: Reach) -> Tree {
        Tree {
            root,
            reach,
            end: None,
            cpu: Duration::ZERO,
            reaped: Duration::ZERO,
            greatest_memory: 0,
            watched: Watched::default(),
        }
    }

    /// Returns how the root ended, if it has.
    pub(crate) fn end(&self) -> Option<&ProcessEnd> {
        self.end.as_ref()
    }

    /// Measures what the processes use now.
    pub(crate) fn usage(&mut self) -> Usage {
        self.reap();
        // The dead come first: a process that dies meanwhile counts next time, and not twice.
        let reaped = self.reaped;
        let alive = descendants();
        let living: Duration =
            alive.iter().map(|process| process.cpu + process.cpu_of_children).sum();
        self.cpu = self.cpu.max(reaped + living).max(self.watched.update(&alive));
        Usage {
            cpu: self.cpu,
            memory: alive.iter().map(|process| process.memory).sum(),
            processes: u32::try_from(alive.len()).unwrap_or(u32::MAX),
        }
    }

    /// Returns the numbers of the processes that are alive.
    pub(crate) fn processes() -> Vec<Pid> {
        descendants().iter().map(|process| process.pid).collect()
    }

    /// Measures the memory of the processes, with pages that several share counted once.
    pub(crate) fn exact_memory() -> u64 {
        descendants().iter().map(Process::exact_memory).sum()
    }

    /// Records processes that have ended.
    pub(crate) fn reap(&mut self) {
        while self.reap_one() == Reaped::One {}
    }

    fn reap_one(&mut self) -> Reaped {
        let (status, used) = match reap() {
            Ok(Some(reaped)) => reaped,
            Ok(None) => return Reaped::NoneYet,
            Err(Errno::ECHILD) => {
                // The status was lost, since the signal has no name.
                self.end.get_or_insert_with(|| ProcessEnd::Signal("unknown".to_owned()));
                return Reaped::NoneLeft;
            }
            Err(_) => return Reaped::One,
        };
        self.reaped += used.cpu;
        self.greatest_memory = self.greatest_memory.max(used.memory);
        match status {
            Ok(WaitStatus::Exited(pid, code)) if pid == self.root => {
                self.end = Some(ProcessEnd::Exit(code));
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == self.root => {
                self.end = Some(ProcessEnd::Signal(signal.to_string()));
            }
            Ok(_) | Err(_) => {}
        }
        Reaped::One
    }

    /// Stops all processes until [`resume`](Tree::resume).
    pub(crate) fn freeze(&self) {
        self.reach.signal_all(Signal::SIGSTOP);
    }

    /// Lets all processes go on.
    pub(crate) fn resume(&self) {
        self.reach.signal_all(Signal::SIGCONT);
    }

    /// Kills all processes, and returns when they are gone.
    pub(crate) fn kill(&mut self) {
        if self.end.is_none() {
            // Killing the group is atomic: no process in it can start another meanwhile.
            let _ = killpg(self.root, Signal::SIGKILL);
            let _ = kill(self.root, Signal::SIGKILL);
        }
        self.reach.signal_all(Signal::SIGKILL);
        loop {
            match self.reap_one() {
                // Orphans are children of this process, so there is nobody else.
                Reaped::NoneLeft => break,
                Reaped::One => {}
                Reaped::NoneYet => {
                    std::thread::sleep(BETWEEN_KILLS);
                    self.reach.signal_all(Signal::SIGKILL);
                }
            }
        }
        self.cpu = self.cpu.max(self.reaped);
    }

    /// Returns the greatest memory, in bytes, of any single process that is gone.
    pub(crate) fn greatest_memory(&self) -> u64 {
        self.greatest_memory
    }

    /// Returns the CPU time that is known to have been used.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu
    }
}

/// How long to wait before killing the processes that are left.
const BETWEEN_KILLS: Duration = Duration::from_micros(200);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reaped {
    One,
    NoneYet,
    NoneLeft,
}

/// What a process that is gone has used, together with those that it had waited for.
struct Used {
    cpu: Duration,
    /// In bytes.
    memory: u64,
}

/// How a process ended. An error stands for a signal without a name.
type Status = nix::Result<WaitStatus>;

/// Returns how a child ended that nobody has waited for, or `None` if all children are alive.
fn reap() -> nix::Result<Option<(Status, Used)>> {
    let mut status = 0;
    // SAFETY: all zeros are a valid value, and the call fills it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointers are to values that outlive the call.
    let pid = unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG, &raw mut usage) };
    if Errno::result(pid)? == 0 {
        return Ok(None);
    }
    let time = |time: libc::timeval| {
        let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
        seconds + Duration::from_micros(u64::from(time.tv_usec.unsigned_abs() as u32))
    };
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let used = Used {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        memory: usage.ru_maxrss.unsigned_abs() * unit,
    };
    Ok(Some((WaitStatus::from_raw(Pid::from_raw(pid), status), used)))
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
