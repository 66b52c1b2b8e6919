//! The resources that processes hold outside their memory: pipes, sockets, files without a name; and the
//! number of sockets of a program, from the kernel's list of all sockets.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};
use nix::unistd::Pid;

use super::allowed_calls::WAITED;
use super::confine::MOST_OPEN;
use super::processes::{
    Stat, cpu_clock, is_unreadable, kib_after, live_thread, living, shown, text_of, value_of,
};
use crate::folder::BLOCK;
use crate::looker::Held;

/// The most bytes that a pipe holds.
const PIPE: u64 = 64 * 1024;
/// The memory of one end of a pair of sockets, where the kernel does not tell its default.
const SOCKET: u64 = 2 * 212_992;
/// The buffer of an open file with the mappings of a process, which holds the longest path at least, and the
/// buffer of another file whose text the kernel makes.
const MAPPINGS_FILE: u64 = 2 << 20;
const MADE_FILE: u64 = 64 * 1024;
/// The memory of the names that the kernel keeps for a folder that is being read.
const FOLDER: u64 = 32 * 1024;
/// The memory of a file that an event queue watches, and the bytes of the longest list of such files: as many
/// as a process may have open.
const EVENT: u64 = 256;
const MOST_EVENTS: u64 = MOST_OPEN * 128;
/// The number of files that all event queues of a program may watch. The kernel bounds only the files of all
/// processes of a user of the host together, by more than 100,000 for half a gibibyte of memory.
const MOST_WATCHES: u64 = 20_000;
/// The assumed size of a mapped file that cannot be looked at.
const MANY: u64 = 32 << 20;
/// The memory that the kernel keeps for a thread and for a mapping.
const THREAD: u64 = 32 * 1024;
/// The memory of the pipes that a thread may keep by waiting for them when there are many pipes, and the
/// number of threads that account for the few pipes that may be large.
const WAITING: u64 = WAITED * 2 * 4096;
const FEW_THREADS: u64 = 64;
const MAPPING: u64 = 256;
/// The memory of the structure between a mapping and its pages (`anon_vma`), and of a link between a mapping
/// and the mapping of an ancestor from which it is copied (`anon_vma_chain`).
const ANONYMOUS: u64 = 128;
const LINK: u64 = 64;
/// The greatest number of mappings of a process, unless the kernel reports another number.
const MOST_MAPPINGS: u64 = 65_530;
/// The end of the path of a file that has no name any more.
const DELETED: &str = " (deleted)";

/// A closer look at processes: at the resources that they hold outside their memory.
///
/// The look is bounded in bytes, and the supervisor gives it up after a time, because a program can make
/// every part of it slow.
#[derive(Debug, Default)]
struct CloseLook<'f> {
    nameless: Option<Nameless<'f>>,
    seen: HashSet<PathBuf>,
    sockets: u64,
    threads: u64,
    /// The memory of a mapping, in bytes, with a link for every ancestor at most.
    mapping: u64,
    bytes: u64,
    /// The remaining pauses for processes that cannot be looked at.
    pauses: u32,
    held: Held,
}

/// The files that count when they have no name any more.
#[derive(Clone, Copy, Debug)]
struct Nameless<'f> {
    /// The owner of the files. Neither another program nor the host makes files as this user.
    owner: u32,
    /// The folder in which they were.
    folder: &'f Path,
}

/// The number of lists of processes that a look goes through.
const MOST_LISTS: u32 = 4;
/// The most bytes that a look reads of mappings.
const MOST_BYTES: u64 = 8 << 20;

impl<'f> CloseLook<'f> {
    /// Looks at the processes of a list, and then at new processes in the list, because a process that
    /// notices a look can leave its resources to a child and end. The order is random, so that no process
    /// knows when the look comes to it. `sockets` is the least number of sockets that the processes have
    /// together. A shared resource counts once.
    fn at(list: impl Fn() -> Vec<Pid>, sockets: u64, nameless: Option<Nameless<'f>>) -> Held {
        let (bytes, pauses) = (MOST_BYTES, PAUSES);
        let mut look = CloseLook { nameless, bytes, pauses, ..CloseLook::default() };
        let mut known = HashSet::new();
        for _ in 0..MOST_LISTS {
            let mut processes = list();
            look.mapping = MAPPING + ANONYMOUS + LINK * processes.len() as u64;
            processes.retain(|&pid| known.insert(pid));
            if processes.is_empty() {
                break;
            }
            fastrand::shuffle(&mut processes);
            processes.into_iter().for_each(|pid| look.at_process(pid));
        }
        // A thread that waits for a socket keeps it, though no process has it open.
        look.held.kernel += look.sockets.max(sockets) * socket_memory();
        look.held.kernel += look.threads.saturating_sub(FEW_THREADS) * WAITING;
        look.held
    }

