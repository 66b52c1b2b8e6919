//! The control group of one sandbox: its processes, its limits and its counters.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{ForkResult, UnlinkatFlags, unlinkat};
use rustix::fs::{Dir, FileType, FlockOperation, flock};

use crate::failure::step;
use crate::launch::GroupPlan;
use crate::looker::Counters;
use crate::system::processes::fork;

const INIT: &str = "init";
/// The number of tries to make a group, because another process may take the new group for a leftover.
const TRIES: u32 = 5;
/// The number of tries to remove a group whose processes are about to be gone, and the pause between them.
const REMOVALS: u32 = 500;
const BETWEEN_REMOVALS: Duration = Duration::from_millis(2);
/// The control group of one sandbox. The processes are in a group inside it, which has the limits. If there
/// are limits, the init of a sandbox with namespaces is in another group inside.
///
/// The files of the group are opened when it is made, because the supervisor may have another root later.
#[derive(Debug)]
pub(crate) struct Cgroup {
    name: PathBuf,
    parent: File,
    /// The folder of the group, whose lock tells other processes that the group has an owner.
    folder: File,
    /// The folder of the group for the init, if there is one.
    init: Option<File>,
    limits: GroupLimits,
    members: RefCell<Members>,
}

impl Cgroup {
    /// Makes a group with limits: `memory` in bytes, and `threads` of all processes together. If `init` is
    /// given, an init that is this user starts the processes.
    pub(crate) fn make(
        plan: &GroupPlan,
        memory: u64,
        threads: u64,
        init: Option<u32>,
    ) -> io::Result<Cgroup> {
        let mut tries = 0;
        let limits = GroupLimits {
            memory: plan.memory.then_some(memory),
            threads: plan.processes.then_some(threads),
        };
        loop {
            tries += 1;
            match Cgroup::try_make(&plan.folder, limits, init) {
                Err(_) if tries < TRIES => remove(&plan.folder),
                made => {
                    let name = format!("control group {}", plan.folder.display());
                    return step(name, made);
                }
            }
        }
    }

    fn try_make(path: &Path, limits: GroupLimits, init: Option<u32>) -> io::Result<Cgroup> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        fs::create_dir(path)?;
        let folder = lock(path)?;
        for (controller, is_limited) in
            [("memory", limits.memory.is_some()), ("pids", limits.threads.is_some())]
        {
            if is_limited {
                set(path, "cgroup.subtree_control", &format!("+{controller}"))?;
            }
        }
        let members = Members::make(&folder, limits, 0)?;
        let init = init.map(|id| {
            // A group that gives controllers to groups inside it must have no processes itself.
            let is_limited = limits.memory.is_some() || limits.threads.is_some();
            let own = if is_limited { path.join(INIT) } else { path.to_owned() };
            if is_limited {
                fs::create_dir(&own)?;
            }
            // The init starts the processes: from its own group, in their group, and in new groups later.
            for owned in ["", "cgroup.procs", "0", "0/cgroup.procs"] {
                chown(path.join(owned), Some(id), Some(id))?;
            }
            open_folder(&own)
        });
        Ok(Cgroup {
            name: name.into(),
            parent: open_folder(above)?,
            members: RefCell::new(members),
            init: init.transpose()?,
            folder,
            limits,
        })
    }

    /// Forks this process, with the child in this group. No earlier process of the group may be alive.
    ///
    /// # Safety
    ///
    /// As for [`fork`].
    pub(crate) unsafe fn fork(&self) -> io::Result<ForkResult> {
        let mut members = self.members.borrow_mut();
        if members.was_killed {
            let mut next = Members::make(&self.folder, self.limits, members.number + 1)?;
            next.before = members.counters().unwrap_or(members.before);
            let old = std::mem::replace(&mut *members, next).number;
            remove_from(&self.folder, Path::new(&old.to_string()));
        }
        // SAFETY: the caller promises what is needed.
        unsafe { fork(0, Some(members.folder.as_fd())) }
    }

    /// Returns the folder of the group for the init, if there is one.
    pub(crate) fn of_init(&self) -> Option<BorrowedFd<'_>> {
        self.init.as_ref().map(File::as_fd)
    }

    pub(crate) fn limits_memory(&self) -> bool {
        self.limits.memory.is_some()
    }

    pub(crate) fn counters(&self) -> io::Result<Counters> {
        self.members.borrow().counters()
    }

    /// Returns the CPU time of all processes of the group, past and present.
    pub(crate) fn cpu(&self) -> io::Result<Duration> {
        let members = self.members.borrow();
        Ok(members.before.cpu + members.cpu()?)
    }

    /// Returns the number of processes in the group. Threads do not count.
    pub(crate) fn processes(&self) -> io::Result<u32> {
        let list = read_all(&self.members.borrow().processes)?;
        let lines = list.iter().filter(|&&byte| byte == b'\n').count();
        Ok(u32::try_from(lines).unwrap_or(u32::MAX))
    }

    /// Stops all processes, and those that they are starting, until [`resume`](Cgroup::resume).
    pub(crate) fn freeze(&self) -> io::Result<()> {
        (&self.members.borrow().freeze).write_all(b"1")
    }

    pub(crate) fn resume(&self) -> io::Result<()> {
        (&self.members.borrow().freeze).write_all(b"0")
    }

    /// Kills all processes, and those that they are starting.
    pub(crate) fn kill(&self) -> io::Result<()> {
        let mut members = self.members.borrow_mut();
        members.was_killed = true;
        (&members.kill).write_all(b"1")
    }

    /// Removes the group and everything that is left in it.
    pub(crate) fn remove(&self) {
        let _ = self.kill();
        // The init may have made other groups by now, of which this process does not know.
        remove_inner(&self.folder);
        remove_from(&self.parent, &self.name);
    }
}

