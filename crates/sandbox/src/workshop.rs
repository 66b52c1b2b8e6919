//! The folder that a program may change: a copy, which takes the place of the original.

use std::io;
use std::path::Path;

use crate::folder::{Copying, Folder};

/// The number of files and folders that a workshop may hold.
pub(crate) const MOST_FILES: usize = 100_000;

/// The exit code of a supervisor whose work is done.
pub(crate) const DONE: i32 = 0;
/// The exit code of a supervisor to which the OS has refused something.
const FAILED: i32 = 1;
/// The exit code of a supervisor whose last program did not end by itself: the workshop stays as it was.
pub(crate) const UNWANTED: i32 = 2;
/// The exit code of a supervisor that has not taken in a workshop, since there is too much in it.
pub(crate) const TOO_MUCH: i32 = 3;

/// A folder of the host, and the copy in which a program works. This process may read and write both.
#[derive(Debug)]
pub(crate) struct Workshop {
    original: Folder,
    copy: Folder,
    /// The limit of the size, in bytes.
    bytes: u64,
}

impl Workshop {
    /// Copies a folder of the host, which has no links in its path, into an empty one, and gives the
    /// copies to a user.
    pub(crate) fn new(
        original: &Path,
        copy: Folder,
        owner: Option<u32>,
        bytes: u64,
    ) -> io::Result<Workshop> {
        let original = Folder::open(original)?;
        original.copy_to(&copy, Copying { owner, bytes, files: MOST_FILES })?;
        copy.give(owner)?;
        Ok(Workshop { original, copy, bytes })
    }

    /// Returns the copy.
    pub(crate) fn copy(&self) -> &Folder {
        &self.copy
    }

    /// Puts the content of the copy in the place of that of the original. No process of the program may
    /// be alive. Returns the exit code of the supervisor.
    pub(crate) fn take_in(&self) -> i32 {
        self.original.clear();
        let all = Copying { owner: None, bytes: self.bytes, files: MOST_FILES };
        match self.copy.copy_to(&self.original, all) {
            Ok(()) => DONE,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => TOO_MUCH,
            Err(_) => FAILED,
        }
    }
}
