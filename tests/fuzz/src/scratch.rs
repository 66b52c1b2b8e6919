//! Files for the readers that take nothing else.

use std::cell::LazyCell;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Memory that looks like a folder, where there is some: nothing here is to be kept.
const MEMORY: &str = "/dev/shm";

thread_local! {
    static FOLDER: LazyCell<TempDir> = LazyCell::new(|| {
        let memory = Path::new(MEMORY);
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        folder.expect("a folder for files")
    });
}

/// The path of a file of this thread.
pub(crate) fn path(name: &str) -> PathBuf {
    FOLDER.with(|folder| folder.path().join(name))
}

/// A file of this thread with these bytes in it.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = path(name);
    fs::write(&path, bytes).expect("room for a file");
    path
}
