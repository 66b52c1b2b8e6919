//! The clock of a process and all its descendants, including children that ended before any look at them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use super::confine::processors;
use super::processes::{children, threads};
use crate::looker::Process;

/// A counter of the CPU time of a program and all its descendants.
#[derive(Debug)]
pub(crate) struct TaskClock(File);

/// The attributes that perf_event_open(2) reads, in their first version.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    counter: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    breakpoint: u64,
}

const SOFTWARE: u32 = 1;
const TASK_CLOCK: u64 = 1;
/// The flags `disabled`, `inherit` and `enable_on_exec`, and `exclude_kernel` and `exclude_hv`, without which
/// ordinary users may not count.
const FLAGS: u64 = 1 | 1 << 1 | 1 << 12 | 1 << 5 | 1 << 6;

impl TaskClock {
    /// Returns the clock of the program that this thread starts next, and of all later programs as long as
    /// the clock exists.
    ///
    /// The clock stands still in this thread, whose children inherit it, and runs in a child from the moment
    /// at which the child becomes a program. Therefore no child of the program is older than the clock. Also,
    /// this process need not look at the child, which it may not do before that moment.
    pub(crate) fn of_next_program() -> io::Result<TaskClock> {
        let attributes = Attributes {
            kind: SOFTWARE,
            size: size_of::<Attributes>() as u32,
            counter: TASK_CLOCK,
            flags: FLAGS,
            ..Attributes::default()
        };
        const THIS_THREAD: libc::pid_t = 0;
        const ANY_PROCESSOR: i32 = -1;
        const NO_GROUP: i32 = -1;
        const CLOSE_ON_EXEC: u64 = 8;
        // SAFETY: the pointer is to a value of the size that it names.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                THIS_THREAD,
                ANY_PROCESSOR,
                NO_GROUP,
                CLOSE_ON_EXEC,
            )
        };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and no other value has it.
        Ok(TaskClock(unsafe { File::from_raw_fd(descriptor as i32) }))
    }

    /// Returns the CPU time so far.
    pub(crate) fn read(&self) -> io::Result<Duration> {
        let mut count = [0; 8];
        (&self.0).read_exact(&mut count)?;
        Ok(Duration::from_nanos(u64::from_ne_bytes(count)))
    }
}

/// The processes and threads of a namespace that were born and died between two looks, according to the
/// process numbers that are used up. Where no clock counts them, this bounds the CPU time that they may have
/// used.
#[derive(Debug)]
pub(crate) struct Births {
    /// The file whose last word is the last number that the kernel has assigned.
    numbers: File,
    /// That number, and the time at which it was read.
    last: u32,
    read: Instant,
    seen: HashSet<Pid>,
    /// The processes among `seen`.
    processes: HashSet<Pid>,
    /// The number of births minus the number of processes and threads seen. It is below zero if some were
    /// seen before their birth counts.
    balance: i64,
    /// If true, processes of other programs are born in the namespace as well.
    is_shared: bool,
    unseen: Duration,
}

impl Births {
    /// Begins to count, by a file of the kernel whose last word is the last number. Returns `None` if the
    /// file has no number.
    pub(crate) fn from_now(numbers: &File) -> Option<Births> {
        let numbers = numbers.try_clone().ok()?;
        let (last, seen) = (last_number(&numbers)?, threads(Pid::this()).collect());
        let (read, unseen) = (Instant::now(), Duration::ZERO);
        let processes = HashSet::new();
        Some(Births { numbers, last, read, seen, processes, balance: 0, is_shared: false, unseen })
    }

    /// Begins to count the births of all programs in the namespace of this process.
    ///
    /// Births count at the looks that see a process of the program that is new, has ended, or ends just now.
    /// Looks come at random times, so the share of such looks is the share of the time with such processes,
    /// and a program without such processes does not pay for those of other programs.
    pub(crate) fn of_all() -> Option<Births> {
        let births = Births::from_now(&File::open("/proc/loadavg").ok()?)?;
        Some(Births { is_shared: true, ..births })
    }

