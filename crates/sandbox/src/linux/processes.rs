//! Looks at the processes of a program, by what `/proc` says of them.

use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::{Pid, SysconfVar, sysconf};
use rustix::process::{PidfdFlags, pidfd_open};

use crate::looker::Looker;
use crate::system::proc::text_of;

/// A process, as a supervisor sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// A thread that has not ended, by which the memory is seen.
    pub(crate) thread: Pid,
    /// The CPU time that the process itself has used.
    pub(crate) cpu: Duration,
    /// The CPU time of its children that are gone.
    pub(crate) cpu_of_children: Duration,
    /// The memory that the process occupies, in bytes. Memory shared with others counts in full.
    pub(crate) memory: u64,
}

impl Process {
    /// Returns the memory that the process occupies, in bytes. Of memory shared with others, only
    /// its share counts.
    pub(crate) fn exact_memory(&self) -> u64 {
        let rollup = text_of(format!("/proc/{}/task/{}/smaps_rollup", self.pid, self.thread));
        let Ok(rollup) = rollup else { return self.memory };
        let [share, resident] = ["Pss:", "Rss:"].map(|key| kib_after(&rollup, key));
        let (Some(share), Some(resident)) = (share, resident) else { return self.memory };
        // The arguments of a program that is about to start count as resident, and are in no mapping.
        let unmapped = self.memory.min(resident_now(self.pid)).saturating_sub(resident * 1024);
        share * 1024 + unmapped
    }
}

/// Waits until a child of this process has ended, for this time at most.
pub(crate) fn wait_for_end(child: Pid, time: Duration) {
    let Some(end) = end_of(child) else {
        return thread::sleep(time);
    };
    let time = PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX);
    // A signal ends the wait early, and the caller asks again.
    let _ = poll(&mut [PollFd::new(end.as_fd(), PollFlags::POLLIN)], time);
}

/// Returns a descriptor in which there is something to read when a child has ended, if the kernel gives one.
pub(crate) fn end_of(child: Pid) -> Option<OwnedFd> {
    let child = rustix::process::Pid::from_raw(child.as_raw())?;
    pidfd_open(child, PidfdFlags::empty()).ok()
}

/// Returns the memory that a process occupies now, in bytes.
fn resident_now(pid: Pid) -> u64 {
    let status = text_of(format!("/proc/{pid}/status")).unwrap_or_default();
    kib_after(&status, "VmRSS:").unwrap_or(0) * 1024
}

/// The memory of processes beside its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// They may occupy as much.
    Fits,
    /// They occupy more.
    Exceeds,
    /// They seem to occupy more, and to find out would take too long.
    Unknown,
}

/// Returns whether processes occupy more than `most` bytes, with `held` bytes that are part of none.
pub(crate) fn exceeds_memory(
    processes: Vec<Process>,
    most: u64,
    held: u64,
    looker: &Looker,
) -> Memory {
    let most = most.saturating_sub(held);
    if processes.iter().map(|process| process.memory).sum::<u64>() <= most {
        return Memory::Fits;
    }
    // Pages that several share are counted once only where it matters, for that takes longer.
    looker.look(move || exceeds_exactly(&processes, most)).unwrap_or(Memory::Unknown)
}

fn exceeds_exactly(processes: &[Process], most: u64) -> Memory {
    let mut exact = 0;
    for process in processes {
        exact += process.exact_memory();
        if exact > most {
            return Memory::Exceeds;
        }
    }
    Memory::Fits
}

/// Returns the descendants of this process.
pub(crate) fn descendants() -> Vec<Process> {
    let own = Pid::this();
    // Orphans become children of the main thread, which also started the first process.
    let mut pending = children_of_thread(own, own);
    let mut all = Vec::new();
    let Some(pending) = &mut pending else { return scan_for_descendants(own) };
    while let Some(pid) = pending.pop() {
        // The process comes before its children, so that none that has lost its parent meanwhile
        // counts twice.
        all.extend(look_at(pid).map(|(process, _)| process));
        pending.extend(children(pid));
    }
    all
}

