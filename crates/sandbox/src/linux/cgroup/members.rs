//! The processes of a sandbox as a control group: its limits and its counters.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};

/// The length of the part of a file that is read at a time, in bytes.
const CHUNK: usize = 4096;

/// The limits of the processes in a group together, where the kernel has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupLimits {
    /// The memory in bytes.
    pub(super) memory: Option<u64>,
    /// The number of processes and threads.
    pub(super) threads: Option<u64>,
}

/// The counters of a group since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// The CPU time of all processes that ever were in it.
    pub(crate) cpu: Duration,
    /// The number of times that its memory was at the limit and nothing could be freed.
    pub(crate) out_of_memory: u64,
    /// The number of processes and threads that were refused.
    pub(crate) refused_processes: u64,
}

impl Counters {
    fn plus(self, other: Counters) -> Counters {
        Counters {
            cpu: self.cpu + other.cpu,
            out_of_memory: self.out_of_memory + other.out_of_memory,
            refused_processes: self.refused_processes + other.refused_processes,
        }
    }
}

/// The group inside that of a sandbox in which the processes of one run or several are.
///
/// From Linux 6.14 on, the kernel also kills processes that are started in a group after a kill there. So
/// there is a new one then.
#[derive(Debug)]
pub(super) struct Members {
    pub(super) number: u64,
    pub(super) folder: File,
    pub(super) processes: File,
    pub(super) freeze: File,
    pub(super) kill: File,
    cpu: File,
    /// The events at the limit of the memory, if there is one.
    memory_events: Option<File>,
    /// The events at the limit of processes and threads, if there is one.
    pids_events: Option<File>,
    /// The counters of the groups before.
    pub(super) before: Counters,
    pub(super) was_killed: bool,
}

impl Members {
    pub(super) fn make(sandbox: &File, limits: GroupLimits, number: u64) -> io::Result<Members> {
        let name = number.to_string();
        mkdirat(sandbox, name.as_str(), Mode::from_bits_truncate(0o755))?;
        let open = |file: &str, flags| {
            openat(sandbox, &Path::new(&name).join(file), flags | OFlag::O_CLOEXEC, Mode::empty())
                .map(File::from)
                .map_err(io::Error::from)
        };
        let set = |file: &str, word: &str| open(file, OFlag::O_WRONLY)?.write_all(word.as_bytes());
        if let Some(memory) = limits.memory {
            // A kernel may do without an area for swapping.
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

    pub(super) fn cpu(&self) -> io::Result<Duration> {
        number(&self.cpu, "usage_usec").map(Duration::from_micros)
    }

    pub(super) fn counters(&self) -> io::Result<Counters> {
        let events =
            |file: &Option<File>, event| file.as_ref().map_or(Ok(0), |file| number(file, event));
        let own = Counters {
            cpu: self.cpu()?,
            out_of_memory: events(&self.memory_events, "oom")?,
            refused_processes: events(&self.pids_events, "max")?,
        };
        Ok(self.before.plus(own))
    }
}

pub(super) fn read_all(file: &File) -> io::Result<Vec<u8>> {
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
    use super::*;

    #[test]
    fn numbers_are_found_by_whole_keys() {
        let text = "low 1\noom_kill 3\noom 2\nmax 18446744073709551615\n";
        assert_eq!(find_number(text, "oom"), Some(2));
        assert_eq!(find_number(text, "max"), Some(u64::MAX));
        assert_eq!(find_number(text, "high"), None);
    }
}
