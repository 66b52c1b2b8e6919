//! Files and folders that are written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};
use thiserror::Error;

use crate::fnv1a;
use crate::input::{FileError, WRITE};

/// The prefix of the names of temporary files.
const TEMPORARY: &str = ".tmp";

/// The names that mean standard output in place of a file.
const STDOUT: [&str; 2] = ["-", "/dev/stdout"];

/// The age at which a temporary file counts as left behind: one in use exists only for a moment.
const ABANDONED: Duration = Duration::from_secs(60);

/// Checks that [`write_whole`] can write a file at `path`. The check is cheap, so it can precede long work.
///
/// # Errors
///
/// Returns an error if the folder of the file does not exist, or if the system does not allow a file there.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    let check = || {
        if path.file_name().is_none() || path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        // A stream is not opened, because opening a pipe, for example, has an effect.
        if is_stdout(path) {
            return Ok(());
        }
        if is_stream(path) {
            return fs::metadata(path).map(drop);
        }
        temporary_for(&target_of(path)?).map(drop)
    };
    check().map_err(FileError::at(path, WRITE))
}

/// Makes a folder, and its parents, unless they exist.
///
/// # Errors
///
/// Returns an error if the system refuses, or if there is something other than a folder in its place.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(|error| {
        let source = match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::from(io::ErrorKind::NotADirectory),
            _ => error,
        };
        FileError::at(path, WRITE)(source)
    })
}

/// Writes a file whole or not at all: writes a temporary file in the same folder, which then replaces `path`.
/// Devices and pipes, such as `/dev/stdout`, are written directly; `-` is short for `/dev/stdout`.
///
/// # Errors
///
/// Returns an error if the system refuses; a file at `path` is then unchanged.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), FileError> {
    let contents = contents.as_ref();
    let write = || {
        if is_stdout(path) {
            // Opened anew, standard output that is redirected to a file would begin at the start of that
            // file.
            let mut stdout = io::stdout().lock();
            stdout.write_all(contents)?;
            stdout.flush()
        } else if is_stream(path) {
            OpenOptions::new().append(true).open(path)?.write_all(contents)
        } else {
            replace(path, contents)
        }
    };
    write().map_err(FileError::at(path, WRITE))
}

/// Returns true if the path means standard output in place of a file.
pub fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path == Path::new(name))
}

/// Returns true if `path` is a device, a pipe or an open file, which a rename must not replace.
fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) || is_descriptor(path)
}

/// Returns true if `path` is another name of an open file, such as `/dev/stderr` and `/dev/fd/3`.
fn is_descriptor(path: &Path) -> bool {
    let is_link = |path: &Path| path.starts_with("/dev/fd") || path.starts_with("/proc");
    is_link(path) || fs::read_link(path).is_ok_and(|target| is_link(&target))
}

fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let target = target_of(path)?;
    let mut file = temporary_for(&target)?;
    // An error of `NamedTempFile` includes the temporary path, which tells people nothing.
    file.as_file_mut().write_all(contents)?;
    if let Ok(metadata) = fs::metadata(&target) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    // Without this sync, `path` could be an empty file after a power cut.
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    sync_folder(&target)
}

/// Returns the file to write in place of `path`. A symbolic link stays: the file behind it is replaced, or
/// created if it does not exist yet.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            // The file does not exist, or it is not a link.
            Err(_) => return Ok(fs::canonicalize(&target).unwrap_or(target)),
        }
    }
    Err(io::Error::other("too many symbolic links follow each other"))
}

/// Waits until the name of a new or renamed file is on the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let synced = fs::File::open(folder_of(path)).and_then(|folder| folder.sync_all());
        match synced.as_ref().map_err(io::Error::kind) {
            // A folder may be writable but not readable, and some file systems need no sync.
            Err(io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) => Ok(()),
            _ => synced,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(())
    }
}

/// Checks that the folder exists. The error names the folder, because people have to make it: they already
/// know that the file does not exist.
fn check_folder(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let why = format!("there is no folder {}", folder.display());
            Err(io::Error::new(io::ErrorKind::NotFound, why))
        }
        Err(error) => Err(error),
    }
}

/// Creates a temporary file that is to replace `target`, with the permissions of an ordinary new file: the
/// default ones of `tempfile` would hide the result from all other users.
pub(crate) fn temporary_for(target: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(target);
    check_folder(folder)?;
    // `tempfile` adds the temporary file's own path to the error, which would only confuse.
    temporary(&prefix_of(target), 0o666)
        .tempfile_in(folder)
        .map_err(|error| io::Error::from(error.kind()))
}

