//! User IDs of the host for programs, one for each program.
//!
//! The oldest rules of Unix keep users apart, and so programs from each other and from the host: no program
//! can send signals to another, set its limits, read its memory, change its files or use up its processes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};
use std::{process, thread};

use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};
use rustix::thread::set_thread_res_uid;

use crate::launch::Ids;
use crate::system::processes::{numbers, text_of, value_of};

/// The IDs that are used where `/etc/subuid` gives root none: the high range if the system has it, otherwise
/// the low range. No package of a distribution uses them.
const RANGES: [(u32, u32); 2] = [(0x6000_0000, 0x7000_0000), (30_000, 60_000)];
/// The number of pairs of IDs that are tried before an error.
const TRIES: u32 = 4096;
/// The folder with a file for each pair of IDs. The lock of the file says that the IDs are in use.
const REGISTRY: &str = "/run/plyground";
/// The content of such a file if no process with the IDs is left, and otherwise. They have the same length:
/// some file systems write a file that was shortened to the disk at once.
const CLEAN: &[u8; MARK] = b"clean\n";
const IN_USE: &[u8; MARK] = b"inuse\n";
const MARK: usize = 6;

/// The time that strays have to end.
const STRAYS_END: Duration = Duration::from_secs(1);
/// The pause between two looks for processes that are about to be gone.
const PAUSE: Duration = Duration::from_millis(2);

/// IDs that no other program on this computer has while this value lives.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) ids: Ids,
    file: Flock<File>,
}

impl Identity {
    /// Returns IDs that no process has, or `None` if this process may not give them to others.
    pub(crate) fn claim() -> io::Result<Option<Identity>> {
        if !Uid::effective().is_root() {
            return Ok(None);
        }
        let registry = Path::new(REGISTRY);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{REGISTRY}: {error}"));
        let place = registry_place(registry).map_err(named)?;
        let (first, end) = range()?;
        static STRAYS: Once = Once::new();
        STRAYS.call_once(|| end_strays(registry, first..end));
        let pairs = (end - first) / 2;
        for number in 0..TRIES.min(pairs) {
            // Two containers have a registry each, and most likely begin at different places.
            let keeper = first + 2 * ((place.wrapping_add(number)) % pairs);
            let ids = Ids { program: keeper + 1, keeper };
            if let Some(file) = lock(&registry.join(keeper.to_string())).map_err(named)? {
                let identity = Identity { ids, file };
                if identity.has(CLEAN) || !ids.has_processes() {
                    identity.mark(IN_USE)?;
                    return Ok(Some(identity));
                }
            }
        }
        Err(io::Error::other("no unused user ID"))
    }

    fn has(&self, mark: &[u8; MARK]) -> bool {
        let mut text = [0; MARK];
        self.file.read_exact_at(&mut text, 0).is_ok() && text == *mark
    }

    fn mark(&self, text: &[u8; MARK]) -> io::Result<()> {
        self.file.write_all_at(text, 0)
    }

    /// Returns the lock of the IDs. It is held until this value is dropped or, if this process is killed, until each
    /// process with a copy of the descriptor has ended.
    pub(crate) fn lock(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Kills every process with the ID of the program, and gives the IDs back if no process is left within
    /// this time. Returns true if no process is left. If `is_over` is true, this is known already.
    pub(crate) fn give_back(self, is_over: bool, within: Duration) -> bool {
        let is_over = is_over || self.ids.end_all(within);
        if is_over {
            let _ = self.mark(CLEAN);
        }
        is_over
    }
}

impl Ids {
    /// Sends a signal to all processes of the program at once. A process that is started meanwhile receives
    /// the signal, too.
    ///
    /// Only a process of root may call this. The calling thread has other IDs for a moment.
    pub(crate) fn signal(self, signal: Signal) {
        // Signals reach processes with the effective ID, and none with that of root. The program
        // cannot signal this process, whose real ID is another.
        let [keeper, program] = [self.keeper, self.program].map(rustix::thread::Uid::from_raw);
        let root = rustix::thread::Uid::ROOT;
        if set_thread_res_uid(keeper, program, root).is_ok() {
            let _ = kill(Pid::from_raw(-1), signal);
            if set_thread_res_uid(root, root, root).is_err() {
                process::abort();
            }
        }
    }

    /// Kills all processes of the program until none is left, for this time at most. Returns true if none is
    /// left.
    pub(crate) fn end_all(self, within: Duration) -> bool {
        let started = Instant::now();
        loop {
            // A separate thread does this, because a change of its ID resets settings such as the
            // parent-death signal.
            thread::scope(|scope| {
                let killer = thread::Builder::new().spawn_scoped(scope, || {
                    self.signal(Signal::SIGKILL);
                });
                let _ = killer.map(thread::ScopedJoinHandle::join);
            });
            if !self.has_processes() {
                return true;
            }
            if started.elapsed() > within {
                return false;
            }
            thread::sleep(PAUSE);
        }
    }

