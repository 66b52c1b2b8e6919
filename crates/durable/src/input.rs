//! Files that people hand to a program, read up to the longest that such a file can be; and the error of the
//! system about a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::plain_text::{decode, unix_lines};

/// The file name that stands for standard input.
pub const STDIN: &str = "-";

/// Reads the bytes of a file, or of standard input if the path is [`STDIN`]. Returns `None` if there are more
/// than `most`; a file without end, such as a device, is not read any further.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    if path == Path::new(STDIN) {
        read_at_most(io::stdin().lock(), most)
    } else {
        read_at_most(File::open(path)?, most)
    }
}

/// Reads like [`read_bytes`], and returns [plain text](crate::plain_text) whose lines end in LF.
///
/// # Errors
///
/// Returns an error if the system refuses, or if the text is neither UTF-8 nor marked as UTF-16 by a byte
/// order mark.
pub fn read_text(path: &Path, most: u64) -> io::Result<Option<String>> {
    let Some(bytes) = read_bytes(path, most)? else { return Ok(None) };
    let text = decode(&bytes);
    let text = text.map(|text| Some(unix_lines(&text).into_owned()));
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not in UTF-8"))
}

/// Opens a file of a stranger, who may have put anything in its place: only a regular file is opened,
/// never a link to another place, and a pipe does not block.
///
/// # Errors
///
/// Returns an error if the system refuses, or if it is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = match options.open(path) {
        // The system's words for a link that is not followed are about too many links.
        Err(_) if path.is_symlink() => return Err(not_regular()),
        opened => opened?,
    };
    // The descriptor is looked at, not the path, which may lead to something else by now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file, found something else")
}

/// Returns the bytes of a stranger's file, as [`open_regular`] opens it; `None` if there are more than
/// `most`.
///
/// # Errors
///
/// Returns an error if the system refuses, or if it is not a regular file.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    read_at_most(open_regular(path)?, most)
}

fn read_at_most(from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let length = from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((length as u64 <= most).then_some(bytes))
}

/// An error of the system about a file or folder, as one line: `notes: cannot lock it: permission denied`.
#[derive(Debug, Error)]
#[error("{}: cannot {cannot}: {source}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The action that failed: `lock it`.
    pub cannot: &'static str,
    /// The system's error.
    pub source: io::Error,
}

impl FileError {
    /// Returns a function that makes the error of an action that failed, for [`Result::map_err`].
    pub fn at(path: &Path, cannot: &'static str) -> impl Fn(io::Error) -> FileError + Copy {
        move |source| FileError { path: path.to_owned(), cannot, source }
    }

    /// If true, there is no such file or folder.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

/// The action that fails when a file cannot be written.
pub(crate) const WRITE: &str = "write the file";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_to_it() -> io::Result<()> {
        assert_eq!(read_at_most(io::repeat(0), 1_000)?, None);
        assert_eq!(read_at_most(&b"1234"[..], 3)?, None);
        assert_eq!(read_at_most(&b"123"[..], 3)?.as_deref(), Some(&b"123"[..]));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_of_strangers_are_read() -> io::Result<()> {
        use std::os::unix::fs::symlink;
        use std::process::Command;

        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "123")?;
        assert!(Command::new("mkfifo").arg(path("pipe")).status()?.success());
        symlink("/dev/zero", path("endless"))?;
        symlink("file", path("link"))?;
        assert_eq!(read_regular(&path("file"), 3)?.as_deref(), Some(&b"123"[..]));
        assert_eq!(read_regular(&path("file"), 2)?, None);
        for name in ["pipe", "endless", "link", "."] {
            let error = read_regular(&path(name), 3).expect_err(name);
            assert_eq!(error.to_string(), "expected a regular file, found something else");
        }
        Ok(())
    }

    #[test]
    fn texts_are_in_utf_8() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        fs::write(&path, "\u{e9}")?;
        assert_eq!(read_text(&path, 2)?.as_deref(), Some("\u{e9}"));
        // The limit counts bytes and is checked before the text is decoded.
        assert_eq!(read_text(&path, 1)?, None);
        fs::write(&path, b"\xff\xfea\0\r\0\r\0\n\0")?;
        assert_eq!(read_text(&path, 10)?.as_deref(), Some("a\n"));
        fs::write(&path, b"\xff")?;
        assert_eq!(
            read_text(&path, 2).map_err(|error| error.to_string()),
            Err("it is not in UTF-8".to_owned())
        );
        Ok(())
    }
}