/// Returns the maker of temporary files or folders with this prefix and, before the umask, these permissions.
fn temporary(prefix: &str, mode: u32) -> tempfile::Builder<'_, '_> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// Returns the prefix of the names of the temporary files for `target`. Its length does not depend on the
/// name of `target`.
fn prefix_of(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().as_encoded_bytes();
    format!("{TEMPORARY}{:016x}-", fnv1a(name))
}

/// Removes the temporary files that killed processes have left in a folder.
pub fn remove_abandoned(folder: &Path) {
    remove_temporaries(folder, |name, age| name.starts_with(TEMPORARY) && age > ABANDONED);
}

/// Removes the temporary files that killed processes have left of the file at `path`. Only the one process
/// that writes the file may call this.
pub fn remove_abandoned_of(path: &Path) {
    let Ok(target) = target_of(path) else { return };
    let prefix = prefix_of(&target);
    remove_temporaries(folder_of(&target), |name, _| name.starts_with(&prefix));
}

fn remove_temporaries(folder: &Path, is_left: impl Fn(&str, Duration) -> bool) {
    // Temporary files are useless but harmless, so those that cannot be read or removed stay.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let time = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = time.and_then(|time| time.elapsed().ok()).unwrap_or_default();
        if is_left(&entry.file_name().to_string_lossy(), age) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the folder that contains a file or folder.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// The reason why a folder was not written.
#[derive(Debug, Error)]
pub enum NewFolderError {
    /// The place is taken.
    #[error("{}: expected a folder that is empty or not there yet", .0.display())]
    Taken(PathBuf),
    /// The system refuses.
    #[error(transparent)]
    Write(#[from] FileError),
}

/// Writes a folder with these files, all of them or none. `/` separates the parts of their names. The parent
/// folder must exist.
///
/// # Errors
///
/// Returns an error if there is something other than an empty folder at `path`, or if the system refuses.
pub fn write_new_folder(path: &Path, files: &[(&str, &str)]) -> Result<(), NewFolderError> {
    let taken = || NewFolderError::Taken(path.to_owned());
    let written = match fs::read_dir(path).map(Iterator::count) {
        Ok(0) => fill(path, files),
        Ok(_) => return Err(taken()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(taken()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(path, files),
        Err(error) => Err(error),
    };
    Ok(written.map_err(FileError::at(path, WRITE))?)
}

/// Makes the folder, which does not exist yet, in one step.
fn make(path: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    let stage = stage_in(folder_of(path))?;
    write_all(stage.path(), files)?;
    fs::rename(stage.path(), path)?;
    // The staging folder has moved, so there is nothing to remove in its old place.
    let _ = stage.keep();
    sync_folder(path)
}

/// Fills an existing empty folder, which stays: it may be a process's current folder, and has permissions of
/// its own.
fn fill(path: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    let stage = stage_in(path)?;
    write_all(stage.path(), files)?;
    let mut moved: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(stage.path())? {
        let entry = entry?;
        let place = path.join(entry.file_name());
        if let Err(error) = fs::rename(entry.path(), &place) {
            // Files that cannot be removed stay, because the first error is the useful error.
            moved.iter().for_each(|place| drop(remove(place)));
            return Err(error);
        }
        moved.push(place);
    }
    drop(stage);
    moved.first().map_or(Ok(()), |place| sync_folder(place))
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Creates a temporary folder with the permissions of an ordinary new folder.
fn stage_in(folder: &Path) -> io::Result<TempDir> {
    // `tempfile` adds the temporary path to the error, which tells people nothing.
    temporary(TEMPORARY, 0o777).tempdir_in(folder).map_err(|error| io::Error::from(error.kind()))
}

fn write_all(folder: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(folder_of(&path))?;
        let mut file = File::create_new(&path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        sync_folder(&path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_left_beside_it() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("out.txt");
        for contents in ["first", "second"] {
            write_whole(&path, contents).map_err(|error| error.source)?;
            assert_eq!(fs::read_to_string(&path)?, contents);
        }
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn a_missing_folder_is_an_error() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("none").join("out.txt");
        assert!(check_writable(&path).is_err());
        let error = write_whole(&path, "text").expect_err("no folder").source;
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let none = folder.path().join("none");
        assert_eq!(error.to_string(), format!("there is no folder {}", none.display()));
        assert!(check_writable(folder.path()).is_err());
        Ok(())
    }

    #[test]
    fn a_file_is_no_folder() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a/b");
        make_folder(&path).map_err(|error| error.source)?;
        make_folder(&path).map_err(|error| error.source)?;
        fs::write(path.join("file"), "text")?;
        let error = make_folder(&path.join("file")).expect_err("a file").source;
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
        Ok(())
    }

    #[test]
    fn only_temporary_files_that_nobody_writes_are_removed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, time) in [(".tmpOld", old), (".tmpNew", SystemTime::now()), ("other", old)] {
            fs::File::create(folder.path().join(name))?.set_modified(time)?;
        }
        remove_abandoned(folder.path());
        let left = ["other", ".tmpNew", ".tmpOld"].map(|name| folder.path().join(name).exists());
        assert_eq!(left, [true, true, false]);
        let path = folder.path().join("t.csv");
        let (_, own) = temporary_for(&path)?.keep().map_err(|error| error.error)?;
        let (_, of_another) =
            temporary_for(&folder.path().join("u.csv"))?.keep().map_err(|error| error.error)?;
        remove_abandoned_of(&path);
        assert_eq!((own.exists(), of_another.exists()), (false, true));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_file_behind_it_is_replaced() -> io::Result<()> {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir()?;
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "old")?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640))?;
        symlink(&file, &link)?;
        write_whole(&link, "new").map_err(|error| error.source)?;
        assert!(fs::symlink_metadata(&link)?.is_symlink());
        assert_eq!(fs::read_to_string(&file)?, "new");
        assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o640);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn file_behind_a_link_is_made() -> io::Result<()> {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("there"))?;
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        symlink("second", &first)?;
        symlink("there/file", &second)?;
        write_whole(&first, "new").map_err(|error| error.source)?;
        assert!([&first, &second].iter().all(|link| link.is_symlink()));
        assert_eq!(fs::read_to_string(folder.path().join("there/file"))?, "new");
        let ring = folder.path().join("ring");
        symlink("ring", &ring)?;
        let error = write_whole(&ring, "new").expect_err("a ring");
        assert_eq!(error.path, ring);
        assert!(ring.is_symlink() && check_writable(&ring).is_err());
        let lost = folder.path().join("lost");
        symlink("none/file", &lost)?;
        let error = write_whole(&lost, "new").expect_err("no folder").source.to_string();
        assert!(error.starts_with("there is no folder ") && lost.is_symlink(), "{error}");
        Ok(())
    }

    const FILES: [(&str, &str); 3] = [("a.txt", "a"), ("b/c.txt", "c"), ("b/d.txt", "d")];

    /// Returns the names of everything in a folder, sorted.
    fn names(folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    #[test]
    fn new_and_empty_folders_are_written() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("empty"))?;
        for name in ["empty", "new"] {
            let path = folder.path().join(name);
            write_new_folder(&path, &FILES).expect("a folder");
            assert_eq!(names(&path)?, ["a.txt", "b"]);
            assert_eq!(fs::read_to_string(path.join("b/d.txt"))?, "d");
        }
        assert_eq!(names(folder.path())?, ["empty", "new"]);
        Ok(())
    }

    #[test]
    fn what_is_there_stays() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let [full, file] = ["full", "file"].map(|name| folder.path().join(name));
        fs::create_dir(&full)?;
        for path in [full.join("mine"), file.clone()] {
            fs::write(path, "mine")?;
        }
        for path in [&full, &file] {
            let error = write_new_folder(path, &FILES).expect_err("something is there");
            assert!(matches!(error, NewFolderError::Taken(_)), "{error}");
        }
        assert_eq!(
            (names(folder.path())?, names(&full)?.len()),
            (vec!["file".into(), "full".into()], 1)
        );
        Ok(())
    }

    #[test]
    fn failure_leaves_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("empty"))?;
        // Two files cannot have the same name.
        let twice = [("a.txt", ""), ("a.txt", "")];
        for name in ["new", "empty", "none/new"] {
            let error = write_new_folder(&folder.path().join(name), &twice).expect_err("a failure");
            assert!(matches!(error, NewFolderError::Write(_)), "{error}");
        }
        assert_eq!(names(folder.path())?, ["empty"]);
        assert_eq!(names(&folder.path().join("empty"))?.len(), 0);
        Ok(())
    }
}
