//! The control group of one sandbox.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg, OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{ForkResult, UnlinkatFlags, unlinkat};

use super::clone::fork_into;
use crate::namespaces::step;
use crate::plan::GroupPlan;

/// How often to try to make a group that somebody takes for one that was left behind.
const TRIES: u32 = 5;
/// How often, and after which time each, to try to remove a group whose processes are about to be gone.
const REMOVALS: u32 = 500;
const BETWEEN_REMOVALS: Duration = Duration::from_millis(2);
/// How much of a file to read at a time, in bytes.
const CHUNK: usize = 4096;

/// The control group of one sandbox, of which this process is no member. It has the limits; the processes are
/// in a group inside it.
///
/// Its files are opened when it is made: later, the supervisor may have another root.
#[derive(Debug)]
pub(crate) struct Cgroup {
    name: PathBuf,
    parent: File,
    /// The lock tells others that the group has an owner.
    folder: Flock<File>,
    members: Mutex<Members>,
    cpu: File,
    /// What happened at the limit of the memory, if there is one.
    memory_events: Option<File>,
    /// What happened at the limit of processes and threads, if there is one.
    pids_events: Option<File>,
}

/// What a group has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// The CPU time of all processes that ever were in it.
    pub(crate) cpu: Duration,
    /// How often its memory was at the limit and nothing could be freed.
    pub(crate) out_of_memory: u64,
    /// How often a process or thread was refused.
    pub(crate) refused_processes: u64,
}

impl Cgroup {
    /// Makes a group with limits: `memory` in bytes, and `threads` of all processes together.
    ///
    /// # Errors
    ///
    /// The step that the kernel refuses.
    pub(crate) fn make(plan: &GroupPlan, memory: u64, threads: u64) -> io::Result<Cgroup> {
        let mut tries = 0;
        loop {
            tries += 1;
            match Cgroup::try_make(plan, memory, threads) {
                Err(_) if tries < TRIES => remove(&plan.folder),
                made => {
                    let name = format!("control group {}", plan.folder.display());
                    return made.map_err(|error| step(&name, error));
                }
            }
        }
    }

    fn try_make(plan: &GroupPlan, memory: u64, threads: u64) -> io::Result<Cgroup> {
        let path = &plan.folder;
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        fs::create_dir(path)?;
        let folder = lock(path)?;
        if plan.memory {
            // A kernel may do without an area for swapping.
            let _ = set(path, "memory.swap.max", "0");
            set(path, "memory.oom.group", "1")?;
            set(path, "memory.max", &memory.to_string())?;
        }
        if plan.processes {
            set(path, "pids.max", &threads.to_string())?;
        }
        let read = |file: &str| File::open(path.join(file));
        Ok(Cgroup {
            name: name.into(),
            parent: open_folder(above)?,
            members: Mutex::new(Members::make(&folder, 0)?),
            folder,
            cpu: read("cpu.stat")?,
            memory_events: plan.memory.then(|| read("memory.events")).transpose()?,
            pids_events: plan.processes.then(|| read("pids.events")).transpose()?,
        })
    }

    /// Forks this process, with the child in this group. None of its earlier processes may be alive.
    ///
    /// # Safety
    ///
    /// As for [`fork_into`].
    pub(crate) unsafe fn fork(&self) -> io::Result<ForkResult> {
        let mut members = self.members();
        if members.was_killed {
            let next = Members::make(&self.folder, members.number + 1)?;
            std::mem::replace(&mut *members, next).remove(&self.folder);
        }
        // SAFETY: the caller promises what is needed.
        unsafe { fork_into(members.folder.as_fd()) }
    }

    /// Returns whether the kernel limits the memory of the group.
    pub(crate) fn limits_memory(&self) -> bool {
        self.memory_events.is_some()
    }

    /// Returns what the group has counted.
    pub(crate) fn counters(&self) -> io::Result<Counters> {
        let cpu = number(&self.cpu, "usage_usec")?;
        let events =
            |file: &Option<File>, event| file.as_ref().map_or(Ok(0), |file| number(file, event));
        Ok(Counters {
            cpu: Duration::from_micros(cpu),
            out_of_memory: events(&self.memory_events, "oom")?,
            refused_processes: events(&self.pids_events, "max")?,
        })
    }

    /// Returns the CPU time of all processes that ever were in the group.
    pub(crate) fn cpu(&self) -> io::Result<Duration> {
        number(&self.cpu, "usage_usec").map(Duration::from_micros)
    }

