//! The temporary folder of a program.

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The name of the file that a program reads: see [`Launch::with_input`](crate::Launch::with_input).
pub const INPUT: &str = "input.txt";
/// The name of the file that a program writes its answer into, if it answers with a file.
pub const OUTPUT: &str = "output.txt";

/// The path of a program's temporary folder.
///
/// The supervisor makes and removes the folder itself. Dropping this value removes it too, in case
/// the supervisor was killed.
#[derive(Debug)]
pub struct ProcessFolder(PathBuf);

impl ProcessFolder {
    /// Returns an unused path. The folder does not exist yet.
    #[must_use]
    pub fn new() -> ProcessFolder {
        // The standard library seeds its hash maps with random numbers of the OS.
        let number = RandomState::new().build_hasher().finish();
        ProcessFolder(env::temp_dir().join(format!("plyground-{number:016x}")))
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for ProcessFolder {
    fn default() -> ProcessFolder {
        ProcessFolder::new()
    }
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Returns the first `most` bytes of a file that a program may have written, or `None` if there is
/// no regular file.
///
/// # Errors
///
/// Returns an error if the file exists but cannot be read. The program may have locked it, unless
/// [`is_exhausted`](crate::is_exhausted) tells that the OS is to blame.
pub fn read_file(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    // A pipe could block, and a link could lead out of the folder.
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Removes the folder if it exists, whatever the program has made in it.
///
/// A program may have locked folders, or nested them so deep that the path is too long, and that a
/// recursion would run out of file descriptors or stack. So each folder is unlocked, and moved out
/// of its parent. What cannot be removed stays.
pub(crate) fn remove(folder: &Path) {
    // The target of a link in its place is not ours.
    if !fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
        let _ = fs::remove_file(folder);
        return;
    }
    let (mut pending, mut places) = (vec![folder.to_owned()], Places::default());
    while let Some(next) = pending.pop() {
        unlock(&next);
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(path);
                continue;
            }
            unlock(&path);
            let place = places.next().filter(|place| fs::rename(&path, place).is_ok());
            pending.extend(place);
        }
        let _ = fs::remove_dir(next);
    }
}

/// Unused paths in a folder of our own.
#[derive(Default)]
struct Places {
    folder: Option<TempDir>,
    number: u64,
}

impl Places {
    fn next(&mut self) -> Option<PathBuf> {
        if self.folder.is_none() {
            self.folder = tempfile::Builder::new().prefix("plyground-").tempdir().ok();
        }
        self.number += 1;
        Some(self.folder.as_ref()?.path().join(self.number.to_string()))
    }
}

/// Restores the permissions of a folder that the program may have locked.
fn unlock(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(OWNER_ONLY));
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// The mode of a folder that only its owner can use.
#[cfg(unix)]
const OWNER_ONLY: u32 = 0o700;

/// Makes the folder, which must not exist, and the input file if there is one.
#[cfg(unix)]
pub(crate) fn make(folder: &Path, input: Option<&str>) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(OWNER_ONLY).create(folder)?;
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
        let folder = ProcessFolder::new();
        make(folder.path(), Some("input"))?;
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
