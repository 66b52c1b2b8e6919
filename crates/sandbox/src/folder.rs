//! Folders that a stranger's program may have changed; and the folders of programs in the temporary folder of
//! the system, where a sandbox has no disk of its own.
//!
//! Every look goes by descriptors: a name is opened relative to its folder, and never through a link. A
//! program that swaps files meanwhile therefore cannot lead a look or a removal out of the folder.
//!
//! The supervisor that makes a temporary folder holds its lock. A folder without a lock belongs to a supervisor
//! that was killed; if the host was killed as well, the next run of the same user removes it.

use std::env;
use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use nix::unistd::geteuid;
use plyground_durable::input::{open_below, open_regular};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Gid, Mode, OFlags, Stat, Uid, chmodat, fchmod,
    fchown, flock, fstat, mkdirat, open, openat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::limits::SandboxLevel;

/// The most files within any limit, because a look at more files takes too long.
pub(crate) const MOST_FILES: usize = 10_000;
/// The greatest depth of folders within any limit, because a look holds each of these folders open.
pub(crate) const DEEPEST: usize = 100;

/// The most links to the files of a program, because they are made again for every move: more than the files that a
/// submission usually has.
const MOST_LINKS: usize = 2500;
/// The unit in which the OS counts the size of a file on the disk, in bytes.
pub(crate) const BLOCK: u64 = 512;
/// The time by which the clock of a file system may be behind, because it advances with the ticks of the
/// kernel.
const COARSEST_CLOCK: Duration = Duration::from_millis(20);

const OPEN_FOLDER: OFlags =
    OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);
/// A name that a program has swapped for a link is not followed, and one that it has swapped for a pipe must not block.
pub(crate) const OPEN_FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const OWNER_ONLY: Mode = Mode::RWXU;
const NO_LINK: AtFlags = AtFlags::SYMLINK_NOFOLLOW;

#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

/// The files of a program compared with their limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fullness {
    Fits,
    /// The files seem to fit, but a name was added or removed during the look or just before. A file may have
    /// moved from a folder that the look had not reached to one that it had left, or may have lost its name.
    Changing,
    /// The files seem to fit, but names changed during the look, so that it may have missed a folder.
    Moved,
    Exceeds,
    /// The look takes too long.
    Unknown,
}

