//! Folders that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use thiserror::Error;

use crate::output::{TEMPORARY, WriteError, folder_of, sync_folder};

/// The reason why a folder was not written.
#[derive(Debug, Error)]
pub enum NewFolderError {
    /// The place is taken.
    #[error("{}: expected a folder that is empty or not there yet", .0.display())]
    Taken(PathBuf),
    /// The system refuses.
    #[error(transparent)]
    Write(#[from] WriteError),
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
    written.map_err(|source| WriteError { path: path.to_owned(), source }.into())
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
            // Files that cannot be removed stay: the first error is worth more than a second one.
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
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    // `tempfile` adds the temporary path to the error, which tells people nothing.
    builder.tempdir_in(folder).map_err(|error| io::Error::from(error.kind()))
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
    use super::*;

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
