//! The control over all processes of a program together, which measures, stops and kills them; and the time
//! in which a supervisor itself is stopped, which its patience does not count.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::failure::ProcessEnd;
use crate::launch::Ids;
use crate::limits::Deadline;
use crate::looker::{Counters, Looker, Memory, Process};
use crate::system::cgroup::Cgroup;
use crate::system::processes::{
    are_stopped, cpu_clock, descendants, exceeds_memory, is_stopped, others_in_namespace,
};
use crate::system::task_clock::{Births, TaskClock};

/// The resources that the processes use together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// The CPU time of all processes, past and present.
    pub(crate) cpu: Duration,
    /// The number of processes that are alive.
    pub(crate) processes: u32,
    /// The most CPU time that further processes may have used, which were born and died between two looks.
    pub(crate) unseen: Duration,
}

/// The number of times in a row at which all processes must be seen stopped.
const TIMES_STOPPED: u32 = 3;
/// The time between two checks of the condition of a [`Patience`].
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// The pause before all processes are stopped again because some were not.
const BETWEEN_STOPS: Duration = Duration::from_micros(200);

/// The processes that a supervisor signals.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach {
    /// Every process of the namespace but the supervisor. The kernel signals them in one step.
    Namespace,
    /// Every process of a user. The kernel signals them in one step.
    User(Ids),
    /// The descendants of the supervisor, one after another.
    Descendants,
}

impl Reach {
    fn signal_all(self, signal: Signal) {
        /// The number of rounds, for processes that are started meanwhile.
        const ROUNDS: usize = 3;
        match self {
            Reach::Namespace => {
                let _ = kill(Pid::from_raw(-1), signal);
            }
            Reach::User(ids) => ids.signal(signal),
            Reach::Descendants => {
                for _ in 0..ROUNDS {
                    for process in descendants() {
                        let _ = kill(process.pid, signal);
                    }
                }
            }
        }
    }
}

/// The measuring, stopping and killing of all processes of one run of a program: by its control group, if there is
/// one. Otherwise, and for everything that the group does not do, the supervisor looks at each process and signals it.
#[derive(Debug)]
pub(crate) struct Control {
    group: Option<Grouped>,
    reach: Reach,
    watched: Watched,
    /// The processes that the program itself had stopped before the supervisor stopped all, until it resumes
    /// the rest.
    stopped: RefCell<Option<Vec<Pid>>>,
    /// The clock of the kernel for the first process and all its descendants, if there is one and no group.
    clock: Option<TaskClock>,
    /// The count of the processes that no look has seen, if there is neither a clock nor a group.
    births: Option<Births>,
}

/// A control group, which contains no other processes.
#[derive(Debug)]
struct Grouped {
    group: Rc<Cgroup>,
    /// The counters of the group after earlier runs in the same sandbox.
    before: Counters,
    /// The CPU time of the group at the last look.
    seen: Duration,
}

/// The CPU time of each process when it was last seen.
///
/// The sums of the kernel are more exact, but leave out children whose parent ignores their exit.
#[derive(Debug, Default)]
struct Watched {
    alive: HashMap<Pid, Duration>,
    /// The CPU time of processes that are gone, when they were last seen.
    gone: Duration,
}

impl Watched {
    /// Records the processes that are alive. Returns the CPU time of all processes, past and present.
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

impl Control {
    /// Returns the control of the program that this thread starts next. It must be made before the start, because the
    /// counters of a group, or a clock, begin before the program does.
    ///
    /// Without a group and a clock, `births` counts the processes that no look sees.
    pub(crate) fn of_next_program(
        reach: Reach,
        group: Option<Rc<Cgroup>>,
        births: impl FnOnce() -> Option<Births>,
    ) -> Control {
        let group = group.map(|group| {
            let before = group.counters().unwrap_or_default();
            Grouped { group, before, seen: Duration::ZERO }
        });
        let clock = if group.is_none() { TaskClock::of_next_program().ok() } else { None };
        let births = if group.is_none() && clock.is_none() { births() } else { None };
        let (watched, stopped) = (Watched::default(), RefCell::default());
        Control { group, reach, watched, stopped, clock, births }
    }

    fn group(&self) -> Option<&Cgroup> {
        self.group.as_ref().map(|it| &*it.group)
    }

    /// Returns the number of processes that are alive or not yet reaped, if the kernel reports it without a
    /// look at each process. Such looks take long while the processes leave this process next to no CPU time.
    pub(crate) fn number(&self) -> Option<u32> {
        match (self.group(), self.reach) {
            (Some(group), _) => group.processes().ok(),
            (None, Reach::Namespace) => Some(others_in_namespace()),
            (None, Reach::User(_) | Reach::Descendants) => None,
        }
    }

