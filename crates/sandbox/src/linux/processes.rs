//! Looks at the processes of a program by `/proc`; and a fork with flags that the function of the C library
//! lacks.

use std::collections::{HashMap, HashSet};
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use std::{fmt, fs, io, thread};

use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::{ForkResult, Gid, Pid, Uid, setfsgid, setfsuid};
use rustix::event::{PollFd, PollFlags};
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{PidfdFlags, pidfd_open};
use rustix::thread::{CapabilitySet, capabilities};

use crate::launch::poll;
use crate::looker::{Looker, Memory, Motion, Process};

/// The folder of the processes, if it is not `/proc`.
static FOLDER: OnceLock<String> = OnceLock::new();

/// Makes this process see processes by a mount of `/proc` that shows every process and that programs cannot
/// reach. The mount stays open until the end of this process.
pub(super) fn see_by(mount: OwnedFd) {
    FOLDER.get_or_init(|| format!("/proc/self/fd/{}", mount.into_raw_fd()));
}

/// Returns the path of a file about processes, by its path in their folder.
pub(super) fn shown(path: fmt::Arguments<'_>) -> String {
    format!("{}/{path}", FOLDER.get().map_or("/proc", String::as_str))
}

/// Lets this thread read files as another user from now on, because the kernel shows the open files of a
/// process to its own user. Does nothing if the thread may look at any process.
pub(crate) fn see_as(user: u32) {
    let may_look_at_all =
        capabilities(None).is_ok_and(|own| own.effective.contains(CapabilitySet::SYS_PTRACE));
    if !may_look_at_all {
        setfsgid(Gid::from_raw(user));
        setfsuid(Uid::from_raw(user));
    }
}

impl Process {
    /// Returns the memory that the process occupies, in bytes. Of memory shared with other processes, only
    /// its share counts.
    pub(crate) fn exact_memory(&self) -> u64 {
        let rollup = text_of(shown(format_args!("{}/task/{}/smaps_rollup", self.pid, self.thread)));
        let rollup = rollup.unwrap_or_default();
        let [share, resident] = ["Pss:", "Rss:"].map(|key| kib_after(&rollup, key));
        // The process may have ended since it was seen, or have become a smaller program.
        let memory = self.memory.min(resident_now(self.pid));
        let (Some(share), Some(resident)) = (share, resident) else { return memory };
        // The arguments of a program that is about to start count as resident, and are in no mapping.
        share * 1024 + memory.saturating_sub(resident * 1024)
    }

    /// Returns true if the process shares all memory with another, as a child of `vfork` does until it
    /// becomes another program; `None` if the kernel does not tell.
    fn has_memory_of(&self, other: &Process) -> Option<bool> {
        const MEMORY: libc::c_int = 1;
        let [own, others] = [self.thread, other.thread].map(Pid::as_raw);
        // SAFETY: the call takes numbers only.
        let order = unsafe { libc::syscall(libc::SYS_kcmp, own, others, MEMORY, 0, 0) };
        // Two processes that have ended have no memory, which the kernel takes for the same.
        let is_alive = |it: &Process| !is_ending(it.pid, it.thread);
        (order >= 0).then(|| order == 0 && is_alive(self) && is_alive(other))
    }

    /// Returns true if the process could be a child of `vfork`, by the memory of this parent and by its age: such a
    /// child soon becomes another program.
    fn may_have_memory_of(&self, parent: &Process) -> bool {
        const DOUBT: u64 = 2 << 20;
        const OLDEST: Duration = Duration::from_secs(1);
        self.age().is_some_and(|age| age <= OLDEST)
            && resident_now(self.pid).abs_diff(resident_now(parent.pid)) <= DOUBT
    }

    /// Returns the time since the start of the process, in ticks of the kernel.
    fn age(&self) -> Option<Duration> {
        let started = duration_of(Stat::of_thread(self.pid, self.pid)?.started);
        let now = ClockId::CLOCK_BOOTTIME.now().map(Duration::from).ok()?;
        Some(now.saturating_sub(started))
    }

    /// Returns the children for which a thread may wait until they become other programs: those of each waiting thread.
    fn starting(&self) -> HashSet<Pid> {
        let waits =
            |&thread: &Pid| Stat::of_thread(self.pid, thread).is_some_and(|it| it.state == 'D');
        let children = |thread| children_of_thread(self.pid, thread).unwrap_or_default();
        threads(self.pid).filter(waits).flat_map(children).collect()
    }

