//! The folders of programs in the temporary folder of the system, where a sandbox has no disk of its own.
//!
//! The supervisor that makes one holds its lock. Without a lock is one whose supervisor was killed; if the host was
//! killed as well, the next run of the same user removes it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{env, fs, io};

use nix::unistd::geteuid;
use rustix::fs::{AtFlags, CWD, FlockOperation, flock, fstat, statat, unlinkat};

use crate::folder::Folder;

/// The beginning of the name of each, and the number of hexadecimal digits that follow.
const PREFIX: &str = "plyground-";
const DIGITS: usize = 16;

/// Returns the path of a folder that is not there yet. The first time, this removes those of runs that were killed.
pub(crate) fn unused_folder() -> PathBuf {
    static FIRST: Once = Once::new();
    let above = env::temp_dir();
    FIRST.call_once(|| remove_leftovers(&above));
    // The standard library seeds its hash maps with random numbers of the OS.
    let number = RandomState::new().build_hasher().finish();
    above.join(format!("{PREFIX}{number:0DIGITS$x}"))
}

/// Makes a folder that is not there yet, for its owner only. It is locked as long as the value is there.
pub(crate) fn make(path: &Path) -> io::Result<Folder> {
    loop {
        let made = Folder::make(path);
        if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
            && is_in_folder(path)
        {
            continue;
        }
        let folder = made?;
        // A file system without locks keeps what is left there.
        let _ = flock(&folder, FlockOperation::LockExclusive);
        // Before the lock, another run may have taken it for one that was left, and removed it.
        let (own, found) = (fstat(&folder)?, statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW));
        if found.is_ok_and(|found| (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)) {
            return Ok(folder);
        }
    }
}

fn is_in_folder(path: &Path) -> bool {
    path.parent().is_some_and(Path::is_dir)
}

/// Removes the folders of this user in a folder whose locks are free.
fn remove_leftovers(above: &Path) {
    let above = fs::canonicalize(above).and_then(|above| Folder::open(&above));
    let Ok(above) = above else { return };
    for name in above.names().unwrap_or_default() {
        let number = name.to_str().ok().and_then(|name| name.strip_prefix(PREFIX));
        let is_ours = number.is_some_and(|number| {
            number.len() == DIGITS && number.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let is_own = |owner: u32| owner == geteuid().as_raw();
        if !is_ours || !above.look(&name).is_ok_and(|found| is_own(found.st_uid)) {
            continue;
        }
        // By that name, there may be another by now.
        let Ok(folder) = above.enter(&name) else { continue };
        if fstat(&folder).is_ok_and(|found| is_own(found.st_uid))
            && flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            folder.clear();
            let _ = unlinkat(&above, &name, AtFlags::REMOVEDIR);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_without_a_lock_are_removed() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let path = |name: &str| place.path().join(name);
        let [left, held, link] =
            ["1", "2", "3"].map(|digit| path(&format!("{PREFIX}{}", digit.repeat(DIGITS))));
        fs::create_dir_all(left.join("player/inner"))?;
        let other = path("plyground-other");
        fs::create_dir(&other)?;
        fs::write(other.join("file"), "")?;
        symlink(&other, left.join("player/link"))?;
        symlink(&other, &link)?;
        let folder = make(&held)?;
        remove_leftovers(place.path());
        assert!(
            !left.exists() && held.exists() && link.is_symlink() && other.join("file").exists()
        );
        drop(folder);
        remove_leftovers(place.path());
        assert!(!held.exists());
        assert!(make(&place.path().join("nowhere/folder")).is_err());
        Ok(())
    }
}