fn children(pid: Pid) -> Vec<Pid> {
    threads(pid).filter_map(|thread| children_of_thread(pid, thread)).flatten().collect()
}

/// Returns the threads of a process.
pub(crate) fn threads(pid: Pid) -> impl Iterator<Item = Pid> {
    numbers(&format!("/proc/{pid}/task"))
}

/// Returns the processes or threads that a folder has entries for.
fn numbers(folder: &str) -> impl Iterator<Item = Pid> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw)
}

/// Returns `None` when the thread is gone, or the kernel keeps no such lists.
fn children_of_thread(pid: Pid, thread: Pid) -> Option<Vec<Pid>> {
    let list = text_of(format!("/proc/{pid}/task/{thread}/children")).ok()?;
    let numbers = list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
    Some(numbers.map(Pid::from_raw).collect())
}

/// Returns the descendants of `ancestor`, found among all processes of the system.
fn scan_for_descendants(ancestor: Pid) -> Vec<Process> {
    let mut others: Vec<(Process, Pid)> = numbers("/proc").filter_map(look_at).collect();
    let (mut known, mut all) = (vec![ancestor], Vec::new());
    while let Some(parent) = known.pop() {
        let (own, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, of)| *of == parent);
        known.extend(own.iter().map(|(process, _)| process.pid));
        all.extend(own.into_iter().map(|(process, _)| process));
        others = rest;
    }
    all
}

/// Fields of `/proc/PID/stat` after the name of the program. proc(5) counts them from 3.
const STATE: usize = 0;
const PARENT: usize = 1;
const FLAGS: usize = 6;
const USER_TIME: usize = 11;
const SYSTEM_TIME: usize = 12;
const CHILDREN_USER_TIME: usize = 13;
const CHILDREN_SYSTEM_TIME: usize = 14;
const START_TIME: usize = 19;
const RESIDENT_PAGES: usize = 21;