    /// Returns the CPU time of all processes, past and present, if the kernel has a clock for it. This costs
    /// next to nothing.
    pub(crate) fn clock(&self) -> Option<Duration> {
        match self.group() {
            Some(group) => group.cpu().ok(),
            None => self.task_clock(),
        }
    }

    /// Returns the CPU time of the processes: by the [clock](Control::clock), or else of those that are alive.
    pub(crate) fn cpu(&self) -> Duration {
        self.clock().unwrap_or_else(|| cpu_of(&descendants()))
    }

    fn task_clock(&self) -> Option<Duration> {
        self.clock.as_ref().and_then(|clock| clock.read().ok())
    }

    /// Measures the use of the processes. `gone` is the CPU time of the reaped processes.
    pub(crate) fn usage(&mut self, gone: Duration) -> Usage {
        // If another process has removed the group, the processes themselves are left.
        if let Some(Grouped { group, before, seen }) = &mut self.group
            && let (Ok(cpu), Ok(processes)) = (group.cpu(), group.processes())
        {
            *seen = cpu;
            let cpu = cpu.saturating_sub(before.cpu);
            return Usage { cpu, processes, ..Usage::default() };
        }
        let alive = descendants();
        let watched = self.watched.update(&alive);
        Usage {
            cpu: (gone + cpu_of(&alive)).max(watched).max(self.task_clock().unwrap_or_default()),
            processes: u32::try_from(alive.len()).unwrap_or(u32::MAX),
            unseen: self.births.as_mut().map(|births| births.unseen(&alive)).unwrap_or_default(),
        }
    }

    /// Returns true if the processes have used CPU time since the last look at their [usage](Control::usage).
    ///
    /// This costs next to nothing, if no process has been started since.
    pub(crate) fn has_run(&self) -> bool {
        if let Some(Grouped { group, seen, .. }) = &self.group
            && let Ok(cpu) = group.cpu()
        {
            return cpu != *seen;
        }
        self.watched.alive.iter().any(|(&pid, &cpu)| cpu_clock(pid) != Some(cpu))
    }

    /// Checks that the processes occupy at most `most` bytes of memory, unless the kernel enforces that
    /// limit. `held` is the memory that they hold in the kernel.
    pub(crate) fn memory(&self, most: u64, held: u64, looker: &Looker) -> Memory {
        // The kernel charges no group for some of the held memory.
        if self.group().is_some_and(Cgroup::limits_memory) && held <= most {
            return Memory::Fits;
        }
        exceeds_memory(descendants(), most, held, looker)
    }

    /// Stops all processes until [`resume`](Control::resume), and tries again as long as `patience` lasts.
    pub(crate) fn freeze(&self, patience: &mut Patience<'_>) {
        if self.group().is_some_and(|group| group.freeze().is_ok()) {
            return;
        }
        let stopped_before = || {
            let alive = descendants();
            // A single process must be resumed, because no other process could do that.
            let stopped = alive.iter().filter(|one| alive.len() > 1 && is_stopped(one.pid));
            stopped.map(|one| one.pid).collect()
        };
        self.stopped.borrow_mut().get_or_insert_with(stopped_before);
        // A process that is stopped late can resume processes that were stopped before it, and these can
        // resume it. Therefore the signal is sent until all processes are seen stopped several times in a
        // row.
        let all_stop = || {
            self.reach.signal_all(Signal::SIGSTOP);
            are_stopped(&descendants())
        };
        while !(0..TIMES_STOPPED).all(|_| all_stop()) && patience.waits(BETWEEN_STOPS) {}
    }

    pub(crate) fn resume(&self) {
        if self.group().is_some_and(|group| group.resume().is_ok()) {
            return;
        }
        let stopped = self.stopped.take().unwrap_or_default();
        if stopped.is_empty() {
            return self.reach.signal_all(Signal::SIGCONT);
        }
        for process in descendants().iter().filter(|process| !stopped.contains(&process.pid)) {
            let _ = kill(process.pid, Signal::SIGCONT);
        }
    }

    /// Sends all processes a signal that kills them. `root` is the first process, unless it was reaped.
    pub(crate) fn kill(&self, root: Option<Pid>) {
        if let Some(group) = self.group() {
            // Most programs that exchange files end by themselves and leave no process.
            let is_over = root.is_none() && group.processes().is_ok_and(|left| left == 0);
            if is_over || group.kill().is_ok() {
                return;
            }
        }
        if let Some(root) = root {
            // Killing the group is atomic: no process in it can start another meanwhile.
            let _ = killpg(root, Signal::SIGKILL);
            let _ = kill(root, Signal::SIGKILL);
        }
        self.reach.signal_all(Signal::SIGKILL);
    }

