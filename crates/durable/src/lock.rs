//! Locks that let only one process at a time do the same work.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::input::FileError;

/// The reason why there is no lock.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process has the lock.
    #[error("{}: another process is at work on it", path.display())]
    Busy {
        /// The file or folder with the work.
        path: PathBuf,
    },
    /// The system refuses.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A file that is locked against other processes, or shared with them, until it is dropped.
#[derive(Debug)]
pub struct LockedFile(File);

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing alone is not enough: a program that another thread starts at this moment has a copy of the file, and
        // with it the lock, until its first instruction. A lock that cannot be given up goes with that copy.
        let _ = self.0.unlock();
    }
}

/// Opens a file for reading and appending, locked against other processes until it is dropped. Creates the
/// file if it does not exist.
///
/// # Errors
///
/// Returns an error if another process has the file, or if the system refuses.
pub fn open_locked(path: &Path) -> Result<LockedFile, LockError> {
    open_with(path, |file| match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(LockError::Busy { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(FileError::at(path, LOCK)(source).into()),
    })
}

/// Opens a file for reading and appending. Until the file is dropped, other calls of this function can open
/// the file, and [`open_locked`] cannot. Waits while [`open_locked`] has the file. Creates the file if it
/// does not exist.
///
/// # Errors
///
/// Returns an error if the system refuses.
pub fn open_shared(path: &Path) -> Result<LockedFile, FileError> {
    open_with(path, |file| file.lock_shared().map_err(FileError::at(path, LOCK)))
}

/// The action that fails when a file cannot be locked.
const LOCK: &str = "lock it";

/// Opens a file, or creates it, and locks it by `lock`.
fn open_with<E: From<FileError>>(
    path: &Path,
    lock: impl Fn(&File) -> Result<(), E>,
) -> Result<LockedFile, E> {
    let failed = FileError::at(path, LOCK);
    loop {
        let options = OpenOptions::new().read(true).append(true).create(true).clone();
        let file = options.open(path).map_err(failed)?;
        lock(&file)?;
        // The process that had the lock may have removed or moved the file at the last moment.
        if is_at(&file, path).map_err(failed)? {
            return Ok(LockedFile(file));
        }
    }
}

/// Returns true if the file is still at `path`, and was not removed or replaced.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match fs::metadata(path) {
        Ok(found) => Ok(identity(found) == identity(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns true if there is a file at `path`: on Windows an open file keeps its name.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// The lock of work that is a folder, or a file that is replaced again and again. The lock is on a separate
/// file, which is removed when the `WorkLock` is dropped. A lock file that a killed process left behind locks
/// nothing.
#[derive(Debug)]
pub struct WorkLock {
    path: PathBuf,
    _file: LockedFile,
}

impl WorkLock {
    /// Locks the work on the file at `path`. All names of the file share one lock.
    pub fn of_file(path: &Path) -> Result<WorkLock, LockError> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(".lock");
        WorkLock::at(target.with_file_name(name), path)
    }

    /// Locks the work in a folder.
    pub fn of_folder(folder: &Path) -> Result<WorkLock, LockError> {
        WorkLock::at(folder.join(".lock"), folder)
    }

    /// Locks the file at `path` on behalf of the work that users know as `work`.
    fn at(path: PathBuf, work: &Path) -> Result<WorkLock, LockError> {
        match open_locked(&path) {
            Ok(file) => Ok(WorkLock { path, _file: file }),
            Err(LockError::Busy { .. }) => Err(LockError::Busy { path: work.to_owned() }),
            Err(error) => Err(error),
        }
    }
}

impl Drop for WorkLock {
    fn drop(&mut self) {
        // The file is removed while this process has the lock, so another process cannot have locked it. A
        // file that cannot be removed locks nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// The need for a lock of a file or folder that only one process may use at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// Without a lock, the file or folder is not used.
    Always,
    /// A file system without locks will do: the caller ensures that no other process uses the file
    /// or folder.
    IfPossible,
}

impl Locking {
    /// Returns the lock, if there must or can be one.
    ///
    /// # Errors
    ///
    /// Returns the error of `lock`, unless the file system has no locks and the work can do without one.
    pub fn lock<T>(self, lock: Result<T, LockError>) -> Result<Option<T>, LockError> {
        match lock {
            Err(LockError::File(_)) if self == Locking::IfPossible => Ok(None),
            lock => lock.map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_share_a_file_and_none_has_it_alone() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let shared = [open_shared(&path)?, open_shared(&path)?];
        assert!(matches!(open_locked(&path), Err(LockError::Busy { .. })));
        drop(shared);
        let alone = open_locked(&path)?;
        // A file that is moved while a thread waits for its lock is not taken for the new file.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| open_shared(&path));
            fs::rename(&path, folder.path().join("other")).expect("a file");
            drop(alone);
            let found = waiting.join().expect("a thread").expect("a lock");
            assert!(is_at(&found, &path).expect("a file"));
        });
        let gone = open_shared(&folder.path().join("gone").join("lock")).expect_err("no folder");
        assert!(gone.is_not_found());
        Ok(())
    }

    #[test]
    fn copy_of_a_dropped_file_locks_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let file = open_locked(&path)?;
        // A program that is being started has such a copy.
        let _copy = file.try_clone()?;
        drop(file);
        drop(open_locked(&path)?);
        let shared = open_shared(&path)?;
        let _copy = shared.try_clone()?;
        drop(shared);
        drop(open_locked(&path)?);
        Ok(())
    }

    #[test]
    fn one_has_the_lock_and_the_other_is_told() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let lock = WorkLock::of_file(&path)?;
        let error = WorkLock::of_file(&path).expect_err("a lock").to_string();
        assert!(error.ends_with("t.csv: another process is at work on it"), "{error}");
        let whole = WorkLock::of_folder(folder.path())?;
        assert!(WorkLock::of_folder(folder.path()).is_err());
        drop((lock, whole));
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        drop(WorkLock::of_file(&path)?);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_one_lock_by_all_its_names() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "")?;
        std::os::unix::fs::symlink(&file, &link)?;
        let _lock = WorkLock::of_file(&file)?;
        assert!(matches!(WorkLock::of_file(&link), Err(LockError::Busy { .. })));
        Ok(())
    }

    #[test]
    fn what_is_left_of_another_locks_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join(".lock"), "")?;
        drop(WorkLock::of_folder(folder.path())?);
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_by_its_holder_is_not_the_one() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal");
        let file = File::create(&path)?;
        assert!(is_at(&file, &path)?);
        fs::remove_file(&path)?;
        assert!(!is_at(&file, &path)?);
        fs::write(&path, "")?;
        assert!(!is_at(&file, &path)?);
        Ok(())
    }
}
