//! What a process holds that is part of no process: pipes, sockets and files without a name.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::unistd::Pid;

use crate::confinement::MOST_OPEN;
use crate::process_table::is_running;

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
        let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else {
            // It has hidden what it holds, or is gone: the list of one that has ended cannot be read.
            if is_running(pid) {
                held.buffers += MOST_OPEN * PIPE;
            }
            continue;
        };
        for entry in open.flatten() {
            let Ok(target) = fs::read_link(entry.path()) else { continue };
            let name = target.to_string_lossy();
            let is_deleted = target.starts_with(folder) && name.ends_with(DELETED);
            if name.starts_with("pipe:") && seen.insert(target.clone()) {
                held.buffers += PIPE;
            } else if name.starts_with("socket:") && seen.insert(target.clone()) {
                held.buffers += SOCKET;
            } else if is_deleted && let Ok(metadata) = fs::metadata(entry.path()) {
                let inode = format!("inode:{}", metadata.ino());
                held.deleted +=
                    if seen.insert(inode.into()) { metadata.blocks() * BLOCK } else { 0 };
            }
        }
        held.deleted += deleted_mappings(pid, folder);
    }
    held
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

    use super::*;

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