    fn at_process(&mut self, pid: Pid) {
        self.held.is_unreadable |= is_unreadable(pid);
        match open_files(pid, &mut self.pauses) {
            OpenFiles::Listed(files) => files.iter().for_each(|file| self.at_file(file)),
            OpenFiles::Gone => return,
            OpenFiles::Hidden => self.held.kernel += MOST_OPEN * PIPE,
        }
        if self.nameless.is_some() {
            self.held.written += written_by(pid).unwrap_or(0);
        }
        self.at_memory(pid);
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
            // All event queues have this name, so each counts.
            match watches_of(file) {
                Some(watches) => {
                    self.held.kernel += watches * EVENT;
                    self.held.watches += watches;
                    self.held.is_incomplete |= self.held.watches > MOST_WATCHES;
                }
                None => self.held.is_incomplete = true,
            }
        } else if name.starts_with("/proc/") || name.starts_with("/sys/") {
            // Each open file has a buffer of its own.
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
        let place = shown(format_args!("{pid}/task/{thread}"));
        let status = text_of(format!("{place}/status")).unwrap_or_default();
        let kernel = ["VmPTE:", "VmSwap:"].map(|key| kib_after(&status, key).unwrap_or(0) * 1024);
        let threads = value_of(&status, "Threads:").and_then(|text| text.parse().ok()).unwrap_or(1);
        self.held.kernel += kernel.iter().sum::<u64>() + threads * THREAD;
        self.threads += threads;
        let (mut maps, mut most) = (Vec::new(), self.bytes);
        if self.nameless.is_none() {
            // Only the number of mappings matters, which does not need the whole list.
            most = most.min(1 << 18);
        }
        let read = File::open(format!("{place}/maps"))
            .and_then(|file| file.take(most).read_to_end(&mut maps));
        let length = read.unwrap_or(0) as u64;
        let lines = maps.iter().filter(|&&byte| byte == b'\n').count() as u64;
        // A list that was not read to its end may have as many lines as the kernel allows.
        let mappings = if length < most { lines } else { most_mappings() };
        self.held.kernel += mappings * self.mapping;
        if let Some(nameless) = self.nameless {
            self.bytes -= length;
            self.held.is_incomplete |= length == most;
            // The program's file counts although the program may not map it.
            self.at_file(Path::new(&format!("{place}/exe")));
            // The current folder counts although it may have no name.
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
        // Not every root may look at the mapped file, and the size of the mapping is not that of the file.
        let file = fs::metadata(shown(format_args!("{pid}/map_files/{addresses}")));
        self.at_nameless(inode, file.map_or(MANY, |found| found.blocks() * BLOCK));
    }
}

/// Returns the bytes that a process has written; `None` if the kernel does not count them. A write in progress counts
/// only on a disk, and one that is over also in a file system in memory.
fn written_by(pid: Pid) -> Option<u64> {
    let counters = text_of(shown(format_args!("{pid}/io"))).ok()?;
    let number = |key| value_of(&counters, key)?.parse::<u64>().ok();
    Some(number("write_bytes:")?.max(number("wchar:")?))
}

/// Looks at the processes of a program in a sandbox. If its files are on a disk with those of other users, `owner` is
/// its user, and `folder` has its files.
pub(crate) fn held_by_program(owner: Option<u32>, folder: &Path) -> Held {
    let nameless = owner.map(|owner| Nameless { owner, folder });
    // Not every kernel tells of sockets.
    CloseLook::at(living, sockets_of(owner).unwrap_or(0), nameless)
}

/// Reads the settings of the kernel that looks need, while this process can see them.
pub(crate) fn learn_settings() {
    socket_memory();
    most_mappings();
}

/// Returns the greatest number of mappings of a process, as the kernel reported it the first time.
fn most_mappings() -> u64 {
    static TOLD: OnceLock<u64> = OnceLock::new();
    *TOLD.get_or_init(|| setting("vm/max_map_count").unwrap_or(MOST_MAPPINGS))
}

fn setting(name: &str) -> Option<u64> {
    fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?.trim().parse().ok()
}

/// Returns the number of files that an event queue watches, or `None` if their list is too long for a
/// process.
fn watches_of(file: &Path) -> Option<u64> {
    let (folder, number) = (file.parent()?.with_file_name("fdinfo"), file.file_name()?);
    watches_in(File::open(folder.join(number)))
}

/// Returns the number of files in the list of an event queue. The kernel makes the whole list for a reader of
/// any part.
fn watches_in(list: io::Result<File>) -> Option<u64> {
    let mut text = Vec::new();
    let read = list.and_then(|list| list.take(MOST_EVENTS).read_to_end(&mut text));
    let length = match read {
        // The program has closed the queue, or the process has ended.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH)) => 0,
        read => read.ok()?,
    };
    let files = text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"tfd:")).count();
    ((length as u64) < MOST_EVENTS).then_some(files as u64)
}