    /// Kills the processes that are left a moment after [`kill`](Control::kill).
    pub(crate) fn kill_rest(&self) {
        let _ = self.group().map(Cgroup::kill);
        // Without a sandbox, a program may have left its group.
        self.reach.signal_all(Signal::SIGKILL);
    }

    /// Returns the limit at which the kernel stopped the program, if it did.
    pub(crate) fn broken_limit(&self) -> Option<ProcessEnd> {
        let Grouped { group, before, .. } = self.group.as_ref()?;
        let now = group.counters().ok()?;
        if now.out_of_memory > before.out_of_memory {
            Some(ProcessEnd::MemoryLimit)
        } else if now.refused_processes > before.refused_processes {
            Some(ProcessEnd::Processes)
        } else {
            None
        }
    }
}

/// Returns the CPU time of these processes and of the children that they have reaped.
fn cpu_of(processes: &[Process]) -> Duration {
    processes.iter().map(|process| process.cpu + process.cpu_of_children).sum()
}

/// The time in which this process does not run although it waits for nothing, because it was stopped, for
/// example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    clock: ClockId,
    /// The moment from which the process waits for nothing, and its CPU time at that moment.
    since: (Instant, Duration),
}

impl Stall {
    /// Begins to measure, by the clock of this process or this thread.
    pub(crate) fn begin(clock: ClockId) -> Stall {
        Stall { clock, since: (Instant::now(), cpu_by(clock)) }
    }

    /// Returns the time so far, and begins again.
    pub(crate) fn take(&mut self) -> Duration {
        self.until((Instant::now(), cpu_by(self.clock)))
    }

    fn until(&mut self, now: (Instant, Duration)) -> Duration {
        let since = std::mem::replace(&mut self.since, now);
        now.0.saturating_duration_since(since.0).saturating_sub(now.1.saturating_sub(since.1))
    }
}

/// Returns the CPU time by the clock of this process or this thread.
pub(crate) fn cpu_by(clock: ClockId) -> Duration {
    clock.now().map_or(Duration::ZERO, Duration::from)
}

/// The time that is left for repeated attempts. Time counts while this thread runs or waits as it should, so
/// a pause of all processes does not count.
pub(crate) struct Patience<'c> {
    deadline: Deadline,
    stall: Stall,
    /// The check of a condition, without which the patience is over.
    holds: &'c mut dyn FnMut() -> bool,
    next_look: Instant,
}

impl<'c> Patience<'c> {
    /// Returns a patience of this time, from now on, as long as `holds` returns true.
    pub(crate) fn of(limit: Duration, holds: &'c mut dyn FnMut() -> bool) -> Patience<'c> {
        let stall = Stall::begin(ClockId::CLOCK_THREAD_CPUTIME_ID);
        let next_look = Instant::now() + BETWEEN_LOOKS;
        Patience { deadline: Deadline::after(limit), stall, holds, next_look }
    }

    /// Adds this time to the limit.
    pub(crate) fn extend(&mut self, time: Duration) {
        self.deadline.extend(time);
    }

    /// Waits for this time and returns true, unless the patience is over.
    pub(crate) fn waits(&mut self, time: Duration) -> bool {
        self.deadline.extend(self.stall.take());
        if self.deadline.is_over() {
            return false;
        }
        if Instant::now() >= self.next_look {
            if !(self.holds)() {
                return false;
            }
            self.next_look = Instant::now() + BETWEEN_LOOKS;
        }
        self.deadline.wait(time, thread::sleep);
        self.stall.take();
        true
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
            thread: Pid::from_raw(pid),
            parent: Pid::this(),
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

    #[test]
    fn stall_is_time_without_work() {
        let (begun, seconds) = (Instant::now(), Duration::from_secs);
        let clock = ClockId::CLOCK_PROCESS_CPUTIME_ID;
        let mut stall = Stall { clock, since: (begun, seconds(5)) };
        assert_eq!(stall.until((begun + seconds(2), seconds(7))), Duration::ZERO);
        // It works for 1 of 10 seconds, then with two threads.
        assert_eq!(stall.until((begun + seconds(12), seconds(8))), seconds(9));
        assert_eq!(stall.until((begun + seconds(13), seconds(10))), Duration::ZERO);
    }

    #[test]
    fn pause_between_two_tries_takes_no_patience() {
        let limit = Duration::from_millis(300);
        let mut holds = || true;
        let mut patience = Patience::of(limit, &mut holds);
        for _ in 0..2 {
            // All processes are stopped.
            thread::sleep(limit);
            assert!(patience.waits(Duration::ZERO));
        }
        assert!(!Patience::of(Duration::ZERO, &mut || true).waits(limit));
        // The first check comes after a while.
        let mut broken = || false;
        let mut patience = Patience::of(10 * limit, &mut broken);
        assert!(patience.waits(2 * BETWEEN_LOOKS) && !patience.waits(limit));
    }
}