    /// Returns true if a waiting thread may wait until a child becomes another program, and false if it waits for
    /// something that comes soon, such as the disk.
    fn waits_for_child(&self, thread: Pid) -> bool {
        let Some(children) = children_of_thread(self.pid, thread) else { return true };
        // The last child need not be the one: the kernel adds the children of a thread that has ended to those of
        // another. The end of the first thread of a child ends the wait, even if its other threads go on.
        let children = children.into_iter().filter_map(look_at);
        let mut children = children.filter(|child| child.thread == child.pid);
        children.any(|child| child.has_memory_of(self) != Some(false))
    }
}

/// Waits until a child of this process has ended, for this time at most.
pub(crate) fn wait_for_end(child: Pid, time: Duration) {
    let Some(end) = end_of(child) else {
        return thread::sleep(time);
    };
    // A signal ends the wait early, and the caller asks again.
    let _ = poll(&mut [PollFd::new(&end, PollFlags::IN)], Some(time));
}

/// Returns a descriptor that becomes readable when a child has ended, if the kernel has such descriptors.
pub(crate) fn end_of(child: Pid) -> Option<OwnedFd> {
    let child = rustix::process::Pid::from_raw(child.as_raw())?;
    pidfd_open(child, PidfdFlags::empty()).ok()
}

/// Returns the memory that a process occupies now, in bytes; 0 if it has ended.
fn resident_now(pid: Pid) -> u64 {
    let Some(thread) = live_thread(pid) else { return 0 };
    let status = text_of(shown(format_args!("{pid}/task/{thread}/status"))).unwrap_or_default();
    kib_after(&status, "VmRSS:").unwrap_or(0) * 1024
}

/// Compares the memory of processes with `most` bytes, of which they hold `held` bytes in the kernel.
pub(crate) fn exceeds_memory(
    processes: Vec<Process>,
    most: u64,
    held: u64,
    looker: &Looker,
) -> Memory {
    let left = most.saturating_sub(held);
    if processes.iter().map(|process| process.memory).sum::<u64>() <= left {
        return Memory::Fits;
    }
    if held > most {
        // An exact count could take long, by page tables above all, and would change nothing.
        return Memory::Exceeds;
    }
    // A count in which shared pages count once takes longer, so it is made only where it matters.
    looker.look(move || exceeds_exactly(&processes, left)).unwrap_or(Memory::Unknown)
}

fn exceeds_exactly(processes: &[Process], most: u64) -> Memory {
    let mut exact = 0;
    // For each parent, the children that it may be starting, and its memory.
    let mut starting = HashMap::new();
    for (at, process) in processes.iter().enumerate() {
        let mut counted = 0;
        // The looks at many processes that share one memory would take long.
        if processes[..at].iter().any(|other| process.has_memory_of(other) == Some(true)) {
            continue;
        }
        // Where the kernel does not tell, the memory of the parent is subtracted.
        if let Some(parent) = processes.iter().find(|other| other.pid == process.parent)
            && process.has_memory_of(parent).is_none()
        {
            let (children, memory) = starting
                .entry(parent.pid)
                .or_insert_with(|| (parent.starting(), parent.exact_memory()));
            if children.contains(&process.pid) && process.may_have_memory_of(parent) {
                counted = *memory;
            }
        }
        exact += process.exact_memory().saturating_sub(counted);
        if exact > most {
            return Memory::Exceeds;
        }
    }
    Memory::Fits
}

/// The number of the first process of a namespace.
const FIRST: Pid = Pid::from_raw(1);

/// Returns the descendants of this process.
pub(crate) fn descendants() -> Vec<Process> {
    let own = Pid::this();
    if own == FIRST {
        // All other processes of the namespace are descendants, and parents have lower numbers than their
        // children. This list is shorter than the lists of the children of all threads.
        return others().filter_map(look_at).collect();
    }
    // Orphans become children of the main thread, which also started the first process.
    let mut pending = children_of_thread(own, own);
    let mut all = Vec::new();
    let Some(pending) = &mut pending else { return scan_for_descendants(own) };
    while let Some(pid) = pending.pop() {
        // The process is looked at before its children, so that a child that loses its parent meanwhile does
        // not count twice.
        all.extend(look_at(pid));
        pending.extend(children(pid));
    }
    all
}

/// Returns the numbers of the descendants of this process.
pub(crate) fn living() -> Vec<Pid> {
    descendants().iter().map(|process| process.pid).collect()
}

/// Returns the number of other processes in the namespace of this process.
pub(crate) fn others_in_namespace() -> u32 {
    u32::try_from(others().count()).unwrap_or(u32::MAX)
}

fn others() -> impl Iterator<Item = Pid> {
    let own = Pid::this();
    numbers(&shown(format_args!(""))).filter(move |&pid| pid != own)
}

