//! The processes below this one: what they use, and their end.

use std::collections::HashMap;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::message::End;
use super::process::Process;
use super::process_table::descendants;

/// The processes below this one, all of which began with one of them.
#[derive(Debug)]
pub(super) struct Tree {
    root: Pid,
    /// How the root ended.
    end: Option<End>,
    /// The CPU time that is known to have been used.
    cpu: Duration,
    watched: Watched,
}

/// The CPU time of each process, as far as it was seen.
///
/// The kernel knows it better, but forgets that of children of which their parent wants to know
/// nothing.
#[derive(Debug, Default)]
struct Watched {
    alive: HashMap<Pid, Duration>,
    /// What those had used when they were last seen who are gone.
    gone: Duration,
}

impl Watched {
    /// Takes notice of the processes that there are; the time of all that there ever were.
    fn update(&mut self, alive: &[Process]) -> Duration {
        let now: HashMap<Pid, Duration> =
            alive.iter().map(|process| (process.pid, process.cpu)).collect();
        for (pid, &before) in &self.alive {
            // A number may have been given to another process, whose time is its own.
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
pub(super) struct Usage {
    /// The CPU time of all that there ever were.
    pub(super) cpu: Duration,
    /// The memory of those that there are, in bytes.
    pub(super) memory: u64,
    /// How many there are.
    pub(super) processes: u32,
}

impl Tree {
    /// The processes that begin with `root`, a child of this one.
    pub(super) fn new(root: Pid) -> Tree {
        Tree { root, end: None, cpu: Duration::ZERO, watched: Watched::default() }
    }

    /// How the first process ended, if it has.
    pub(super) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// What the processes use now.
    pub(super) fn usage(&mut self) -> Usage {
        self.reap();
        // First what is known of the dead: who dies meanwhile is counted next time, and not twice.
        let reaped = reaped_cpu();
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

    /// What the memory of the processes comes to when pages that several share count once.
    pub(super) fn exact_memory() -> u64 {
        descendants().iter().map(Process::exact_memory).sum()
    }

    /// Takes notice of processes that have ended.
    pub(super) fn reap(&mut self) {
        while self.reap_one() == Reaped::One {}
    }

    fn reap_one(&mut self) -> Reaped {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) if pid == self.root => {
                self.end = Some(End::Exit(code))
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == self.root => {
                self.end = Some(End::Signal(signal.to_string()));
            }
            Ok(WaitStatus::StillAlive) => return Reaped::NobodyYet,
            Err(Errno::ECHILD) => {
                // Its status was lost: it had a signal that has no name.
                self.end.get_or_insert_with(|| End::Signal("unknown".to_owned()));
                return Reaped::NobodyLeft;
            }
            Ok(_) | Err(_) => {}
        }
        Reaped::One
    }

    /// Ends all processes, and does not return before they are gone.
    pub(super) fn kill(&mut self) {
        if self.end.is_none() {
            // A group is ended in one go, before anybody in it can start another process.
            let _ = killpg(self.root, Signal::SIGKILL);
            let _ = kill(self.root, Signal::SIGKILL);
        }
        loop {
            match self.reap_one() {
                Reaped::NobodyLeft => break,
                Reaped::One => {}
                Reaped::NobodyYet => {
                    for process in descendants() {
                        let _ = kill(process.pid, Signal::SIGKILL);
                    }
                    std::thread::sleep(BETWEEN_KILLS);
                }
            }
        }
        self.cpu = self.cpu.max(reaped_cpu());
    }

    /// The CPU time that is known to have been used.
    pub(super) fn cpu(&self) -> Duration {
        self.cpu
    }
}

/// The greatest memory that any single process had which is gone by now, in bytes.
pub(super) fn greatest_memory() -> u64 {
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(0, |usage| u64::try_from(usage.max_rss()).unwrap_or(0) * unit)
}

/// How long to wait for processes to end that have been told to.
const BETWEEN_KILLS: Duration = Duration::from_micros(200);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reaped {
    One,
    NobodyYet,
    NobodyLeft,
}

/// The CPU time of the processes that are gone, and of those that they had outlived.
fn reaped_cpu() -> Duration {
    let time =
        |time: TimeVal| Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0));
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(Duration::ZERO, |usage| time(usage.user_time()) + time(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_dead_is_not_forgotten() {
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
        // Another process with the same number.
        assert_eq!(watched.update(&[process(2, 1), process(3, 1)]), seconds(8));
        assert_eq!(watched.update(&[]), seconds(8));
    }
}