impl Folder {
    /// Opens a folder by a path of the host. The folder itself is no link.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        Ok(Folder(open(path, OPEN_FOLDER, Mode::empty())?))
    }

    /// Opens the folder of a descriptor that may be for its path alone, or for a mount.
    pub(crate) fn of(found: impl AsFd) -> rustix::io::Result<Folder> {
        openat(found, ".", OPEN_FOLDER, Mode::empty()).map(Folder)
    }

    /// Makes a folder that is not there yet, for its owner only.
    pub(crate) fn make(path: &Path) -> io::Result<Folder> {
        mkdirat(CWD, path, OWNER_ONLY)?;
        Folder::open(path)
    }

    /// Opens a folder inside this one.
    pub(crate) fn enter<P: Arg + Copy>(&self, name: P) -> io::Result<Folder> {
        match openat(&self.0, name, OPEN_FOLDER, Mode::empty()) {
            Ok(folder) => Ok(Folder(folder)),
            Err(Errno::ACCESS) => {
                self.unlock(name)?;
                Ok(Folder(openat(&self.0, name, OPEN_FOLDER, Mode::empty())?))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a folder inside this one, for its owner only, and gives it to a user.
    pub(crate) fn add<P: Arg + Copy>(&self, name: P, owner: Option<u32>) -> io::Result<Folder> {
        mkdirat(&self.0, name, OWNER_ONLY)?;
        let folder = self.enter(name)?;
        folder.give(owner)?;
        Ok(folder)
    }

    /// Gives the folder itself to a user and the group of the same number.
    pub(crate) fn give(&self, owner: Option<u32>) -> io::Result<()> {
        give(&self.0, owner)
    }

    /// Lets only its owner and this group go through the folder.
    pub(crate) fn let_through(&self, group: u32) -> io::Result<()> {
        fchown(&self.0, None, Some(Gid::from_raw(group)))?;
        self.set_mode(0o710)
    }

    pub(crate) fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(fchmod(&self.0, Mode::from_raw_mode(mode as _))?)
    }

    /// Restores the permissions of a file or folder that a program may have locked.
    fn unlock<P: Arg + Copy>(&self, name: P) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            // The descriptor is of the file itself, because its name may lead elsewhere the next moment.
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let found = openat(&self.0, name, flags, Mode::empty())?;
            let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&found));
            chmodat(CWD, path, OWNER_ONLY, AtFlags::empty())?;
        }
        #[cfg(not(target_os = "linux"))]
        chmodat(&self.0, name, OWNER_ONLY, NO_LINK)?;
        Ok(())
    }

    /// Returns the names in the folder, except `.` and `..`.
    pub(crate) fn names(&self) -> io::Result<Vec<CString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    pub(crate) fn look<P: Arg + Copy>(&self, name: P) -> io::Result<Stat> {
        Ok(statat(&self.0, name, NO_LINK)?)
    }

    /// Returns the first `most` bytes of a file, or `None` if there is no regular file.
    pub(crate) fn read_file<P: Arg + Copy>(
        &self,
        name: P,
        most: u64,
    ) -> io::Result<Option<Vec<u8>>> {
        let file = match openat(&self.0, name, OPEN_FILE, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::ACCESS) if is(&self.look(name)?, FileType::RegularFile) => {
                self.unlock(name)?;
                openat(&self.0, name, OPEN_FILE, Mode::empty())?
            }
            Err(_) => return Ok(None),
        };
        if !is(&fstat(&file)?, FileType::RegularFile) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        File::from(file).take(most).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Makes a file that is not there yet.
    pub(crate) fn add_file<P: Arg + Copy>(
        &self,
        name: P,
        text: &[u8],
        owner: Option<u32>,
    ) -> io::Result<()> {
        let file = self.new_file(name)?;
        (&file).write_all(text)?;
        fchmod(&file, Mode::from_raw_mode(0o644))?;
        give(&file, owner)
    }

    /// Adds the files beside a program, except if a name is taken: small files of data as copies, which the program
    /// may change, and others as links. The copies take a small part of the `output` bytes that the program may write.
    pub(crate) fn add_beside(&self, files: &[&PathBuf], owner: Option<u32>, output: u64) {
        let mut room = MOST_COPIED.min(output / COPIED_PART);
        // A large file leaves room for small ones, which are written more often.
        let most = room / LARGEST_COPIED_PART;
        for file in files {
            let name = file.file_name().unwrap_or_default();
            let data = data_in(file, room.min(most), owner.is_none()).unwrap_or_default();
            match data.filter(|data| self.add_file(name, data, owner).is_ok()) {
                Some(data) => room -= data.len() as u64,
                None => {
                    let _ = symlinkat(file.as_os_str(), &self.0, name);
                }
            }
        }
    }

    pub(crate) fn new_file<P: Arg + Copy>(&self, name: P) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Removes a folder inside this one with everything in it, or a file.
    pub(crate) fn remove<P: Arg + Copy>(&self, name: P) {
        if let Ok(folder) = self.enter(name) {
            let _ = folder.set_mode(0o700);
            folder.clear();
        }
        let _ = unlinkat(&self.0, name, AtFlags::REMOVEDIR);
        let _ = unlinkat(&self.0, name, AtFlags::empty());
    }

    /// Removes everything in the folder that can be removed.
    ///
    /// A program may have nested folders so deep that a recursion would run out of descriptors. Therefore
    /// each folder is moved to the top before it is emptied.
    pub(crate) fn clear(&self) {
        let mut pending = self.remove_files();
        let mut number = 0_u64;
        while let Some(name) = pending.pop() {
            if let Ok(folder) = self.enter(&name) {
                for inner in folder.remove_files() {
                    // The move of a folder requires the permission to write to it.
                    let _ = folder.enter(&inner).and_then(|inner| inner.set_mode(0o700));
                    while let Some(place) = self.unused(&mut number) {
                        match renameat(&folder.0, &inner, &self.0, &place) {
                            Ok(()) => pending.push(place),
                            // A file of the program has this name, and is not replaced. File systems report
                            // that by different errors.
                            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => continue,
                            Err(_) => {}
                        }
                        break;
                    }
                }
            }
            let _ = unlinkat(&self.0, &name, AtFlags::REMOVEDIR);
        }
    }

    /// Replaces everything in the folder by the files that `write` puts into a new folder inside, or nothing
    /// if that fails.
    pub(crate) fn replace(&self, write: impl FnOnce(&Folder) -> io::Result<()>) -> io::Result<()> {
        // The name is random, because a file of a known name could be written.
        let place = CString::new(format!(".new-{:x}", unused_number()))?;
        let new = self.add(&*place, None)?;
        let replaced = write(&new).and_then(|()| {
            for name in self.names()?.iter().filter(|&name| *name != place) {
                self.remove(&**name);
            }
            for name in new.names()? {
                renameat(&new, &name, &self.0, &name)?;
            }
            Ok(())
        });
        self.remove(&*place);
        replaced
    }

    fn unused(&self, number: &mut u64) -> Option<CString> {
        *number += 1;
        CString::new(format!(".removed-{number}")).ok()
    }

    /// Removes all files and empty folders in this one. Returns the names of the other folders.
    fn remove_files(&self) -> Vec<CString> {
        let mut folders = Vec::new();
        for name in self.names().unwrap_or_default() {
            if unlinkat(&self.0, &name, AtFlags::empty()).is_err()
                && unlinkat(&self.0, &name, AtFlags::REMOVEDIR).is_err()
                && self.look(&name).is_ok_and(|found| is(&found, FileType::Directory))
            {
                folders.push(name);
            }
        }
        folders
    }

    /// Compares the files with the limits: `most` bytes, on the disk and by their sizes, and `most_files`
    /// files. A folder that cannot be read exceeds the limits, because it may contain anything.
    pub(crate) fn fullness(&self, most: u64, most_files: usize) -> Fullness {
        let since = SystemTime::now() - COARSEST_CLOCK;
        let (mut bytes, mut files) = (0_u64, 0);
        let (mut is_whole, mut is_steady) = (true, true);
        let mut pending = vec![(None::<Folder>, self.names().unwrap_or_default())];
        while let Some((folder, names)) = pending.last_mut() {
            let folder = folder.as_ref().unwrap_or(self);
            let Some(name) = names.pop() else {
                is_steady &= fstat(folder).is_ok_and(|found| changed(&found) < since);
                pending.pop();
                continue;
            };
            let Ok(found) = folder.look(&name) else {
                is_whole = false;
                continue;
            };
            files += 1;
            let blocks = u64::try_from(found.st_blocks).unwrap_or(0).saturating_mul(BLOCK);
            let size = u64::try_from(found.st_size).unwrap_or(0);
            let is_file = is(&found, FileType::RegularFile);
            bytes = bytes.saturating_add(if is_file { blocks.max(size) } else { blocks });
            if is(&found, FileType::Directory) {
                match folder.enter(&name).and_then(|inner| Ok((inner.names()?, inner))) {
                    Ok((names, inner)) => pending.push((Some(inner), names)),
                    Err(error) if is_gone(&error) || crate::is_exhausted(&error) => {
                        is_whole = false
                    }
                    Err(_) => return Fullness::Exceeds,
                }
            }
            if bytes > most || files > most_files || pending.len() > DEEPEST {
                return Fullness::Exceeds;
            }
        }
        if !is_whole {
            Fullness::Moved
        } else if !is_steady {
            Fullness::Changing
        } else {
            Fullness::Fits
        }
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Returns the moment at which a file or the names in a folder last changed, which a program cannot set.
fn changed(found: &Stat) -> SystemTime {
    let seconds = u64::try_from(found.st_ctime).unwrap_or(u64::MAX >> 1);
    let nanoseconds = u32::try_from(found.st_ctime_nsec).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)
}

