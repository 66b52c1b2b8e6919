//! Looks at the processes of a program, by what `/proc` says of them.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::{Pid, SysconfVar, sysconf};
use rustix::process::{PidfdFlags, pidfd_open};

use crate::looker::{LONGEST_LOOK, Looker, time_in_queue};
use crate::system::calls::WAITED;
use crate::system::confine::MOST_OPEN;
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
pub(crate) fn wait_for_end(child: &Child, time: Duration) {
    let Ok(end) = pidfd_open(rustix::process::Pid::from_child(child), PidfdFlags::empty()) else {
        return thread::sleep(time);
    };
    let time = PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX);
    // A signal ends the wait early, and the caller asks again.
    let _ = poll(&mut [PollFd::new(end.as_fd(), PollFlags::POLLIN)], time);
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
    let (watch, mut exact) = (Stopwatch::start(), 0);
    for process in processes {
        exact += process.exact_memory();
        if exact > most {
            return Memory::Exceeds;
        }
        if watch.is_over() {
            return Memory::Unknown;
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

/// Returns the time at which a thread started, in ticks since the start of the computer.
pub(crate) fn start_of_thread(pid: Pid, thread: Pid) -> Option<u64> {
    let stat = text_of(format!("/proc/{pid}/task/{thread}/stat")).ok()?;
    fields(&stat)?.nth(START_TIME)?.parse().ok()
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
enum Doing {
    /// It runs, waits for a processor, or waits in the kernel for something that comes soon.
    Running,
    /// It waits for something, or is stopped.
    Waiting,
    /// It ends, or has ended: it has given up its memory, or soon will.
    Ending,
}

/// The flag of a thread that has begun to end.
const ENDING: u32 = 0x4;

fn doing(pid: Pid, thread: Pid) -> Doing {
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

fn kib_after(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// The bytes that a pipe holds at most.
const PIPE: u64 = 64 * 1024;
/// The memory of one end of a pair of sockets, where the kernel does not tell its default.
const SOCKET: u64 = 2 * 212_992;
/// The buffer of a file that tells of the mappings of a process, which holds the longest path at least, and
/// that of another file whose text the kernel makes.
const MAPPINGS_FILE: u64 = 2 << 20;
const MADE_FILE: u64 = 64 * 1024;
/// The names that the kernel keeps for a folder that is being read.
const FOLDER: u64 = 32 * 1024;
/// The memory of a file that is watched for events, and the bytes that are read of a list of such files.
const EVENT: u64 = 256;
const MOST_EVENTS: u64 = 1 << 16;
/// The memory of a queue of events with a longer list, and of a mapping whose file cannot be looked at.
const MANY: u64 = 32 << 20;
/// The memory that the kernel keeps for a thread and for a mapping.
const THREAD: u64 = 32 * 1024;
/// The memory of the pipes that a thread may keep by waiting for them when there are many, and the number of
/// threads whose pipes are those few that may be large.
const WAITING: u64 = WAITED * 2 * 4096;
const FEW_THREADS: u64 = 64;
const MAPPING: u64 = 256;
/// The memory of a link between a mapping and one of a process above, from which it is copied.
const LINK: u64 = 64;
/// The unit in which the OS counts what a file occupies, in bytes.
const BLOCK: u64 = 512;
/// The end of the path of a file that has no name any more.
const DELETED: &str = " (deleted)";

/// A closer look at processes: at the things that they hold and that are part of none.
///
/// The look is bounded in bytes and time, since a program can make any of it slow.
#[derive(Debug)]
pub(crate) struct CloseLook<'f> {
    nameless: Option<Nameless<'f>>,
    seen: HashSet<PathBuf>,
    sockets: u64,
    threads: u64,
    /// The memory of a mapping, in bytes: it has a link for every process above, at most.
    mapping: u64,
    bytes: u64,
    /// The things that were found.
    pub(crate) held: Held,
}

/// The files that count when they have no name any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nameless<'f> {
    /// The user whose files they are: no other program, nor the host, has made them.
    pub(crate) owner: u32,
    /// The folder in which they were.
    pub(crate) folder: &'f Path,
}

/// The things that processes hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// The memory of pipes, sockets, queues, page tables, threads and mappings, in bytes.
    pub(crate) kernel: u64,
    /// The size of the files on the disk that have no name any more, in bytes.
    pub(crate) deleted: u64,
    /// If true, the look had to end before everything was seen.
    pub(crate) is_incomplete: bool,
}

/// The bytes of all that a look reads of mappings.
const MOST_BYTES: u64 = 8 << 20;

impl<'f> CloseLook<'f> {
    /// Looks at processes, which have this many sockets at least. What several hold counts once.
    pub(crate) fn at(processes: &[Pid], sockets: u64, nameless: Option<Nameless<'f>>) -> Held {
        let (seen, held, bytes) = (HashSet::new(), Held::default(), MOST_BYTES);
        let mapping = MAPPING + LINK * processes.len() as u64;
        let watch = Stopwatch::start();
        let mut look = CloseLook { nameless, seen, sockets: 0, threads: 0, mapping, bytes, held };
        for &pid in processes {
            match open_files(pid) {
                OpenFiles::Listed(files) => files.iter().for_each(|file| look.at_file(file)),
                OpenFiles::Nothing => continue,
                OpenFiles::Hidden => look.held.kernel += MOST_OPEN * PIPE,
            }
            look.at_memory(pid);
            if watch.is_over() {
                look.held.is_incomplete = true;
                break;
            }
        }
        // A thread that waits for a socket keeps it, though no process has it open.
        look.held.kernel += look.sockets.max(sockets) * socket_memory();
        look.held.kernel += look.threads.saturating_sub(FEW_THREADS) * WAITING;
        look.held
    }

    fn at_file(&mut self, file: &Path) {
        // The link of a file with a long path cannot be read.
        let target = fs::read_link(file).unwrap_or_default();
        let name = target.to_string_lossy();
        if name.starts_with("pipe:") {
            self.held.kernel += if self.seen.insert(target.clone()) { PIPE } else { 0 };
        } else if name.starts_with("socket:") {
            self.sockets += u64::from(self.seen.insert(target.clone()));
        } else if name.starts_with("anon_inode:[eventpoll]") {
            // Each is another, of the same name.
            self.held.kernel += events_memory(file);
        } else if name.starts_with("/proc/") || name.starts_with("/sys/") {
            // Each has a buffer of its own.
            self.held.kernel += if name.ends_with("maps") { MAPPINGS_FILE } else { MADE_FILE };
        } else if let Ok(found) = fs::metadata(file) {
            self.held.kernel += if found.is_dir() { FOLDER } else { 0 };
            if let Some(nameless) = self.nameless
                && (found.nlink(), found.uid()) == (0, nameless.owner)
            {
                self.at_nameless(found.ino(), found.blocks() * BLOCK);
            }
        }
    }

    fn at_nameless(&mut self, inode: u64, size: u64) {
        if self.seen.insert(format!("inode:{inode}").into()) {
            self.held.deleted += size;
        }
    }

    fn at_memory(&mut self, pid: Pid) {
        let Some(thread) = live_thread(pid) else { return };
        let place = format!("/proc/{pid}/task/{thread}");
        let status = text_of(format!("{place}/status")).unwrap_or_default();
        let kernel = ["VmPTE:", "VmSwap:"].map(|key| kib_after(&status, key).unwrap_or(0) * 1024);
        let threads = status.lines().find_map(|line| line.strip_prefix("Threads:"));
        let threads: u64 = threads.and_then(|text| text.trim().parse().ok()).unwrap_or(1);
        self.held.kernel += kernel.iter().sum::<u64>() + threads * THREAD;
        self.threads += threads;
        let (mut maps, mut most) = (Vec::new(), self.bytes);
        if self.nameless.is_none() {
            // Only their number matters, and enough is enough.
            most = most.min(1 << 18);
        }
        let read = File::open(format!("{place}/maps"))
            .and_then(|file| file.take(most).read_to_end(&mut maps));
        let length = read.unwrap_or(0) as u64;
        let lines = maps.iter().filter(|&&byte| byte == b'\n').count() as u64;
        // A line is a hundred bytes, unless a program makes it longer.
        self.held.kernel += if length < most { lines * self.mapping } else { 16 << 20 };
        if let Some(nameless) = self.nameless {
            self.bytes -= length;
            self.held.is_incomplete |= length == most;
            // A program may map nothing of itself.
            self.at_file(Path::new(&format!("{place}/exe")));
            // Nor does a folder need a name to be one in which it works.
            self.at_file(Path::new(&format!("{place}/cwd")));
            let (maps, folder) =
                (String::from_utf8_lossy(&maps), nameless.folder.to_string_lossy());
            let is_deleted = |line: &&str| line.ends_with(DELETED) && line.contains(&*folder);
            maps.lines().filter(is_deleted).for_each(|line| self.at_deleted(pid, line));
        }
    }

    /// Counts a file without a name that a process has mapped, by the line about the mapping: addresses,
    /// rights, offset, device, inode and path.
    fn at_deleted(&mut self, pid: Pid, line: &str) {
        let mut fields = line.split_ascii_whitespace();
        let (Some(addresses), Some(inode)) = (fields.next(), fields.nth(3)) else { return };
        let Ok(inode) = inode.parse() else { return };
        // Not every root may look at it, but a part of a file does not tell how large it is.
        let file = fs::metadata(format!("/proc/{pid}/map_files/{addresses}"));
        self.at_nameless(inode, file.map_or(MANY, |found| found.blocks() * BLOCK));
    }
}

/// The time of a look, without that in which this thread waits for a processor: a program can make a
/// look slow by locks that it holds in the kernel, but not the computer busy.
#[derive(Debug)]
struct Stopwatch {
    begun: Instant,
    waited: Duration,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch { begun: Instant::now(), waited: own_time_in_queue() }
    }

    fn is_over(&self) -> bool {
        let elapsed = self.begun.elapsed();
        elapsed > LONGEST_LOOK
            && elapsed.saturating_sub(own_time_in_queue().saturating_sub(self.waited))
                > LONGEST_LOOK
    }
}

/// Returns the time for which this thread has waited for a processor.
fn own_time_in_queue() -> Duration {
    time_in_queue(Path::new("/proc/thread-self/schedstat"))
}

/// Returns the memory of a queue of events, by the list of files that it watches.
fn events_memory(file: &Path) -> u64 {
    let list = file.to_string_lossy().replace("/fd/", "/fdinfo/");
    let mut text = Vec::new();
    let read = File::open(list).and_then(|file| file.take(MOST_EVENTS).read_to_end(&mut text));
    match read {
        Ok(length) if (length as u64) < MOST_EVENTS => {
            text.iter().filter(|&&byte| byte == b'\n').count() as u64 * EVENT
        }
        _ => MANY,
    }
}

/// Returns the memory of one end of a pair of sockets, in bytes, as the kernel has told it the first time.
pub(crate) fn socket_memory() -> u64 {
    static TOLD: OnceLock<u64> = OnceLock::new();
    *TOLD.get_or_init(|| {
        let text = fs::read_to_string("/proc/sys/net/core/wmem_default").unwrap_or_default();
        text.trim().parse().map_or(SOCKET, |bytes: u64| 2 * bytes)
    })
}

/// The files that a process has open.
enum OpenFiles {
    /// The links to its files.
    Listed(Vec<PathBuf>),
    /// Nothing that matters: the process ends, or stands still where it cannot be looked at.
    Nothing,
    /// The process does not let itself be looked at.
    Hidden,
}

/// The number of looks at a process that cannot be looked at, and the pause before each.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// A program that starts another cannot be looked at for much less of its CPU time.
const START: Duration = Duration::from_millis(5);

/// Finds the files that a process has open.
fn open_files(pid: Pid) -> OpenFiles {
    match list(pid, pid) {
        Some(files) if !files.is_empty() => OpenFiles::Listed(files),
        // The first thread may have ended: the others have the same files.
        _ => look_closer(pid),
    }
}

/// Lists the files of a thread, if it lets itself be looked at.
fn list(pid: Pid, thread: Pid) -> Option<Vec<PathBuf>> {
    let files = fs::read_dir(format!("/proc/{pid}/task/{thread}/fd")).ok()?;
    Some(files.flatten().map(|file| file.path()).collect())
}

/// Finds the open files of a process whose first thread shows nothing.
///
/// An ordinary user cannot look at a process that ends, from the moment when it gives up its memory, or
/// that starts a program, until its new memory is as it should be. However long it has to wait for a
/// processor then, it does not run, and hides nothing.
fn look_closer(pid: Pid) -> OpenFiles {
    let begun = cpu_clock(pid);
    for _ in 0..LOOKS {
        let before = cpu_clock(pid);
        let Some(thread) = live_thread(pid) else { break };
        if let Some(files) = list(pid, thread) {
            return OpenFiles::Listed(files);
        }
        let now = cpu_clock(pid);
        let has_waited = doing(pid, thread) == Doing::Waiting && now == before;
        let has_run = now.zip(begun).is_some_and(|(now, begun)| now.saturating_sub(begun) >= START);
        if has_waited || has_run {
            return OpenFiles::Hidden;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    OpenFiles::Nothing
}

#[cfg(test)]
mod tests {
    use std::io::pipe;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};

    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    use nix::unistd::Uid;

    use super::*;

    #[test]
    fn process_that_has_ended_holds_nothing() -> std::io::Result<()> {
        let mut child = Command::new("sleep")
            .arg("1000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pid = Pid::from_raw(child.id() as i32);
        // It may have inherited others.
        let is_seen = CloseLook::at(&[pid], 0, None).kernel >= PIPE;
        child.kill()?;
        assert!(is_seen);
        // It has closed its files by then, later than it has begun to end. Its number is still its own.
        waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)?;
        assert_eq!(CloseLook::at(&[pid], 0, None), Held::default());
        child.wait()?;
        assert_eq!(CloseLook::at(&[pid], 0, None), Held::default());
        Ok(())
    }

    #[test]
    fn pipes_sockets_and_files_without_name_count() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let nameless = Nameless { owner: Uid::current().as_raw(), folder: folder.path() };
        let look = || CloseLook::at(&[Pid::this()], 0, Some(nameless));
        let before = look();
        let file = fs::File::create(folder.path().join("gone"))?;
        fs::write(folder.path().join("gone"), vec![1; 100_000])?;
        fs::remove_file(folder.path().join("gone"))?;
        let deleted = look().deleted;
        assert!((98_304..200_000).contains(&deleted), "{deleted}");
        drop(file);
        // Other tests of this process open and close pipes meanwhile, but not so many.
        let kept: Vec<_> = (0..50).map(|_| (pipe(), UnixStream::pair())).collect();
        let after = look();
        assert!(after.kernel >= before.kernel + 40 * (PIPE + 2 * socket_memory()), "{after:?}");
        drop(kept);
        Ok(())
    }
}