    /// Returns how many processes are in the group. Threads do not count.
    pub(crate) fn processes(&self) -> io::Result<u32> {
        let lines =
            read_all(&self.members().processes)?.iter().filter(|&&byte| byte == b'\n').count();
        Ok(u32::try_from(lines).unwrap_or(u32::MAX))
    }

    /// Stops all processes, and those that they are starting, until [`resume`](Cgroup::resume).
    pub(crate) fn freeze(&self) -> io::Result<()> {
        (&self.members().freeze).write_all(b"1")
    }

    /// Lets all processes go on.
    pub(crate) fn resume(&self) -> io::Result<()> {
        (&self.members().freeze).write_all(b"0")
    }

    /// Kills all processes, and those that they are starting.
    pub(crate) fn kill(&self) -> io::Result<()> {
        let mut members = self.members();
        members.was_killed = true;
        (&members.kill).write_all(b"1")
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the group and what is left in it.
    pub(crate) fn remove(&self) {
        let _ = self.kill();
        self.members().remove(&self.folder);
        remove_from(&self.parent, &self.name);
    }
}

/// The group inside that of a sandbox in which the processes of one run or several are.
///
/// From Linux 6.14 on, the kernel also kills what is started in a group after a kill there. So there is a
/// new one then.
#[derive(Debug)]
struct Members {
    number: u64,
    folder: File,
    processes: File,
    freeze: File,
    kill: File,
    was_killed: bool,
}

impl Members {
    fn make(sandbox: &File, number: u64) -> io::Result<Members> {
        let name = number.to_string();
        mkdirat(sandbox, name.as_str(), Mode::from_bits_truncate(0o755))?;
        let open = |file: &str, flags| {
            openat(sandbox, &Path::new(&name).join(file), flags | OFlag::O_CLOEXEC, Mode::empty())
        };
        Ok(Members {
            number,
            folder: open("", OFlag::O_DIRECTORY | OFlag::O_RDONLY)?.into(),
            processes: open("cgroup.procs", OFlag::O_RDONLY)?.into(),
            freeze: open("cgroup.freeze", OFlag::O_WRONLY)?.into(),
            kill: open("cgroup.kill", OFlag::O_WRONLY)?.into(),
            was_killed: false,
        })
    }

    fn remove(&self, sandbox: &File) {
        remove_from(sandbox, Path::new(&self.number.to_string()));
    }
}

/// Removes a group from the folder of the one that it is in.
fn remove_from(parent: &File, name: &Path) {
    let remove = || unlinkat(parent, name, UnlinkatFlags::RemoveDir);
    remove_when_empty(|| remove().map_err(io::Error::from));
}

/// Removes a group that nobody owns any more, if there is one in this folder, and what is left in it.
pub(super) fn remove(folder: &Path) {
    // No entry: it is gone, as it should be.
    let Ok(entries) = fs::read_dir(folder) else { return };
    let _ = set(folder, "cgroup.kill", "1");
    for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
        remove_when_empty(|| fs::remove_dir(entry.path()));
    }
    remove_when_empty(|| fs::remove_dir(folder));
}

/// A process that was killed is in its group until somebody has waited for it.
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

/// Takes the lock of a group, if nobody has it.
pub(super) fn lock(folder: &Path) -> io::Result<Flock<File>> {
    Flock::lock(open_folder(folder)?, FlockArg::LockExclusiveNonblock)
        .map_err(|(_, error)| error.into())
}

fn open_folder(folder: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(folder)
}

/// Writes a word into a file of a group.
pub(super) fn set(folder: &Path, file: &str, word: &str) -> io::Result<()> {
    let write =
        || OpenOptions::new().write(true).open(folder.join(file))?.write_all(word.as_bytes());
    write().map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))
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
    use crate::cgroup::{home_limits, next_group};

    #[test]
    fn numbers_are_found_by_whole_keys() {
        let text = "low 1\noom_kill 3\noom 2\nmax 18446744073709551615\n";
        assert_eq!(find_number(text, "oom"), Some(2));
        assert_eq!(find_number(text, "max"), Some(u64::MAX));
        assert_eq!(find_number(text, "high"), None);
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
        let group = Cgroup::make(&named.plan, 1 << 30, 100)?;
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
        // What nobody has removed is removed with its name.
        let left = Cgroup::make(&named.plan, 1 << 30, 100)?;
        let pid = spin(&left)?;
        drop(left);
        thread::spawn(move || waitpid(pid, None));
        assert!(folder.exists());
        drop(named);
        assert!(!folder.exists());
        Ok(())
    }
}