/// Removes a group from the folder of its parent.
fn remove_from(parent: &File, name: &Path) {
    let remove = || unlinkat(parent, name, UnlinkatFlags::RemoveDir);
    remove_when_empty(|| remove().map_err(io::Error::from));
}

fn remove_inner(folder: &File) {
    let names = Dir::read_from(folder).into_iter().flatten().flatten();
    let names = names.filter(|entry| entry.file_type() == FileType::Directory);
    let names: Vec<_> = names.map(|entry| entry.file_name().to_owned()).collect();
    for name in names.iter().filter(|name| !name.to_bytes().starts_with(b".")) {
        remove_from(folder, Path::new(OsStr::from_bytes(name.to_bytes())));
    }
}

/// Removes a group whose lock this process has taken, and everything that is left in it.
///
/// Everything inside goes by the locked folder: a supervisor that lost the race for the lock makes its group
/// again, and the new group may have the same path by now.
pub(super) fn remove_locked(folder: &File, path: &Path) {
    end_all(folder);
    let _ = fs::remove_dir(path);
}

/// Removes a group without an owner, if there is one in this folder, and everything that is left in it.
pub(super) fn remove(path: &Path) {
    // If the folder cannot be opened, the group is gone.
    let Ok(folder) = open_folder(path) else { return };
    end_all(&folder);
    remove_when_empty(|| fs::remove_dir(path));
}

/// Kills all processes of a group, and removes the groups inside it.
fn end_all(group: &File) {
    let kill = openat(group, "cgroup.kill", OFlag::O_WRONLY | OFlag::O_CLOEXEC, Mode::empty());
    let _ = kill.map(|file| File::from(file).write_all(b"1"));
    remove_inner(group);
}

/// Removes a group once it is empty: a process that was killed stays in its group until it is reaped.
fn remove_when_empty(mut remove: impl FnMut() -> io::Result<()>) {
    for _ in 0..REMOVALS {
        match remove() {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                thread::sleep(BETWEEN_REMOVALS);
            }
            Ok(()) | Err(_) => return,
        }
    }
}

