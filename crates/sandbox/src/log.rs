//! The file for what programs print to standard error.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::Mode;
use nix::unistd::{UnlinkatFlags, unlinkat};

/// How much is kept, in bytes.
const LIMIT: u64 = 1 << 20;

/// How much of a run's beginning the host is told of, in bytes.
const BEGINNING: usize = 64 * 1024;

/// The mode of a new file, of which the umask takes away.
const MODE: Mode = Mode::from_bits_truncate(0o666);

/// The log of all runs of a program.
#[derive(Clone, Debug)]
pub(crate) struct SharedLog(Arc<Mutex<Log>>);

impl SharedLog {
    /// Returns a log that appends to a file, if there is one, and makes it when there is something to
    /// write. The supervisor may move to another root later; if it `becomes_other`, a user who may not
    /// make the file, it makes it at once.
    ///
    /// # Errors
    ///
    /// An error if the folder of the file cannot be opened.
    pub(crate) fn new(path: Option<&Path>, becomes_other: bool) -> io::Result<SharedLog> {
        let place = path.map(Place::of).transpose()?;
        let mut log = Log { place, file: None, left: LIMIT, beginning: Vec::new() };
        if becomes_other {
            log.open();
        }
        Ok(SharedLog(Arc::new(Mutex::new(log))))
    }

    /// Removes the file if nothing is in it.
    pub(crate) fn remove_empty(&self) {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_empty = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if let (Some(place), Some(file)) = (&log.place, &log.file)
            && is_empty(file)
        {
            let _ = unlinkat(&place.folder, &*place.name, UnlinkatFlags::NoRemoveDir);
        }
    }

    /// Appends as much as there is room for. Errors are ignored: the program is not to blame.
    pub(crate) fn add(&self, text: &[u8]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.add(text);
    }

    /// Returns the beginning of what a run has printed, and forgets it.
    pub(crate) fn take_beginning(&self) -> Vec<u8> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut log.beginning)
    }
}

/// A file in a folder that is open.
#[derive(Debug)]
struct Place {
    folder: OwnedFd,
    name: PathBuf,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new("."));
        let flags = OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        let folder = open(folder, flags, Mode::empty())?;
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.into();
        Ok(Place { folder, name })
    }
}

#[derive(Debug)]
struct Log {
    place: Option<Place>,
    /// Opened when there is something to write.
    file: Option<File>,
    left: u64,
    /// What the present run has printed first.
    beginning: Vec<u8>,
}

impl Log {
    fn open(&mut self) {
        if let Some(place) = &self.place {
            let flags = OFlag::O_WRONLY | OFlag::O_APPEND | OFlag::O_CREAT | OFlag::O_CLOEXEC;
            self.file = openat(&place.folder, &*place.name, flags, MODE).map(File::from).ok();
            let length = self.file.as_ref().and_then(|file| file.metadata().ok());
            self.left = LIMIT.saturating_sub(length.map_or(0, |metadata| metadata.len()));
        }
    }

    fn add(&mut self, text: &[u8]) {
        let room = BEGINNING - self.beginning.len();
        self.beginning.extend_from_slice(&text[..text.len().min(room)]);
        if self.file.is_none() {
            self.open();
        }
        let length = text.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if let Some(file) = &mut self.file {
            let _ = file.write_all(&text[..length]);
        }
        self.left -= length as u64;
    }
}