fn is(found: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(found.st_mode) == kind
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(crate) fn give(to: impl AsFd, owner: Option<u32>) -> io::Result<()> {
    let Some(id) = owner else { return Ok(()) };
    Ok(fchown(to, Some(Uid::from_raw(id)), Some(Gid::from_raw(id)))?)
}

/// Returns the visible files and folders in a folder by their names, those of data last: the first ones, if they are
/// many. A folder that cannot be read has none, nor has one to which only the link of another user leads: this process
/// may read folders that the other may not.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let found = open_below(folder, Path::new(".")).and_then(|found| Ok(Folder::of(found)?));
    let names = found.and_then(|folder| folder.names());
    let mut names = names.unwrap_or_default();
    names.retain(|name| !name.to_bytes().starts_with(b"."));
    // Of too many files, a program needs its scripts first.
    let rank = |name: &CString| is_data(Path::new(OsStr::from_bytes(name.to_bytes())));
    let order = |one: &CString, other: &CString| (rank(one), one).cmp(&(rank(other), other));
    if names.len() > MOST_LINKS {
        names.select_nth_unstable_by(MOST_LINKS, order);
        names.truncate(MOST_LINKS);
    }
    names.sort_unstable_by(order);
    names.iter().map(|name| folder.join(OsStr::from_bytes(name.to_bytes()))).collect()
}