/// Returns the children of a process that are alive, or not yet reaped.
pub(crate) fn children(pid: Pid) -> Vec<Pid> {
    threads(pid).filter_map(|thread| children_of_thread(pid, thread)).flatten().collect()
}

/// Returns the threads of a process.
pub(crate) fn threads(pid: Pid) -> impl Iterator<Item = Pid> {
    numbers(&shown(format_args!("{pid}/task")))
}

/// Returns the processes or threads with entries in a folder.
pub(crate) fn numbers(folder: &str) -> impl Iterator<Item = Pid> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw)
}

/// Returns the children of a thread, or `None` if the thread is gone or the kernel keeps no such lists.
fn children_of_thread(pid: Pid, thread: Pid) -> Option<Vec<Pid>> {
    let list = text_of(shown(format_args!("{pid}/task/{thread}/children"))).ok()?;
    let numbers = list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
    Some(numbers.map(Pid::from_raw).collect())
}

/// Returns the descendants of `ancestor`, found among all processes of the system.
fn scan_for_descendants(ancestor: Pid) -> Vec<Process> {
    let mut others: Vec<Process> = numbers(&shown(format_args!(""))).filter_map(look_at).collect();
    let (mut known, mut all) = (vec![ancestor], Vec::new());
    while let Some(parent) = known.pop() {
        let (own, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|it| it.parent == parent);
        known.extend(own.iter().map(|process| process.pid));
        all.extend(own);
        others = rest;
    }
    all
}

/// The facts of `/proc/PID/stat` and `/proc/PID/task/TID/stat`.
pub(super) struct Stat {
    /// The kernel's letter for the state.
    pub(super) state: char,
    parent: Pid,
    /// If true, the thread has begun to end, or has ended.
    pub(super) is_ending: bool,
    /// The CPU time of the process itself and of its reaped children, in ticks.
    ticks: u64,
    ticks_of_children: u64,
    /// The time of the start, in ticks since the start of the computer.
    pub(super) started: u64,
    resident_pages: u64,
}

impl Stat {
    fn read(file: fmt::Arguments<'_>) -> Option<Stat> {
        /// The flag of a thread that has begun to end.
        const ENDING: u64 = 0x4;
        let text = text_of(shown(file)).ok()?;
        // The name is in parentheses, and may contain parentheses. proc(5) counts the fields after it from 3.
        let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index - 3)?.parse::<u64>().ok();
        let state = fields.first()?.chars().next()?;
        Some(Stat {
            state,
            parent: Pid::from_raw(fields.get(1)?.parse().ok()?),
            is_ending: "ZX".contains(state) || number(9)? & ENDING != 0,
            ticks: number(14)? + number(15)?,
            ticks_of_children: number(16)? + number(17)?,
            started: number(22)?,
            resident_pages: number(24)?,
        })
    }

    /// Returns the facts of a thread; `None` if it is gone.
    pub(super) fn of_thread(pid: Pid, thread: Pid) -> Option<Stat> {
        Stat::read(format_args!("{pid}/task/{thread}/stat"))
    }
}

fn duration_of(ticks: u64) -> Duration {
    Duration::from_secs(ticks) / clock_ticks_per_second() as u32
}

/// Returns a process; `None` if it is gone.
pub(super) fn look_at(pid: Pid) -> Option<Process> {
    let stat = Stat::read(format_args!("{pid}/stat"))?;
    // The clock of a process is finer than ticks, but does not include its children.
    let cpu = cpu_clock(pid).unwrap_or_else(|| duration_of(stat.ticks));
    let (mut thread, mut pages) = (pid, stat.resident_pages);
    // A first thread that has ended has no memory any more; the others still have it.
    if stat.state == 'Z'
        && let Some(alive) = live_thread(pid)
    {
        (thread, pages) = (alive, Stat::of_thread(pid, alive).map_or(0, |it| it.resident_pages));
    }
    let (parent, memory) = (stat.parent, pages * page_size() as u64);
    let cpu_of_children = duration_of(stat.ticks_of_children);
    Some(Process { pid, thread, parent, cpu, cpu_of_children, memory })
}

/// Returns true if a thread ends, or has ended: it has given up its memory, or soon will.
pub(super) fn is_ending(pid: Pid, thread: Pid) -> bool {
    Stat::of_thread(pid, thread).is_none_or(|it| it.is_ending)
}

/// Returns a thread of a process that has not begun to end; `None` if all have.
pub(crate) fn live_thread(pid: Pid) -> Option<Pid> {
    threads(pid).find(|&thread| !is_ending(pid, thread))
}