/// Returns the memory of one end of a pair of sockets, in bytes, as the kernel reported it the first time.
fn socket_memory() -> u64 {
    static TOLD: OnceLock<u64> = OnceLock::new();
    *TOLD.get_or_init(|| setting("net/core/wmem_default").map_or(SOCKET, |bytes| 2 * bytes))
}

/// The files that a process has open.
enum OpenFiles {
    /// The links to its files.
    Listed(Vec<PathBuf>),
    /// The process has ended.
    Gone,
    /// The process cannot be looked at.
    Hidden,
}

/// The number of pauses of a look for processes that cannot be looked at, and the length of each.
const PAUSES: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// The CPU time after which a process that cannot be looked at is not just starting a program, which takes
/// much less.
const START: Duration = Duration::from_millis(5);

fn open_files(pid: Pid, pauses: &mut u32) -> OpenFiles {
    match list(pid, pid) {
        Some(files) if !files.is_empty() => OpenFiles::Listed(files),
        // The first thread may have ended: the others have the same files.
        _ => look_closer(pid, pauses),
    }
}

/// Lists the files of a thread, if the thread can be looked at.
fn list(pid: Pid, thread: Pid) -> Option<Vec<PathBuf>> {
    let files = fs::read_dir(shown(format_args!("{pid}/task/{thread}/fd"))).ok()?;
    Some(files.flatten().map(|file| file.path()).collect())
}

/// Finds the open files of a process whose first thread shows nothing.
///
/// An ordinary user cannot look at a process that ends, from the moment at which it gives up its memory, or
/// that starts a program, until its new memory is ready. While such a process waits for a processor, it does
/// not run, and hides nothing. A process that stays in this state runs a program that it may not read.
fn look_closer(pid: Pid, pauses: &mut u32) -> OpenFiles {
    let begun = cpu_clock(pid);
    loop {
        let before = cpu_clock(pid);
        let Some(thread) = live_thread(pid) else { return OpenFiles::Gone };
        if let Some(files) = list(pid, thread) {
            return OpenFiles::Listed(files);
        }
        let now = cpu_clock(pid);
        let is_waiting = Stat::of_thread(pid, thread)
            .is_some_and(|it| !it.is_ending && !"RD".contains(it.state));
        let has_waited = is_waiting && now == before;
        let has_run = now.zip(begun).is_some_and(|(now, begun)| now.saturating_sub(begun) >= START);
        if has_waited || has_run {
            return OpenFiles::Hidden;
        }
        if *pauses == 0 {
            return OpenFiles::Listed(Vec::new());
        }
        *pauses -= 1;
        thread::sleep(BETWEEN_LOOKS);
    }
}

/// The kind of a query about sockets, and the kinds of the last answer.
const SOCKETS: u16 = 20;
const FAILED: u16 = 2;
const DONE: u16 = 3;
/// The flags of a query about all sockets.
const ALL: u16 = 0x301;
/// The part of an answer with the user: the bit that requests this part, and its number.
const SHOW_USER: u32 = 1 << 6;
const USER: u16 = 7;
/// The lengths of the header of a message, and of the bytes before the parts of an answer.
const HEADER: usize = 16;
const FIXED: usize = 16;
/// The number of sockets at which the count stops.
const MANY_SOCKETS: u64 = 1 << 16;

/// Returns the number of sockets of a user in the network of this process, or of all users. Only Unix sockets
/// count, because a program can make only pairs of these.
///
/// A socket that no process has open any more counts while a thread waits for it.
fn sockets_of(user: Option<u32>) -> nix::Result<u64> {
    let (flags, protocol) = (SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkSockDiag);
    let kernel = socket(AddressFamily::Netlink, SockType::Raw, flags, protocol)?;
    send(kernel.as_raw_fd(), &question(), MsgFlags::MSG_DONTWAIT)?;
    let (mut answers, mut found) = (vec![0; 1 << 15], 0);
    loop {
        // The kernel writes its answers when they are read, so there is nothing to wait for.
        let length = recv(kernel.as_raw_fd(), &mut answers, MsgFlags::MSG_DONTWAIT)?;
        let mut left = &answers[..length];
        while let Some(answer) = take(&mut left, |part| word(part, 0)) {
            if matches!(half(answer, 4), Some(DONE | FAILED)) || found > MANY_SOCKETS {
                return Ok(found);
            }
            found += u64::from(user.is_none() || owner(answer) == user);
        }
        if length == 0 {
            return Ok(found);
        }
    }
}