/// Returns a process and its parent.
fn look_at(pid: Pid) -> Option<(Process, Pid)> {
    let stat = text_of(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = fields(&stat)?.collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let ticks = |index| Some(Duration::from_secs(number(index)?) / ticks_per_second());
    // The clock of a process is finer than ticks, but does not include its children.
    let cpu = cpu_clock(pid).or_else(|| Some(ticks(USER_TIME)? + ticks(SYSTEM_TIME)?))?;
    let cpu_of_children = ticks(CHILDREN_USER_TIME)? + ticks(CHILDREN_SYSTEM_TIME)?;
    let (mut thread, mut pages) = (pid, number(RESIDENT_PAGES)?);
    // A first thread that has ended has no memory any more; the others still have it.
    if *fields.get(STATE)? == "Z"
        && let Some(alive) = live_thread(pid)
    {
        (thread, pages) = (alive, resident_pages(pid, alive).unwrap_or(0));
    }
    let parent = Pid::from_raw(fields.get(PARENT)?.parse().ok()?);
    Some((Process { pid, thread, cpu, cpu_of_children, memory: pages * page_size() }, parent))
}

/// Returns whether a thread runs or waits for a processor, and the time at which it started, in ticks since the
/// start of the computer; `None` when it is gone.
pub(crate) fn is_ready_since(pid: Pid, thread: Pid) -> Option<(bool, u64)> {
    let stat = text_of(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    let fields: Vec<&str> = fields(&stat)?.collect();
    Some((*fields.get(STATE)? == "R", fields.get(START_TIME)?.parse().ok()?))
}

fn resident_pages(pid: Pid, thread: Pid) -> Option<u64> {
    let stat = text_of(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    fields(&stat)?.nth(RESIDENT_PAGES)?.parse().ok()
}

/// Returns the fields of `/proc/PID/stat` after the name of the program.
fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    // The name is in parentheses, and may contain parentheses.
    Some(stat[stat.rfind(')')? + 1..].split_ascii_whitespace())
}

/// The state of a thread, as the kernel tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// It runs, waits for a processor, or waits in the kernel for something that comes soon.
    Running,
    /// It waits for something, or is stopped.
    Waiting,
    /// It ends, or has ended: it has given up its memory, or soon will.
    Ending,
}

/// The flag of a thread that has begun to end.
const ENDING: u32 = 0x4;

pub(super) fn doing(pid: Pid, thread: Pid) -> Doing {
    look_at_thread(pid, thread).unwrap_or(Doing::Ending)
}

/// Returns `None` when the thread is gone.
fn look_at_thread(pid: Pid, thread: Pid) -> Option<Doing> {
    let (state, is_ending) = state(pid, thread)?;
    Some(match state {
        'Z' | 'X' => Doing::Ending,
        _ if is_ending => Doing::Ending,
        'R' | 'D' => Doing::Running,
        _ => Doing::Waiting,
    })
}

/// Returns the letter that the kernel has for the state of a thread, and true if the thread has begun to
/// end; `None` when it is gone.
fn state(pid: Pid, thread: Pid) -> Option<(char, bool)> {
    let stat = text_of(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    let fields: Vec<&str> = fields(&stat)?.collect();
    let flags: u32 = fields.get(FLAGS)?.parse().ok()?;
    Some((fields.get(STATE)?.chars().next()?, flags & ENDING != 0))
}

/// Returns a thread of a process that has not begun to end; `None` if all have.
pub(crate) fn live_thread(pid: Pid) -> Option<Pid> {
    threads(pid).find(|&thread| doing(pid, thread) != Doing::Ending)
}

/// Returns the CPU time of a process; `None` if it is gone.
pub(crate) fn cpu_clock(pid: Pid) -> Option<Duration> {
    clock_getcpuclockid(pid).and_then(ClockId::now).map(Duration::from).ok()
}

/// Returns true if every thread of these processes is stopped, ends, or waits in the kernel for something
/// that is not its program: it is stopped then, like a parent until its child of `vfork` is another program.
pub(crate) fn are_stopped(processes: &[Process]) -> bool {
    let is_stopped = |pid, thread| {
        state(pid, thread).is_none_or(|(state, is_ending)| is_ending || "TtDZX".contains(state))
    };
    processes
        .iter()
        .all(|process| threads(process.pid).all(|thread| is_stopped(process.pid, thread)))
}

/// Returns true if every thread of these processes is stopped or dead, so that none can let another go on.
///
/// One that ends may yet: the kernel lets those go on that its death leaves without a parent in their session.
pub(crate) fn are_at_rest(processes: &[Process]) -> bool {
    let is_at_rest =
        |pid, thread| state(pid, thread).is_none_or(|(state, _)| "TtZX".contains(state));
    let mut threads =
        processes.iter().flat_map(|process| threads(process.pid).map(|t| (process.pid, t)));
    threads.all(|(pid, thread)| is_at_rest(pid, thread))
}

/// Returns true if every one of these processes stands still, or is gone.
///
/// A thread that is told to stop may have work in the kernel left, and one that ends gives up its memory
/// whatever it is told.
pub(crate) fn are_still(processes: &[Process]) -> bool {
    let moves = |pid, thread| match state(pid, thread) {
        None | Some(('Z' | 'X', _)) => false,
        Some((state, is_ending)) => state == 'R' || is_ending,
    };
    processes.iter().all(|process| !threads(process.pid).any(|thread| moves(process.pid, thread)))
}

fn ticks_per_second() -> u32 {
    let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten();
    ticks.and_then(|ticks| u32::try_from(ticks).ok()).filter(|&ticks| ticks > 0).unwrap_or(100)
}

fn page_size() -> u64 {
    let size = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    size.and_then(|size| u64::try_from(size).ok()).unwrap_or(4096)
}

pub(super) fn kib_after(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