/// Returns true if a process runs a program that it may not read, and so hides its files, its memory and its
/// children's CPU time.
pub(super) fn is_unreadable(pid: Pid) -> bool {
    let Some(thread) = live_thread(pid) else { return false };
    let owner =
        |file: &str| fs::metadata(shown(format_args!("{pid}{file}"))).map(|found| found.uid());
    // The files in the folder of such a process belong to root, but the folder itself does not.
    let owners = owner("").ok().zip(owner(&format!("/task/{thread}/stat")).ok());
    // The same holds for a process that has ended.
    owners.is_some_and(|(own, other)| own != other) && !is_ending(pid, thread)
}

/// Returns the CPU time of a process; `None` if it is gone.
pub(crate) fn cpu_clock(pid: Pid) -> Option<Duration> {
    clock_getcpuclockid(pid).and_then(ClockId::now).map(Duration::from).ok()
}

/// Returns true if `test` returns true for every thread of these processes that is not gone.
fn all_threads(processes: &[Process], test: impl Fn(Stat) -> bool) -> bool {
    let all_of = |pid| threads(pid).all(|it| Stat::of_thread(pid, it).is_none_or(&test));
    processes.iter().all(|process| all_of(process.pid))
}

/// Returns true if every thread of these processes is stopped, ends, or waits in the kernel, as a parent does
/// until its child of `vfork` is another program. Such a thread stops before it returns to its program.
pub(crate) fn are_stopped(processes: &[Process]) -> bool {
    all_threads(processes, |it| it.is_ending || "TtD".contains(it.state))
}