/// Takes the lock of a group, if it is free.
///
/// The lock is held until the last process has closed the folder. A guard that releases the lock when dropped
/// would do so in the init, which ends before the processes that started it.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    let file = open_folder(folder)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

fn open_folder(folder: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(folder)
}

pub(super) fn set(folder: &Path, file: &str, word: &str) -> io::Result<()> {
    let write =
        || OpenOptions::new().write(true).open(folder.join(file))?.write_all(word.as_bytes());
    write().map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))
}

/// The length of the part of a file that is read at a time, in bytes.
const CHUNK: usize = 4096;

/// The limits of the processes in a group together, where the kernel has them.
#[derive(Clone, Copy, Debug)]
struct GroupLimits {
    /// The memory in bytes.
    memory: Option<u64>,
    /// The number of processes and threads.
    threads: Option<u64>,
}

/// The group inside the group of a sandbox, with the processes of one or several runs.
///
/// From Linux 6.14 on, the kernel also kills processes that are started in a group after a kill there.
/// Therefore a new group follows a kill.
#[derive(Debug)]
struct Members {
    number: u64,
    folder: File,
    processes: File,
    freeze: File,
    kill: File,
    cpu: File,
    /// The events at the limit of the memory, if there is one.
    memory_events: Option<File>,
    /// The events at the limit of processes and threads, if there is one.
    pids_events: Option<File>,
    /// The counters of the previous groups.
    before: Counters,
    was_killed: bool,
}

impl Members {
    fn make(sandbox: &File, limits: GroupLimits, number: u64) -> io::Result<Members> {
        let name = number.to_string();
        mkdirat(sandbox, name.as_str(), Mode::from_bits_truncate(0o755))?;
        let open = |file: &str, flags| {
            openat(sandbox, &Path::new(&name).join(file), flags | OFlag::O_CLOEXEC, Mode::empty())
                .map(File::from)
                .map_err(io::Error::from)
        };
        let set = |file: &str, word: &str| open(file, OFlag::O_WRONLY)?.write_all(word.as_bytes());
        if let Some(memory) = limits.memory {
            // A kernel without swap does not have this file.
            let _ = set("memory.swap.max", "0");
            set("memory.oom.group", "1")?;
            set("memory.max", &memory.to_string())?;
        }
        if let Some(threads) = limits.threads {
            set("pids.max", &threads.to_string())?;
        }
        let read = |file: &str| open(file, OFlag::O_RDONLY);
        Ok(Members {
            number,
            folder: open("", OFlag::O_DIRECTORY | OFlag::O_RDONLY)?,
            processes: read("cgroup.procs")?,
            freeze: open("cgroup.freeze", OFlag::O_WRONLY)?,
            kill: open("cgroup.kill", OFlag::O_WRONLY)?,
            cpu: read("cpu.stat")?,
            memory_events: limits.memory.map(|_| read("memory.events")).transpose()?,
            pids_events: limits.threads.map(|_| read("pids.events")).transpose()?,
            before: Counters::default(),
            was_killed: false,
        })
    }

    fn cpu(&self) -> io::Result<Duration> {
        number(&self.cpu, "usage_usec").map(Duration::from_micros)
    }

    fn counters(&self) -> io::Result<Counters> {
        let events =
            |file: &Option<File>, event| file.as_ref().map_or(Ok(0), |file| number(file, event));
        let Counters { cpu, out_of_memory, refused_processes } = self.before;
        Ok(Counters {
            cpu: cpu + self.cpu()?,
            out_of_memory: out_of_memory + events(&self.memory_events, "oom")?,
            refused_processes: refused_processes + events(&self.pids_events, "max")?,
        })
    }
}

fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; CHUNK]);
    loop {
        match file.read_at(&mut chunk, bytes.len() as u64)? {
            0 => return Ok(bytes),
            length => bytes.extend_from_slice(&chunk[..length]),
        }
    }
}