/// The endings of the names of files of data, such as the log of an earlier run, which programs write as well as read.
const DATA: [&str; 5] = ["csv", "dat", "json", "log", "txt"];

fn is_data(path: &Path) -> bool {
    path.extension().is_some_and(|end| DATA.iter().any(|data| end.eq_ignore_ascii_case(data)))
}

/// The most bytes of all files of data that are copied into a program's folder.
const MOST_COPIED: u64 = 1 << 20;

/// The number of times that the limit of a program's output is at least as much as the bytes that are copied.
const COPIED_PART: u64 = 16;

/// The number of times that all copied bytes are at least as much as those of one file.
const LARGEST_COPIED_PART: u64 = 8;

/// The permission of everybody to read a file.
const OTHERS_READ: u32 = 0o004;

/// Returns the content of a file of data of at most `most` bytes that everybody may read; or that this process may
/// read, if the program has the rights of this process.
fn data_in(path: &Path, most: u64, has_our_rights: bool) -> io::Result<Option<Vec<u8>>> {
    if !is_data(path) {
        return Ok(None);
    }
    // The program might not be allowed to follow a link, or to reach the file at which a link on the way leads.
    let file = open_regular(path)?;
    let found = file.metadata()?;
    let may_read = has_our_rights || found.mode() & OTHERS_READ != 0;
    if !may_read || found.len() > most {
        return Ok(None);
    }
    let mut data = Vec::new();
    file.take(most).read_to_end(&mut data)?;
    Ok(Some(data))
}

/// Removes a folder and everything that a program has made in it. A link in its place is removed, and its
/// target is not. Files that cannot be removed stay.
pub fn remove_folder(path: &Path) {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return };
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let above = open(above, flags, Mode::empty()).map(Folder);
    if let (Ok(above), Ok(name)) = (above, CString::new(name.as_bytes())) {
        above.remove(&name);
    }
}

/// The beginning of the name of a temporary folder, and the number of hexadecimal digits that follow.
const PREFIX: &str = "plyground-";
const DIGITS: usize = 16;

/// The folder with a program's folders inside a sandbox with a disk of its own.
const INSIDE: &str = "/sandbox";

/// Returns the path of an unused folder for the folders of a program. The first call for the disk of the host removes
/// the folders of killed runs.
pub(crate) fn unused_folder(level: SandboxLevel) -> PathBuf {
    static FIRST: Once = Once::new();
    if level == SandboxLevel::Full {
        return INSIDE.into();
    }
    let above = env::temp_dir();
    FIRST.call_once(|| remove_leftovers(&above));
    above.join(format!("{PREFIX}{:0DIGITS$x}", unused_number()))
}