/// Returns true if the process is stopped, or will be when it runs next.
pub(crate) fn is_stopped(pid: Pid) -> bool {
    let status = text_of(shown(format_args!("{pid}/status"))).unwrap_or_default();
    let pending = value_of(&status, "ShdPnd:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    let is_told = pending.is_some_and(|mask| mask & (1 << (libc::SIGSTOP - 1)) != 0);
    is_told || value_of(&status, "State:").is_some_and(|state| state.starts_with('T'))
}

/// Returns true if every thread of these processes is stopped or dead, so that none can resume another.
///
/// A thread that still ends may do so, because the kernel resumes a stopped process group that a death
/// orphans.
pub(crate) fn are_at_rest(processes: &[Process]) -> bool {
    all_threads(processes, |it| "TtZX".contains(it.state))
}

/// Returns the greatest motion of a thread of these processes.
///
/// A thread that is told to stop may have work left in the kernel, for example a long read for which it waits for the
/// disk again and again, and a thread that ends gives up its memory in spite of a stop.
pub(crate) fn motion(processes: &[Process]) -> Motion {
    let mut motion = Motion::Still;
    for process in processes {
        for thread in threads(process.pid) {
            let Some(stat) = Stat::of_thread(process.pid, thread) else { continue };
            let own = match stat.state {
                'Z' | 'X' => Motion::Still,
                'R' => return Motion::Running,
                'D' if motion < Motion::Blocked && !process.waits_for_child(thread) => {
                    Motion::Blocked
                }
                _ if stat.is_ending => Motion::Ending,
                _ => Motion::Still,
            };
            motion = motion.max(own);
        }
    }
    motion
}

pub(super) fn kib_after(text: &str, key: &str) -> Option<u64> {
    value_of(text, key)?.strip_suffix(" kB")?.trim().parse().ok()
}

/// Returns the value in the line of a text that begins with this key.
pub(crate) fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

/// Returns the text of a file about a process or thread.
///
/// The process chooses its own name, which is in many such files and may not be UTF-8. A reader that insists
/// on UTF-8 would not see the process.
pub(crate) fn text_of(file: impl AsRef<Path>) -> io::Result<String> {
    fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The flag of clone(2) of this name, which the C library does not define everywhere.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Forks this process with flags of clone(2). The child starts in the control group with the folder `group`,
/// if there is one.
///
/// A move of the child after its start would take the kernel ten milliseconds and more, because a move waits
/// until no process of the computer is starting another.
///
/// # Safety
///
/// As after `fork`, the child of a process with several threads may call only what is safe in a signal
/// handler. The C library does not know of the child, so with several threads the child must not call
/// `setuid` and the like.
pub(crate) unsafe fn fork(flags: libc::c_int, group: Option<BorrowedFd>) -> io::Result<ForkResult> {
    // With this flag, the child's end is signaled in the same way as the end of this process.
    let is_sibling = flags & libc::CLONE_PARENT != 0;
    let signal = if is_sibling { 0 } else { libc::SIGCHLD };
    // SAFETY: no pointers but one to a value of the size that is named, and without a stack of its own the
    // child has a copy of this one.
    let result = unsafe {
        match group {
            // Containers that refuse the newer call allow this one.
            None => libc::syscall(libc::SYS_clone, flags | signal, 0, 0, 0, 0),
            Some(group) => {
                let mut arguments: libc::clone_args = std::mem::zeroed();
                arguments.flags = CLONE_INTO_CGROUP | u64::from(flags.cast_unsigned());
                arguments.exit_signal = signal.unsigned_abs().into();
                arguments.cgroup = group.as_raw_fd().unsigned_abs().into();
                let size = size_of::<libc::clone_args>();
                libc::syscall(libc::SYS_clone3, &raw mut arguments, size)
            }
        }
    };
    match i32::try_from(result) {
        Ok(0) => Ok(ForkResult::Child),
        Ok(pid) if pid > 0 => Ok(ForkResult::Parent { child: Pid::from_raw(pid) }),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::process::Command;

    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::waitpid;

    use super::*;

    extern "C" fn wait_for_a_signal(_: *mut c_void) -> libc::c_int {
        nix::unistd::pause();
        0
    }

    #[test]
    fn thread_that_waits_in_the_kernel_is_still_only_if_a_child_keeps_it() -> std::io::Result<()> {
        let own = look_at(Pid::this()).expect("this process");
        if own.has_memory_of(&own) != Some(true) {
            // This computer refuses the call to users who cannot trace other processes.
            return Ok(());
        }
        // The parent waits for a child that becomes another program, or for a copy, which stands for the disk here.
        for (flags, expected) in [(libc::CLONE_VM, Motion::Still), (0, Motion::Blocked)] {
            // SAFETY: this process calls only what is safe after `fork`, and waits for its own child.
            let ForkResult::Parent { child: parent } = (unsafe { fork(0, None) })? else {
                let flags = flags | libc::CLONE_VFORK | libc::SIGCHLD;
                // SAFETY: the child has the stack of its parent, which waits until the child is killed.
                if unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } == 0 {
                    loop {
                        // SAFETY: the call takes no arguments.
                        unsafe { libc::pause() };
                    }
                }
                // SAFETY: the call does not return.
                unsafe { libc::_exit(0) };
            };
            let process = look_at(parent).expect("a process");
            let child = loop {
                assert!(process.age().is_some_and(|age| age < Duration::from_secs(60)), "no wait");
                let waits = Stat::of_thread(parent, parent).is_some_and(|it| it.state == 'D');
                if let (true, [child]) = (waits, &children(parent)[..]) {
                    break *child;
                }
                thread::yield_now();
            };
            let found = motion(&[process]);
            [child, parent]
                .map(|pid| kill(pid, Signal::SIGKILL))
                .into_iter()
                .collect::<Result<(), _>>()?;
            waitpid(parent, None)?;
            assert_eq!(found, expected, "{flags:#x}");
        }
        Ok(())
    }

    #[test]
    fn memory_that_a_child_shares_with_its_parent_is_known() -> std::io::Result<()> {
        let own = look_at(Pid::this()).expect("this process");
        if own.has_memory_of(&own) != Some(true) {
            // This computer refuses the call to users who cannot trace other processes.
            return Ok(());
        }
        let mut stack = vec![0_u128; 1 << 12];
        let top = stack.as_mut_ptr_range().end.cast();
        let flags = libc::CLONE_VM | libc::SIGCHLD;
        // SAFETY: the child has a stack of its own, which outlives it, and only waits until it is killed.
        let child = unsafe { libc::clone(wait_for_a_signal, top, flags, std::ptr::null_mut()) };
        let child = Pid::from_raw(child);
        let mut other = Command::new("sleep").arg("1000").spawn()?;
        let seen =
            [child, Pid::from_raw(other.id() as i32)].map(|pid| look_at(pid).expect("a child"));
        let shares = seen.map(|process| process.has_memory_of(&own));
        // The memory counts once, whatever the parent of a process that shares it.
        let orphan = Process { parent: Pid::from_raw(1), ..seen[0] };
        let most = own.exact_memory() * 5 / 2;
        let counted = exceeds_exactly(&[own, seen[0], orphan, orphan], most);
        other.kill()?;
        other.wait()?;
        kill(child, Signal::SIGKILL)?;
        waitpid(child, None)?;
        assert_eq!(shares, [Some(true), Some(false)]);
        assert_eq!(counted, Memory::Fits);
        // Two processes that have ended have no memory.
        assert_ne!(seen[0].has_memory_of(&seen[1]), Some(true));
        assert_eq!(seen[0].exact_memory(), 0);
        Ok(())
    }
}
