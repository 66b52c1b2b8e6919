//! A user ID for one program.
//!
//! What the oldest rule of Unix refuses between users, no program can do to another, nor to the
//! host: send signals, set limits, read memory, change files.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;

use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Uid, fork};

/// The IDs that are tried, where the system has room for them and where it has not. No package of a
/// distribution uses them.
const RANGES: [(u32, u32); 2] = [(0x6000_0000, 0x7000_0000), (30_000, 60_000)];
/// How many IDs are tried before something is wrong.
const TRIES: u32 = 64;

/// The user of one program, and another for those who send it signals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnUser {
    /// The user ID and the group ID of the program.
    pub(crate) id: u32,
    /// The ID of the process that signals the program, which the program cannot signal.
    sender: u32,
}

impl OwnUser {
    /// Returns an ID that no process has.
    pub(crate) fn unused() -> io::Result<OwnUser> {
        let (first, end) = range()?;
        for _ in 0..TRIES {
            // The standard library seeds its hash maps with random numbers of the OS.
            let number = RandomState::new().build_hasher().finish();
            let room = u64::from(end - first) / 2;
            let id = first + 2 * u32::try_from(number % room).unwrap_or(0);
            if !is_used(id) && !is_used(id + 1) {
                return Ok(OwnUser { id, sender: id + 1 });
            }
        }
        Err(io::Error::other("no unused user ID"))
    }

    /// Sends a signal to all processes of this user at once. No process can be started meanwhile
    /// that does not receive it.
    pub(crate) fn signal(self, signal: Signal) {
        // Only a process with both IDs may signal the program and nothing else.
        // SAFETY: the child calls nothing but system calls.
        match unsafe { fork() } {
            Ok(ForkResult::Child) => {
                // SAFETY: these are system calls with numbers as arguments.
                unsafe {
                    if libc::setgroups(0, std::ptr::null()) == 0
                        && libc::syscall(libc::SYS_setresuid, self.sender, self.id, self.sender)
                            == 0
                    {
                        libc::kill(-1, signal as i32);
                    }
                    libc::_exit(0)
                }
            }
            Ok(ForkResult::Parent { child }) => while waitpid(child, None) == Err(Errno::EINTR) {},
            Err(_) => {}
        }
    }
}

/// The first range of which this process may use the IDs.
fn range() -> io::Result<(u32, u32)> {
    let map = fs::read_to_string("/proc/self/uid_map")?;
    let mapped: Vec<(u64, u64)> = map
        .lines()
        .filter_map(|line| {
            let mut numbers = line.split_ascii_whitespace().filter_map(|word| word.parse().ok());
            let (first, _, length) = (numbers.next()?, numbers.next()?, numbers.next()?);
            let _: u64 = length;
            Some((first, first + length))
        })
        .collect();
    let fits = |&(first, end): &(u32, u32)| {
        mapped.iter().any(|&(from, to)| from <= u64::from(first) && u64::from(end) <= to)
    };
    RANGES.into_iter().find(fits).ok_or_else(|| io::Error::other("no user IDs are left"))
}

/// Returns whether a process has this real user ID. The owner of its folder in `/proc` may be
/// another.
fn is_used(id: u32) -> bool {
    let has = |entry: fs::DirEntry| {
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"));
        let user = line.and_then(|ids| ids.split_ascii_whitespace().next()?.parse::<u32>().ok());
        user == Some(id)
    };
    fs::read_dir("/proc").into_iter().flatten().flatten().any(has)
}

/// Returns whether this process may start programs as other users.
pub(crate) fn is_possible() -> bool {
    Uid::effective().is_root()
}