/// Returns a random number. The standard library seeds its hash maps with random numbers of the OS.
pub(crate) fn unused_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Makes a folder that does not exist yet, for its owner only. The folder is locked until the value is
/// dropped.
pub(crate) fn make_temporary(path: &Path) -> io::Result<Folder> {
    loop {
        let made = Folder::make(path);
        if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
            && path.parent().is_some_and(Path::is_dir)
        {
            continue;
        }
        let folder = made?;
        // On a file system without locks, the folders of killed runs stay.
        let _ = flock(&folder, FlockOperation::LockExclusive);
        // Before the lock, another run may have taken the folder for that of a killed run, and removed it.
        let (own, found) = (fstat(&folder)?, statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW));
        if found.is_ok_and(|found| (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)) {
            return Ok(folder);
        }
    }
}

/// Removes the temporary folders of this user whose locks are free.
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
        // The name may lead to another folder by now.
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
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    use std::thread;

    use super::*;

    #[test]
    fn files_beside_a_program_are_there() -> io::Result<()> {
        let (original, place) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let write = |name: &str| fs::write(original.path().join(name), name);
        for name in ["weights.txt", ".hidden", "input.txt", "play.py", "own.log"] {
            write(name)?;
        }
        fs::write(original.path().join("large.txt"), "more than is copied")?;
        fs::create_dir(original.path().join("book"))?;
        let home = Folder::open(place.path())?;
        home.add_file("input.txt", b"a position", None)?;
        symlink(place.path().join("input.txt"), original.path().join("link.txt"))?;
        fs::set_permissions(original.path().join("own.log"), fs::Permissions::from_mode(0o600))?;
        let beside = files_in(original.path());
        let beside: Vec<&PathBuf> = beside.iter().collect();
        home.add_beside(&beside, None, 16 * 8 * 12);
        let read = |name: &str| fs::read_to_string(place.path().join(name));
        assert_eq!(home.names()?.len(), 7);
        // A program may change what it writes in its own folder elsewhere, but nothing of others.
        let is_link = |name: &str| place.path().join(name).is_symlink();
        assert_eq!(
            ["weights.txt", "own.log", "play.py", "link.txt", "large.txt"].map(is_link),
            [false, false, true, true, true]
        );
        assert_eq!(
            (read("weights.txt")?, read("input.txt")?),
            ("weights.txt".into(), "a position".into())
        );
        assert!(place.path().join("book").is_dir() && read(".hidden").is_err());
        // As root, a program has fewer rights than this process.
        let log = original.path().join("own.log");
        assert_eq!(
            [false, true].map(|ours| data_in(&log, 99, ours).is_ok_and(|data| data.is_some())),
            [false, true]
        );
        assert!(files_in(Path::new("/no such folder")).is_empty());
        (0..2 * MOST_LINKS).try_for_each(|number| write(&number.to_string()))?;
        let found = files_in(original.path());
        assert_eq!(found.len(), MOST_LINKS);
        assert!(!found.iter().any(|path| is_data(path)), "{found:?}");
        Ok(())
    }

    #[test]
    fn remove_leaves_nothing_of_folder() -> io::Result<()> {
        let outside = tempfile::tempdir()?;
        fs::write(outside.path().join("kept"), "")?;
        let path = outside.path().join("folder");
        Folder::make(&path)?.add_file(c"input.txt", b"input", None)?;
        // Deeper than the longest path, and than the number of files a process may open.
        let deep = "mkdir -p $(printf 'xxxxxxxxxxxxxxx/%.0s' $(seq 200))";
        let nest =
            "for i in $(seq 10); do mv xxxxxxxxxxxxxxx above; mkdir -p $1; mv above $1; done";
        let script =
            format!("{deep}; set -- x $(printf 'xxxxxxxxxxxxxxx/%.0s' $(seq 200)); shift; {nest}");
        assert!(Command::new("sh").args(["-c", &script]).current_dir(&path).status()?.success());
        symlink(outside.path(), path.join("link"))?;
        fs::create_dir(path.join(".removed-1"))?;
        fs::write(path.join(".removed-1/file"), "")?;
        let locked = path.join("locked");
        fs::create_dir(&locked)?;
        fs::write(locked.join("file"), "")?;
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000))?;
        remove_folder(&path);
        assert!(!path.exists());
        assert!(outside.path().join("kept").exists());
        // The target of a link that a program has put in place of its folder stays, too.
        symlink(outside.path(), &path)?;
        remove_folder(&path);
        assert!(path.symlink_metadata().is_err());
        assert!(outside.path().join("kept").exists());
        Ok(())
    }

    #[test]
    fn blocks_and_sizes_count_in_subfolders() -> io::Result<()> {
        let outside = tempfile::tempdir()?;
        let folder = Folder::open(outside.path())?;
        assert_eq!(folder.fullness(0, 9), Fullness::Changing);
        fs::create_dir_all(outside.path().join("a/b"))?;
        fs::write(outside.path().join("a/b/c"), vec![1; 100_000])?;
        assert_eq!(folder.fullness(99_999, 9), Fullness::Exceeds);
        assert_eq!(folder.fullness(200_000, 9), Fullness::Changing);
        thread::sleep(3 * COARSEST_CLOCK);
        assert_eq!(folder.fullness(200_000, 9), Fullness::Fits);
        // A file goes from one folder to another.
        fs::rename(outside.path().join("a/b/c"), outside.path().join("c"))?;
        assert_eq!(folder.fullness(200_000, 9), Fullness::Changing);
        // A hole occupies nothing, but a copy of it may consist of zeros.
        fs::File::create(outside.path().join("hole"))?.set_len(1 << 30)?;
        assert_eq!(folder.fullness(1 << 29, 9), Fullness::Exceeds);
        assert_eq!(folder.fullness(1 << 31, 3), Fullness::Exceeds);
        Ok(())
    }

    #[test]
    fn folder_is_replaced_whole_or_not_at_all() -> io::Result<()> {
        let outside = tempfile::tempdir()?;
        let folder = Folder::open(outside.path())?;
        let names = || Folder::open(outside.path())?.names();
        folder.add("old", None)?.add("inner", None)?;
        folder.add_file("both", b"old", None)?;
        let failed = folder.replace(|new| {
            new.add_file("both", b"new", None)?;
            Err(io::ErrorKind::FileTooLarge.into())
        });
        assert_eq!(failed.map_err(|error| error.kind()), Err(io::ErrorKind::FileTooLarge));
        assert_eq!(names()?.len(), 2);
        assert_eq!(fs::read(outside.path().join("both"))?, b"old");
        folder.replace(|new| new.add_file("both", b"new", None))?;
        assert_eq!(names()?, [c"both".to_owned()]);
        assert_eq!(fs::read(outside.path().join("both"))?, b"new");
        Ok(())
    }

    #[test]
    fn only_regular_files_are_read() -> io::Result<()> {
        let outside = tempfile::tempdir()?;
        fs::write(outside.path().join("file"), "text")?;
        symlink(outside.path().join("file"), outside.path().join("link"))?;
        nix::unistd::mkfifo(&outside.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU)?;
        let folder = Folder::open(outside.path())?;
        assert_eq!(folder.read_file(c"file", 3)?, Some(b"tex".to_vec()));
        for name in [c"link", c"pipe", c"none", c"."] {
            assert_eq!(folder.read_file(name, 3)?, None, "{name:?}");
        }
        Ok(())
    }

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
        let folder = make_temporary(&held)?;
        remove_leftovers(place.path());
        assert!(
            !left.exists() && held.exists() && link.is_symlink() && other.join("file").exists()
        );
        drop(folder);
        // A child that another test has just forked has the lock until it runs its program.
        for _ in 0..1000 {
            remove_leftovers(place.path());
            if !held.exists() {
                break;
            }
            thread::sleep(COARSEST_CLOCK);
        }
        assert!(!held.exists());
        assert!(make_temporary(&place.path().join("nowhere/folder")).is_err());
        Ok(())
    }
}
