//! The temporary folder of a program.

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
#[cfg(unix)]
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::level::SandboxLevel;

/// The name of the file that a program reads: see [`Launch::with_input`](crate::Launch::with_input).
pub const INPUT: &str = "input.txt";
/// The name of the file that a program writes its answer into, if it answers with a file.
pub const OUTPUT: &str = "output.txt";

/// The folder in a box, where there is no other of this name.
const IN_BOX: &str = "/player";

/// More files than this exceed any limit, since looking through them takes too long.
pub(crate) const MOST_FILES: usize = 10_000;

/// The path of a program's temporary folder.
///
/// The supervisor makes and removes the folder itself. Dropping this value removes it too, in case
/// the supervisor was killed.
#[derive(Debug)]
pub(crate) struct ProcessFolder {
    path: PathBuf,
    /// Whether it is on the disk that the host sees.
    is_outside: bool,
}

impl ProcessFolder {
    /// Returns an unused path. The folder does not exist yet.
    #[must_use]
    pub(crate) fn new(level: SandboxLevel) -> ProcessFolder {
        if level == SandboxLevel::Full {
            return ProcessFolder { path: IN_BOX.into(), is_outside: false };
        }
        // The standard library seeds its hash maps with random numbers of the OS.
        let number = RandomState::new().build_hasher().finish();
        let path = env::temp_dir().join(format!("plyground-{number:016x}"));
        ProcessFolder { path, is_outside: true }
    }

    /// Returns the path.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        if self.is_outside {
            remove(&self.path);
        }
    }
}

/// Returns the first `most` bytes of a file that a program may have written, or `None` if there is
/// no regular file. None of its processes may be alive.
#[cfg(unix)]
pub(crate) fn read_file(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    // A pipe could block, and a link could lead out of the folder.
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    unlock(path);
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Removes the folder if it exists, whatever the program has made in it. What cannot be removed
/// stays.
pub fn remove(folder: &Path) {
    // The target of a link in its place is not ours.
    if fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
        clear(folder);
        let _ = fs::remove_dir(folder);
    } else {
        let _ = fs::remove_file(folder);
    }
}

/// Removes everything in a folder.
///
/// A program may have locked folders, or nested them so deep that the path is too long, and that a
/// recursion would run out of file descriptors or stack. So each folder is unlocked, and moved to
/// the top.
fn clear(folder: &Path) {
    unlock(folder);
    let (mut pending, mut places) = (vec![folder.to_owned()], 0..u64::MAX);
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(path);
                continue;
            }
            unlock(&path);
            if next == folder {
                pending.push(path);
                continue;
            }
            let names = places.by_ref().map(|number| folder.join(format!(".removed-{number}")));
            let place = names.into_iter().find(|place| fs::symlink_metadata(place).is_err());
            let moved = place.filter(|place| fs::rename(&path, place).is_ok());
            pending.push(moved.unwrap_or(path));
        }
        if next != folder {
            let _ = fs::remove_dir(next);
        }
    }
}

/// Restores the permissions of a file or folder that the program may have locked.
fn unlock(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(OWNER_ONLY));
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// The mode of what only its owner can use.
#[cfg(unix)]
const OWNER_ONLY: u32 = 0o700;

/// Makes the folder, which must not exist.
#[cfg(unix)]
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(OWNER_ONLY).create(folder)
}

/// Gives a folder and everything in it to a user, whose group has the same ID. What cannot be given
/// stays.
#[cfg(unix)]
pub(crate) fn give(folder: &Path, id: u32) {
    use std::os::unix::fs::lchown;

    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        let _ = lchown(&next, Some(id), Some(id));
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(entry.path());
            } else {
                let _ = lchown(entry.path(), Some(id), Some(id));
            }
        }
    }
}

/// Removes everything in the folder, and makes the input file if there is one.
#[cfg(unix)]
pub(crate) fn refill(folder: &Path, input: Option<&str>) -> io::Result<()> {
    clear(folder);
    input.map_or(Ok(()), |text| fs::write(folder.join(INPUT), text))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn remove_leaves_nothing_of_folder() -> io::Result<()> {
        let outside = tempfile::tempdir()?;
        fs::write(outside.path().join("kept"), "")?;
        let folder = ProcessFolder::new(SandboxLevel::None);
        make(folder.path())?;
        refill(folder.path(), Some("input"))?;
        // Deeper than the longest path, and than the number of files a process may open.
        let mut deep = folder.path().to_owned();
        for _ in 0..200 {
            deep.push("x".repeat(15));
        }
        fs::create_dir_all(&deep)?;
        for _ in 0..10 {
            let above = folder.path().join("above");
            fs::rename(folder.path().join("x".repeat(15)), &above)?;
            fs::create_dir_all(&deep)?;
            fs::rename(above, deep.join("below"))?;
        }
        symlink(outside.path(), folder.path().join("link"))?;
        let locked = folder.path().join("locked");
        fs::create_dir(&locked)?;
        fs::write(locked.join("file"), "")?;
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000))?;
        remove(folder.path());
        assert!(!folder.path().exists());
        assert!(outside.path().join("kept").exists());
        // The target of a link that a program has put in place of its folder stays, too.
        symlink(outside.path(), folder.path())?;
        remove(folder.path());
        assert!(folder.path().symlink_metadata().is_err());
        assert!(outside.path().join("kept").exists());
        Ok(())
    }
}