    /// Looks again at the processes that are alive. Returns the most CPU time that unseen processes may have
    /// used so far: each of them lived, or ended, between two looks, on one of the processors.
    pub(crate) fn unseen(&mut self, alive: &[Process]) -> Duration {
        let (last, read) = (last_number(&self.numbers), Instant::now());
        let Some(last) = last else { return self.unseen };
        let own = threads(Pid::this());
        let seen = alive.iter().flat_map(|process| threads(process.pid)).chain(own).collect();
        let new = HashSet::difference(&seen, &self.seen).count();
        self.seen = seen;
        let processes: HashSet<Pid> = alive.iter().map(|process| process.pid).collect();
        let gone = self.processes.difference(&processes).count();
        let mut children = alive.iter().flat_map(|process| children(process.pid));
        let is_own = !self.is_shared
            || gone > 0
            || !processes.is_subset(&self.processes)
            || children.any(|child| !processes.contains(&child));
        self.processes = processes;
        let since = read.saturating_duration_since(std::mem::replace(&mut self.read, read));
        self.add(last, new, gone, if is_own { since } else { Duration::ZERO });
        self.unseen
    }

    /// Records the last number after the time `since`, in which `new` processes and threads were seen first
    /// and `gone` seen processes ended.
    fn add(&mut self, last: u32, new: usize, gone: usize, since: Duration) {
        // After the greatest number, the kernel starts again at low numbers, so any number of births is
        // possible.
        let born = last.checked_sub(self.last).map_or(i64::from(u32::MAX), i64::from);
        self.last = last;
        self.balance += born - i64::try_from(new).unwrap_or(i64::MAX);
        let most = i64::from(processors());
        let gone = i64::try_from(gone).unwrap_or(i64::MAX);
        let running = self.balance.max(0).saturating_add(gone).min(most);
        let running = u32::try_from(running).unwrap_or(u32::MAX);
        self.unseen += since * running;
        self.balance = self.balance.min(0);
    }
}

/// Returns the number of the last process or thread of the namespace.
fn last_number(numbers: &File) -> Option<u32> {
    let mut text = [0; 100];
    let length = numbers.read_at(&mut text, 0).ok()?;
    str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::processes::look_at;
    use super::*;

    #[test]
    fn births_that_nobody_sees_count_with_all_the_time_of_a_look() {
        let mut births = Births::of_all().expect("a number");
        births.last = 100;
        let look = Duration::from_millis(10);
        births.add(103, 3, 0, look);
        assert_eq!(births.unseen, Duration::ZERO);
        // A process is seen before its birth counts.
        births.add(104, 2, 0, look);
        births.add(105, 0, 0, look);
        assert_eq!(births.unseen, Duration::ZERO);
        births.add(107, 1, 0, look);
        assert_eq!(births.unseen, look);
        // A process that was seen may have run until it ended.
        births.add(107, 0, 1, look);
        assert_eq!(births.unseen, 2 * look);
        // Never more than all processors can do.
        births.add(10_000, 0, 0, look);
        births.add(7, 0, 0, look);
        assert_eq!(births.unseen, 2 * look + 2 * processors() * look);
    }

    #[test]
    fn births_are_those_of_processes_that_are_gone() -> io::Result<()> {
        let mut births = Births { is_shared: false, ..Births::of_all().expect("a number") };
        for _ in 0..5 {
            Command::new("true").status()?;
        }
        assert!(births.unseen(&[]) > Duration::ZERO);
        Ok(())
    }

    #[test]
    fn births_of_others_count_while_there_are_own_ones() -> io::Result<()> {
        let mut births = Births::of_all().expect("a number");
        let mut unseen = |alive: &[Process]| {
            Command::new("true").status()?;
            io::Result::Ok(births.unseen(alive))
        };
        assert_eq!(unseen(&[])?, Duration::ZERO);
        let own = look_at(Pid::this()).expect("this process");
        let first = unseen(std::slice::from_ref(&own))?;
        assert!(first > Duration::ZERO);
        assert!(unseen(&[])? > first, "one has ended");
        let before = unseen(&[])?;
        assert_eq!(unseen(&[])?, before);
        Ok(())
    }

    #[test]
    fn clock_runs_from_the_beginning_of_a_program_on() -> io::Result<()> {
        // Not every kernel lets this user count.
        let Ok(clock) = TaskClock::of_next_program() else { return Ok(()) };
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(20) {}
        assert_eq!(clock.read()?, Duration::ZERO);
        // No process waits for the child that works, and the program is gone by now.
        let work = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done";
        let status = Command::new("sh").args(["-c", &format!("({work}) & wait")]).status()?;
        assert!(status.success());
        assert!(clock.read()? > Duration::from_millis(1), "{:?}", clock.read()?);
        Ok(())
    }
}
