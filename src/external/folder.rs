//! The folder of a program.

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The file with the position before the move.
pub(super) const INPUT: &str = "input.txt";
/// The file with the position after it.
pub(super) const OUTPUT: &str = "output.txt";

/// The name of a folder that the supervisor of a program will make and remove. It is removed from
/// here too, lest the supervisor should have been killed.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A name that nobody else has.
    pub(super) fn new() -> Folder {
        // The standard library seeds its hash maps with numbers from the system.
        let number = RandomState::new().build_hasher().finish();
        Folder(env::temp_dir().join(format!("plyground-{number:016x}")))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// The first `most` bytes of a file that a program may have written; `None` if there is none.
pub(super) fn read_file(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    // A pipe or a link to somewhere else is none.
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Removes the folder, if it is not gone already, whatever a program has made in it: folders that
/// it has locked, or so deep in each other that the path is too long, and that every level would
/// take a file descriptor and a part of the stack. So each is unlocked, and moved out of the one
/// that it is in. What cannot be removed stays: nobody could do more about it.
pub(super) fn remove(folder: &Path) {
    // A link in its place leads to what is not ours.
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

/// Names in a folder that nobody else writes in.
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

/// Lets us do in a folder what its owner may have forbidden.
fn unlock(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(OWNER_ONLY));
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// The mode of a folder in which its owner may do anything, and nobody else.
#[cfg(unix)]
const OWNER_ONLY: u32 = 0o700;

/// Makes the folder, which must not exist, with the input file if there is to be one.
#[cfg(unix)]
pub(super) fn make(folder: &Path, input: Option<&str>) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(OWNER_ONLY).create(folder)?;
    input.map_or(Ok(()), |text| fs::write(folder.join(INPUT), text))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn nothing_is_left_of_a_folder() -> io::Result<()> {
        let outside = tempfile::tempdir()?;
        fs::write(outside.path().join("kept"), "")?;
        let folder = Folder::new();
        make(folder.path(), Some("input"))?;
        // Deeper than a path can say, and than a test may have files open.
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
        // Neither is what a link leads to removed, if a program has put one in its place.
        symlink(outside.path(), folder.path())?;
        remove(folder.path());
        assert!(folder.path().symlink_metadata().is_err());
        assert!(outside.path().join("kept").exists());
        Ok(())
    }
}
