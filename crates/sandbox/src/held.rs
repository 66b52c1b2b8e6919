//! What a process holds that is part of no process: pipes, sockets and files without a name.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::unistd::Pid;

use crate::confinement::MOST_OPEN;
use crate::process_table::{Doing, cpu_clock, doing, live_thread};

/// What a pipe holds at most, in bytes.
const PIPE: u64 = 64 * 1024;
/// What one end of a pair of sockets holds at most, in bytes: twice the default limit of Linux.
const SOCKET: u64 = 2 * 212_992;
/// The unit in which the OS counts what a file occupies, in bytes.
const BLOCK: u64 = 512;
/// What follows the path of a file that has no name any more.
const DELETED: &str = " (deleted)";

/// What processes hold together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// The memory that their pipes and sockets may occupy, in bytes.
    pub(crate) buffers: u64,
    /// The size of the files in `folder` that have no name any more, in bytes.
    pub(crate) deleted: u64,
}

/// Counts what processes hold. What several hold counts once.
pub(crate) fn held(processes: &[Pid], folder: &Path) -> Held {
    let (mut held, mut seen) = (Held::default(), HashSet::new());
    for &pid in processes {
        let open = match open_files(pid) {
            OpenFiles::Listed(files) => files,
            OpenFiles::Nothing => continue,
            OpenFiles::Hidden => {
                held.buffers += MOST_OPEN * PIPE;
                continue;
            }
        };
        for file in open {
            let Ok(target) = fs::read_link(&file) else { continue };
            let name = target.to_string_lossy();
            let is_deleted = target.starts_with(folder) && name.ends_with(DELETED);
            if name.starts_with("pipe:") && seen.insert(target.clone()) {
                held.buffers += PIPE;
            } else if name.starts_with("socket:") && seen.insert(target.clone()) {
                held.buffers += SOCKET;
            } else if is_deleted && let Ok(metadata) = fs::metadata(&file) {
                let inode = format!("inode:{}", metadata.ino());
                held.deleted +=
                    if seen.insert(inode.into()) { metadata.blocks() * BLOCK } else { 0 };
            }
        }
        held.deleted += deleted_mappings(pid, folder);
    }
    held
}

/// What a process has open.
enum OpenFiles {
    /// The links to its files.
    Listed(Vec<PathBuf>),
    /// Nothing that matters: the process ends, or stands still where it cannot be looked at.
    Nothing,
    /// The process does not let itself be looked at.
    Hidden,
}

/// How often to look again at a process that cannot be looked at, and how long to wait before.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// A program that starts another cannot be looked at for much less of its CPU time.
const START: Duration = Duration::from_millis(5);

/// Finds what a process has open.
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

/// Finds what a process has open whose first thread shows nothing.
///
/// An ordinary user cannot look at a process that ends, from the moment when it gives up its memory, or that
/// starts a program, until its new memory is as it should be. However long it has to wait for a processor
/// then, it does not run, and hides nothing.
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

/// The size of the memory in which a process sees files without a name, in bytes.
fn deleted_mappings(pid: Pid, folder: &Path) -> u64 {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let folder = folder.to_string_lossy();
    let is_deleted = |line: &&str| line.ends_with(DELETED) && line.contains(&*folder);
    maps.lines().filter(is_deleted).filter_map(mapping_size).sum()
}

fn mapping_size(line: &str) -> Option<u64> {
    let (from, rest) = line.split_once('-')?;
    let (to, _) = rest.split_once(' ')?;
    Some(u64::from_str_radix(to, 16).ok()?.saturating_sub(u64::from_str_radix(from, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::io::pipe;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};

    use nix::sys::wait::{Id, WaitPidFlag, waitid};

    use super::*;

    #[test]
    fn process_that_has_ended_holds_nothing() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut child = Command::new("sleep")
            .arg("1000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pid = Pid::from_raw(child.id() as i32);
        // It may have inherited others.
        let is_seen = held(&[pid], folder.path()).buffers >= PIPE;
        child.kill()?;
        assert!(is_seen);
        // It has closed its files by then, later than it has begun to end. Its number is still its own.
        waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)?;
        assert_eq!(held(&[pid], folder.path()), Held::default());
        child.wait()?;
        assert_eq!(held(&[pid], folder.path()), Held::default());
        Ok(())
    }

    #[test]
    fn pipes_sockets_and_files_without_name_count() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let own = [Pid::this()];
        let before = held(&own, folder.path());
        let file = fs::File::create(folder.path().join("gone"))?;
        fs::write(folder.path().join("gone"), vec![1; 100_000])?;
        fs::remove_file(folder.path().join("gone"))?;
        let deleted = held(&own, folder.path()).deleted;
        assert!((98_304..200_000).contains(&deleted), "{deleted}");
        drop(file);
        // Other tests of this process open and close pipes meanwhile, but not so many.
        let kept: Vec<_> = (0..50).map(|_| (pipe(), UnixStream::pair())).collect();
        let after = held(&own, folder.path());
        assert!(after.buffers >= before.buffers + 40 * (PIPE + 2 * SOCKET), "{after:?}");
        drop(kept);
        Ok(())
    }

    #[test]
    fn mapping_has_size() {
        let line = "7f0000000000-7f0000021000 rw-s 00000000 00:2a 5  /player/x (deleted)";
        assert_eq!(mapping_size(line), Some(0x21000));
        assert_eq!(mapping_size(""), None);
    }
}