    pub(crate) fn has_processes(self) -> bool {
        numbers("/proc").any(|pid| {
            let status = text_of(format!("/proc/{pid}/status")).unwrap_or_default();
            let field = |name: &str| value_of(&status, name);
            let mut ids = field("Uid:").unwrap_or_default().split_ascii_whitespace();
            // A process that has ended but was not waited for yet does nothing any more.
            !field("State:").is_none_or(|state| state.starts_with(['Z', 'X']))
                && ids.any(|id| id.parse() == Ok(self.program) || id.parse() == Ok(self.keeper))
        })
    }
}

/// Makes the folder of the registry, and returns a number that differs from that of other registries.
fn registry_place(registry: &Path) -> io::Result<u32> {
    match DirBuilder::new().mode(0o700).create(registry) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(registry)?;
    if !found.is_dir() || found.uid() != 0 || found.permissions().mode() & 0o022 != 0 {
        return Err(io::Error::other("expected a folder of root that only root can write"));
    }
    Ok((found.ino().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) as u32)
}

/// Ends the processes of runs that were killed together with their supervisors. The lock of their IDs is free, and the
/// mark says that the IDs were in use.
fn end_strays(registry: &Path, range: Range<u32>) {
    for entry in fs::read_dir(registry).into_iter().flatten().flatten() {
        let keeper = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(keeper) = keeper.filter(|keeper| range.contains(keeper)) else { continue };
        let Ok(Some(file)) = lock(&entry.path()) else { continue };
        let left = Identity { ids: Ids { program: keeper + 1, keeper }, file };
        if left.has(IN_USE) {
            left.give_back(false, STRAYS_END);
        }
    }
}

/// Takes the lock of a pair of IDs, if it is free.
fn lock(path: &Path) -> io::Result<Option<Flock<File>>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    Ok(Flock::lock(options.open(path)?, FlockArg::LockExclusiveNonblock).ok())
}

/// Returns the first and the end of the IDs that this process may give to programs: the IDs that
/// `/etc/subuid` gave root at the first call, or IDs that no user has.
fn range() -> io::Result<(u32, u32)> {
    static FOUND: OnceLock<(u32, u32)> = OnceLock::new();
    if let Some(&found) = FOUND.get() {
        return Ok(found);
    }
    let map = fs::read_to_string("/proc/self/uid_map")?;
    let subordinate = fs::read_to_string("/etc/subuid").unwrap_or_default();
    let found = find_range(&map, &subordinate);
    let found = found.ok_or_else(|| io::Error::other("no user IDs are left"))?;
    Ok(*FOUND.get_or_init(|| found))
}

fn find_range(map: &str, subordinate: &str) -> Option<(u32, u32)> {
    let mapped: Vec<(u64, u64)> = map
        .lines()
        .filter_map(|line| {
            let mut numbers = line.split_ascii_whitespace().filter_map(|word| word.parse().ok());
            let (first, _, length): (u64, u64, u64) =
                (numbers.next()?, numbers.next()?, numbers.next()?);
            Some((first, first + length))
        })
        .collect();
    let given = subordinate.lines().filter_map(|line| {
        let (first, length) = line.strip_prefix("root:")?.split_once(':')?;
        let (first, length): (u32, u32) = (first.parse().ok()?, length.trim().parse().ok()?);
        (length >= 2 && first > 0).then_some(())?;
        Some((first, first.checked_add(length)?))
    });
    let fits = |&(first, end): &(u32, u32)| {
        mapped.iter().any(|&(from, to)| from <= u64::from(first) && u64::from(end) <= to)
    };
    given.chain(RANGES).find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "         0          0 4294967295\n";

    #[test]
    fn ids_are_those_of_subuid_or_unused_ones() {
        assert_eq!(find_range(WHOLE, ""), Some(RANGES[0]));
        let subuid = "ann:100000:65536\nroot:200000:1000\n";
        assert_eq!(find_range(WHOLE, subuid), Some((200_000, 201_000)));
        // A container has 65,536 IDs.
        assert_eq!(find_range("0 1000 65536\n", subuid), Some(RANGES[1]));
        assert_eq!(find_range("0 1000 1\n", subuid), None);
    }

    /// Starts a process with the ID of a program.
    fn sleeper(ids: Ids) -> io::Result<std::process::Child> {
        use std::os::unix::process::CommandExt;
        let mut sleep = std::process::Command::new("sleep");
        sleep.arg("600").uid(ids.program).gid(ids.program).spawn()
    }

    #[test]
    fn no_two_programs_have_the_same_ids() -> io::Result<()> {
        let (Some(one), Some(other)) = (Identity::claim()?, Identity::claim()?) else {
            return Ok(());
        };
        assert_ne!(one.ids, other.ids);
        assert!(!one.ids.has_processes());
        let mut sleeper = sleeper(one.ids)?;
        assert!(one.ids.has_processes() && !other.ids.has_processes());
        // A process that has ended counts no more, although its parent has not waited for it yet.
        assert!(one.give_back(false, Duration::from_secs(60)));
        assert!(other.give_back(true, Duration::ZERO));
        sleeper.wait()?;
        Ok(())
    }

    #[test]
    fn strays_of_a_run_that_was_killed_are_ended() -> io::Result<()> {
        let Some(killed) = Identity::claim()? else { return Ok(()) };
        let mut stray = sleeper(killed.ids)?;
        drop(killed);
        // Another process may have taken the IDs meanwhile, and does the same at once.
        let (first, end) = range()?;
        while stray.try_wait()?.is_none() {
            end_strays(Path::new(REGISTRY), first..end);
        }
        Ok(())
    }
}