/// Returns a query for all sockets of the family of pairs, in any state, with their users.
fn question() -> Vec<u8> {
    const LENGTH: usize = HEADER + 24;
    const ANY: u32 = u32::MAX;
    let family = [libc::AF_UNIX as u8, 0, 0, 0];
    let mut question = (LENGTH as u32).to_ne_bytes().to_vec();
    question.extend([SOCKETS, ALL].map(u16::to_ne_bytes).concat());
    question.extend([1, 0].map(u32::to_ne_bytes).concat());
    question.extend(family);
    question.extend([ANY, 0, SHOW_USER, 0, 0].map(u32::to_ne_bytes).concat());
    question
}

fn owner(answer: &[u8]) -> Option<u32> {
    let mut parts = answer.get(HEADER + FIXED..)?;
    while let Some(part) = take(&mut parts, |part| half(part, 0).map(u32::from)) {
        if half(part, 2) == Some(USER) {
            return word(part, 4);
        }
    }
    None
}

/// Takes the first part. Each part begins with its length, and the next part begins at a multiple of four
/// bytes.
fn take<'b>(parts: &mut &'b [u8], length: impl Fn(&[u8]) -> Option<u32>) -> Option<&'b [u8]> {
    let length = length(parts).and_then(|length| usize::try_from(length).ok())?;
    let part = parts.get(..length).filter(|part| part.len() >= 4)?;
    *parts = parts.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some(part)
}

fn word(bytes: &[u8], place: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(place..place + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], place: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(place..place + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::pipe;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};

    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    use nix::unistd::Uid;
    use rustix::event::epoll;

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
        // The child may have inherited other pipes.
        let is_seen = CloseLook::at(|| vec![pid], 0, None).kernel >= PIPE;
        child.kill()?;
        assert!(is_seen);
        // The child has closed its files by then, which it does after it has begun to end. Its number is
        // still its own.
        waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)?;
        assert_eq!(CloseLook::at(|| vec![pid], 0, None), Held::default());
        child.wait()?;
        assert_eq!(CloseLook::at(|| vec![pid], 0, None), Held::default());
        Ok(())
    }

    #[test]
    fn processes_that_come_during_a_look_are_seen() {
        let kept: Vec<_> = (0..50).map(|_| pipe()).collect();
        let gone = |number| Pid::from_raw(i32::MAX - number);
        let lists = Cell::new(0);
        let look = |last| {
            lists.set(0);
            let list = || {
                let before = lists.replace(lists.get() + 1);
                let new = if before < last { gone(before) } else { Pid::this() };
                vec![gone(0), new]
            };
            CloseLook::at(list, 0, None)
        };
        let seen = look(2);
        assert!(seen.kernel >= 40 * PIPE, "{seen:?}");
        // A program that starts processes all the time does not keep a look from ending.
        assert_eq!(look(MOST_LISTS as i32), Held::default());
        drop(kept);
    }

    #[test]
    fn pipes_sockets_and_files_without_name_count() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let nameless = Nameless { owner: Uid::current().as_raw(), folder: folder.path() };
        let look = || CloseLook::at(|| vec![Pid::this()], 0, Some(nameless));
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

    #[test]
    fn queue_of_events_that_is_closed_while_it_is_looked_at_holds_nothing() -> std::io::Result<()> {
        let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let list = || File::open(format!("/proc/self/fdinfo/{}", queue.as_raw_fd()));
        assert_eq!(watches_in(list()), Some(0));
        let opened = list();
        drop(queue);
        assert_eq!(watches_in(opened), Some(0));
        Ok(())
    }

    #[test]
    fn sockets_of_user_are_counted() -> std::io::Result<()> {
        let pairs: Vec<_> = (0..50).map(|_| UnixStream::pair()).collect::<Result<_, _>>()?;
        // Other processes of this user open and close sockets meanwhile.
        for user in [Some(Uid::current().as_raw()), None] {
            let found = sockets_of(user)?;
            assert!(found >= 2 * pairs.len() as u64, "{user:?}: {found}");
        }
        // No user has this number.
        assert_eq!(sockets_of(Some(u32::MAX - 1))?, 0);
        Ok(())
    }
}
