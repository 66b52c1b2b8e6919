//! The descendants of this process, according to `/proc`.

use std::fs;
use std::time::Duration;

use nix::time::clock_getcpuclockid;
use nix::unistd::{Pid, SysconfVar, sysconf};

use crate::process::Process;

impl Process {
    /// Returns the memory that the process occupies, in bytes. Of memory shared with others, only
    /// its share counts.
    pub(crate) fn exact_memory(&self) -> u64 {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid));
        let kib = rollup.ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
            line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
        });
        kib.map_or(self.memory, |kib| kib * 1024)
    }
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
fn threads(pid: Pid) -> impl Iterator<Item = Pid> {
    numbers(&format!("/proc/{pid}/task"))
}

/// Returns the processes or threads that a folder has entries for.
fn numbers(folder: &str) -> impl Iterator<Item = Pid> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw)
}

/// Returns `None` when the thread is gone, or the kernel keeps no such lists.
fn children_of_thread(pid: Pid, thread: Pid) -> Option<Vec<Pid>> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).ok()?;
    Some(
        list.split_ascii_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .map(Pid::from_raw)
            .collect(),
    )
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
const RESIDENT_PAGES: usize = 21;

/// Returns a process and its parent.
fn look_at(pid: Pid) -> Option<(Process, Pid)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = fields(&stat)?.collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let ticks = |index| Some(Duration::from_secs(number(index)?) / ticks_per_second());
    // The clock of a process is finer than ticks, but does not include its children.
    let cpu = cpu_clock(pid).or_else(|| Some(ticks(USER_TIME)? + ticks(SYSTEM_TIME)?))?;
    let cpu_of_children = ticks(CHILDREN_USER_TIME)? + ticks(CHILDREN_SYSTEM_TIME)?;
    let memory = number(RESIDENT_PAGES)? * page_size();
    let parent = Pid::from_raw(fields.get(PARENT)?.parse().ok()?);
    Some((Process { pid, cpu, cpu_of_children, memory }, parent))
}

/// Returns the fields of `/proc/PID/stat` after the name of the program.
fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    // The name is in parentheses, and may contain parentheses.
    Some(stat[stat.rfind(')')? + 1..].split_ascii_whitespace())
}

/// What the kernel says that a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It runs, waits for a processor, or waits in the kernel for what comes soon.
    Running,
    /// It waits for something, or is stopped.
    Waiting,
    /// It ends, or has ended: it has given up its memory, or soon will.
    Ending,
}

/// What the kernel notes of a thread that has begun to end.
const ENDING: u32 = 0x4;

/// Returns what a thread of a process is doing.
pub(crate) fn doing(pid: Pid, thread: Pid) -> Doing {
    look_at_thread(pid, thread).unwrap_or(Doing::Ending)
}

/// Returns `None` when the thread is gone.
fn look_at_thread(pid: Pid, thread: Pid) -> Option<Doing> {
    let stat = fs::read_to_string(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    let fields: Vec<&str> = fields(&stat)?.collect();
    let flags: u32 = fields.get(FLAGS)?.parse().ok()?;
    Some(match *fields.get(STATE)? {
        "Z" | "X" => Doing::Ending,
        _ if flags & ENDING != 0 => Doing::Ending,
        "R" | "D" => Doing::Running,
        _ => Doing::Waiting,
    })
}

/// Returns a thread of a process that has not begun to end; `None` if all have.
pub(crate) fn live_thread(pid: Pid) -> Option<Pid> {
    threads(pid).find(|&thread| doing(pid, thread) != Doing::Ending)
}

/// Returns the CPU time of a process; `None` if it is gone.
pub(crate) fn cpu_clock(pid: Pid) -> Option<Duration> {
    clock_getcpuclockid(pid).and_then(nix::time::ClockId::now).map(Duration::from).ok()
}

fn ticks_per_second() -> u32 {
    let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten();
    ticks.and_then(|ticks| u32::try_from(ticks).ok()).filter(|&ticks| ticks > 0).unwrap_or(100)
}

fn page_size() -> u64 {
    let size = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    size.and_then(|size| u64::try_from(size).ok()).unwrap_or(4096)
}