/// Reads the number after a key at the beginning of a line.
fn number(file: &File, key: &str) -> io::Result<u64> {
    let text = read_all(file)?;
    find_number(&String::from_utf8_lossy(&text), key)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn find_number(text: &str, key: &str) -> Option<u64> {
    let value = |line: &str| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use nix::sys::signal::Signal;
    use nix::sys::wait::{WaitStatus, waitpid};
    use nix::unistd::Pid;

    use super::*;
    use crate::start::end_process;
    use crate::system::cgroup::{home_limits, next_group};

    #[test]
    fn lock_is_held_until_the_last_process_lets_go() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let own = lock(folder.path())?;
        // SAFETY: the child makes system calls only.
        match unsafe { nix::unistd::fork() }? {
            ForkResult::Child => {
                drop(own);
                end_process(0)
            }
            ForkResult::Parent { child } => waitpid(child, None)?,
        };
        assert!(lock(folder.path()).is_err());
        drop(own);
        // The children of other tests inherit what is open at the time of their fork.
        wait_until(|| Ok(lock(folder.path()).is_ok()))
    }

    /// Starts a process in a group that uses CPU time until it is killed.
    fn spin(group: &Cgroup) -> io::Result<Pid> {
        // SAFETY: the child calls nothing.
        match unsafe { group.fork() }? {
            ForkResult::Parent { child } => Ok(child),
            ForkResult::Child => loop {
                std::hint::spin_loop();
            },
        }
    }

    fn wait_until(mut is_true: impl FnMut() -> io::Result<bool>) -> io::Result<()> {
        let started = Instant::now();
        while !is_true()? {
            assert!(started.elapsed() < Duration::from_secs(60), "waited in vain");
            thread::sleep(BETWEEN_REMOVALS);
        }
        Ok(())
    }

    #[test]
    fn members_stand_still_and_die_together() -> io::Result<()> {
        let Some(named) = next_group() else {
            // This machine has no groups for us, and says why.
            assert!(home_limits().groups.is_none() && home_limits().why.is_some());
            return Ok(());
        };
        let folder = named.plan.folder.clone();
        let group = Cgroup::make(&named.plan, 1 << 30, 100, None)?;
        for run in 0..2 {
            let members = [spin(&group)?, spin(&group)?, spin(&group)?];
            assert_eq!(group.processes()?, 3);
            let before = group.cpu()?;
            wait_until(|| Ok(group.cpu()? > before))?;
            group.freeze()?;
            let events = folder.join(run.to_string()).join("cgroup.events");
            wait_until(|| Ok(fs::read_to_string(&events)?.contains("frozen 1")))?;
            let frozen = group.cpu()?;
            thread::sleep(Duration::from_millis(50));
            assert_eq!(group.cpu()?, frozen);
            if run == 1 {
                group.resume()?;
                wait_until(|| Ok(group.cpu()? > frozen))?;
            }
            // One write kills all, frozen or not.
            group.kill()?;
            for pid in members {
                let end = WaitStatus::Signaled(pid, Signal::SIGKILL, false);
                assert_eq!(waitpid(pid, None)?, end);
            }
            assert_eq!(group.processes()?, 0);
        }
        assert!(lock(&folder).is_err(), "somebody else takes the group for one without an owner");
        group.remove();
        assert!(!folder.exists());
        // A group that its owner has left behind is removed with its name.
        let left = Cgroup::make(&named.plan, 1 << 30, 100, None)?;
        let pid = spin(&left)?;
        drop(left);
        thread::spawn(move || waitpid(pid, None));
        assert!(folder.exists());
        drop(named);
        assert!(!folder.exists());
        Ok(())
    }

    #[test]
    fn numbers_are_found_by_whole_keys() {
        let text = "low 1\noom_kill 3\noom 2\nmax 18446744073709551615\n";
        assert_eq!(find_number(text, "oom"), Some(2));
        assert_eq!(find_number(text, "max"), Some(u64::MAX));
        assert_eq!(find_number(text, "high"), None);
    }
}
