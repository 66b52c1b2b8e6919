//! Input from people: files, read up to a limit of length, and the errors of the system about files; text
//! from editors, shells and word processors, read as plain text; and TOML files that configure a command,
//! with errors that name the place of a fault.
//!
//! All files and lines from people and their programs are read through this module. It removes marks without
//! meaning: a byte order mark, the encoding UTF-16 that such a mark announces, the Ctrl-Z or NULs with which
//! DOS and C programs end a file, and the second CR of CR CR LF. A program writes CR CR LF when it ends its
//! lines with CR LF in a file that it has opened in text mode.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::ops::Range;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::str::Utf8Error;

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::one_line;

/// The file name that stands for standard input.
pub const STDIN: &str = "-";

/// Reads the bytes of a file, or of standard input if the path is [`STDIN`]. Returns `None` if there are more
/// than `most`; a file without end, such as a device, is not read any further.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    if path == Path::new(STDIN) {
        read_at_most(io::stdin().lock(), most)
    } else {
        let bytes = File::open(path).and_then(|file| read_at_most(file, most));
        // Systems report a folder with different messages.
        bytes.map_err(|error| match path.is_dir() {
            true => io::Error::new(io::ErrorKind::IsADirectory, "expected a file, found a folder"),
            false => error,
        })
    }
}

/// Reads like [`read_bytes`], and returns [plain text](self) whose lines end in LF.
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

/// Opens a stranger's file, which must be a regular file: a symbolic link is not followed, and a pipe does
/// not block. The links on the way to it must be [trusted](is_trusted).
///
/// # Errors
///
/// Returns an error if the system refuses, or if the path is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = match open_strange(path) {
        // For a link that is not followed, the message of the system is about too many links.
        Err(_) if path.is_symlink() => return Err(not_regular()),
        opened => opened?,
    };
    // The check is on the descriptor, because the path may lead to another file by now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Opens a file or folder that is below a folder, for reading. No part of the way below the folder is a link, even if
/// somebody swaps folders for links meanwhile; systems other than Linux do not promise the latter. The links on the way
/// to the folder must be [trusted](is_trusted).
///
/// # Errors
///
/// Returns an error if there is no such file or folder, or if a link is on the way.
pub fn open_below(folder: &Path, below: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, ResolveFlags, openat2};
        use rustix::io::Errno;

        let root = open_strange(folder)?;
        let way = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(&root, below, way::FLAGS, Mode::empty(), way) {
            // Linux before 5.6 lacks the call, and old containers refuse it.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?.into()),
        }
    }
    open_strange(&folder.join(below))
}

/// Returns true if a file is no symbolic link, or if the link belongs to the user of this process or to root. Any other
/// user who may change a folder could put a link there to files that only this process may read. Systems other than
/// Linux do not check this.
///
/// # Errors
///
/// Returns an error if there is no such file.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "it is not checked"))]
pub fn is_trusted(path: &Path) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;

        let found = fs::symlink_metadata(path)?;
        Ok(!found.is_symlink() || way::is_trusted(found.uid()))
    }
    #[cfg(not(target_os = "linux"))]
    Ok(true)
}

/// Checks that no link of another user is on the way to a folder that a person names. The files in it would not be
/// opened, which their authors would pay for.
///
/// # Errors
///
/// Returns an error that names the folder to which the way leads.
pub fn check_way(folder: &Path) -> io::Result<()> {
    match open_strange(&folder.join("..")) {
        // An error of the system has a number, and shows when the files are read.
        Err(error) if error.raw_os_error().is_none() => {
            let real = fs::canonicalize(folder)?;
            Err(io::Error::new(error.kind(), format!("{error}, {}", real.display())))
        }
        _ => Ok(()),
    }
}

/// Opens a file or folder for reading. A symbolic link is not followed, and those on the way to it only if they are
/// [trusted](is_trusted); systems other than Linux do not check the latter. A pipe does not block.
fn open_strange(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    return Ok(way::open(path, way::is_trusted)?.into());
    #[cfg(not(target_os = "linux"))]
    {
        let mut options = File::options();
        options.read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            libc::O_NOFOLLOW | libc::O_NONBLOCK,
        );
        options.open(path)
    }
}

/// The way to a file, link by link.
#[cfg(target_os = "linux")]
mod way {
    use std::collections::VecDeque;
    use std::ffi::{OsStr, OsString};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Component, Path};

    use rustix::fs::{
        CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open as open_here, openat, openat2,
        readlinkat,
    };
    use rustix::io::Errno;
    use rustix::process::geteuid;

    /// The flags for a stranger's file.
    pub(super) const FLAGS: OFlags =
        OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
    /// The flags for a part of the way.
    const PART: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    /// The most links on a way, as in Linux.
    const MOST_LINKS: usize = 40;

    /// Returns true if a link of this user is followed.
    pub(super) fn is_trusted(owner: u32) -> bool {
        owner == 0 || owner == geteuid().as_raw()
    }

    /// Opens a file or folder. The links on the way are followed if their owners are trusted, and the last part of the
    /// way is not followed. Each part is opened in the folder before it, so that a link that is put there meanwhile is
    /// seen.
    pub(super) fn open(path: &Path, is_trusted: impl Fn(u32) -> bool) -> io::Result<OwnedFd> {
        match openat2(CWD, path, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // There is a link; or Linux before 5.6 lacks the call, and old containers refuse it.
            Err(Errno::LOOP | Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?),
        }
        let start = |is_absolute| {
            let place = if is_absolute { "/" } else { "." };
            open_here(place, PART | OFlags::DIRECTORY, Mode::empty())
        };
        let mut place = start(path.is_absolute())?;
        let mut rest = parts(path);
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            if rest.is_empty() {
                return Ok(openat(&place, part, FLAGS, Mode::empty())?);
            }
            let next = openat(&place, part, PART, Mode::empty())?;
            let found = fstat(&next)?;
            if FileType::from_raw_mode(found.st_mode) != FileType::Symlink {
                place = next;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(Errno::LOOP.into());
            }
            if !is_trusted(found.st_uid) {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "a link of another user is on the way: expected the path of the folder itself",
                ));
            }
            let target = OsString::from_vec(readlinkat(&next, "", Vec::new())?.into_bytes());
            let target = Path::new(&target);
            if target.is_absolute() {
                place = start(true)?;
            }
            parts(target).into_iter().rev().for_each(|part| rest.push_front(part));
        }
        Ok(openat(&place, ".", FLAGS, Mode::empty())?)
    }

    /// Returns the names on a way, from the root or the current folder.
    fn parts(path: &Path) -> VecDeque<OsString> {
        let is_name =
            |part: &Component<'_>| !matches!(part, Component::RootDir | Component::CurDir);
        path.components().filter(is_name).map(|part| OsStr::to_owned(part.as_os_str())).collect()
    }
}

/// Returns the files and folders in a folder below another, by name. The folder is opened as [`open_below`] does.
///
/// # Errors
///
/// Returns an error if there is no such folder, or if a link is on the way.
pub fn entries_below(folder: &Path, below: &Path) -> io::Result<Vec<(OsString, FileType)>> {
    let path = folder.join(below);
    #[cfg(target_os = "linux")]
    let opened = open_below(folder, if below == Path::new("") { Path::new(".") } else { below })?;
    #[cfg(target_os = "linux")]
    let path = match Path::new("/proc/self/fd").join(opened.as_raw_fd().to_string()) {
        held if held.exists() => held,
        _ => path,
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        entries.push((entry.file_name(), entry.file_type()?));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file, found something else")
}

/// Returns the bytes of a stranger's file, as [`open_regular`] opens it; `None` if there are more than
/// `most`.
///
/// # Errors
///
/// Returns an error if the system refuses, or if the path is not a regular file.
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

    /// Returns true if there is no such file or folder.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

/// The action that fails when a file cannot be written.
pub(crate) const WRITE: &str = "write the file";

/// The byte order mark, as a character.
const MARK: char = '\u{feff}';

/// The characters that may follow the text of a file: NUL and Ctrl-Z, the end of a file in DOS.
const END_MARKS: [char; 2] = ['\0', '\u{1a}'];

/// The characters of Windows-1252 from 0x80 to 0x9f, where Latin-1 has only controls.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Returns the text of a file.
///
/// # Errors
///
/// Returns an error if the bytes are neither UTF-8 nor marked as UTF-16.
pub fn decode(bytes: &[u8]) -> Result<String, Utf8Error> {
    let text = match utf_16(bytes) {
        Some(text) => text,
        None => std::str::from_utf8(bytes)?.to_owned(),
    };
    Ok(plain(&text).into_owned())
}

/// Returns the text of a file, with U+FFFD in place of anything that is not text.
pub fn decode_lossy(bytes: &[u8]) -> String {
    plain(&decode_layout(bytes)).into_owned()
}

/// Returns the text of a file like [`decode_lossy`], but with its line ends unchanged, CR CR LF included, for
/// callers that judge them.
pub fn decode_layout(bytes: &[u8]) -> String {
    let text = utf_16(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
    without_marks(&text).to_owned()
}

/// Returns the text of a table. Spreadsheets also write tables in UTF-16 without a mark, and in Windows-1252.
/// Bytes that are neither UTF-16 nor UTF-8 are read as Windows-1252.
pub fn decode_table(bytes: &[u8]) -> String {
    let text = utf_16(bytes).unwrap_or_else(|| match bytes {
        [_, 0, ..] => of_units(bytes, u16::from_le_bytes),
        [0, _, ..] => of_units(bytes, u16::from_be_bytes),
        _ => std::str::from_utf8(bytes).map_or_else(|_| windows(bytes), str::to_owned),
    });
    plain(&text).into_owned()
}

/// Returns a text that was decoded elsewhere without the parts that carry no meaning.
pub fn plain(text: &str) -> Cow<'_, str> {
    let text = without_marks(text);
    if text.contains("\r\r\n") { with_single_cr(text).into() } else { text.into() }
}

/// Returns the text with LF in place of every CR LF and CR.
pub fn unix_lines(text: &str) -> Cow<'_, str> {
    let text = plain(text);
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        false => text,
    }
}

/// Returns the text with CR LF in place of every CR CR LF.
pub fn with_single_cr(text: &str) -> String {
    text.replace("\r\r\n", "\r\n")
}

/// Returns the text without byte order marks before it and end marks after it. Blanks and line ends before
/// the first end mark stay. Several programs may each have put a mark before the text.
fn without_marks(text: &str) -> &str {
    let text = text.trim_start_matches(MARK);
    // In `1`, Ctrl-Z, CR LF, the CR LF after the end mark is not part of the text.
    let end = text.trim_end_matches(|c: char| END_MARKS.contains(&c) || c.is_ascii_whitespace());
    let rest = &text[end.len()..];
    let blanks = rest.find(END_MARKS).unwrap_or(rest.len());
    &text[..end.len() + blanks]
}

/// Returns the text in UTF-16 that a byte order mark announces, or `None` if there is no such mark.
fn utf_16(bytes: &[u8]) -> Option<String> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => Some(of_units(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Some(of_units(rest, u16::from_be_bytes)),
        _ => None,
    }
}

fn of_units(bytes: &[u8], unit_of: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks(2).map(|unit| match *unit {
        [first, second] => unit_of([first, second]),
        // Half a unit is not a character.
        _ => char::REPLACEMENT_CHARACTER as u16,
    });
    let text = char::decode_utf16(units);
    text.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Returns the text in Windows-1252.
fn windows(bytes: &[u8]) -> String {
    let upper: Vec<char> = WINDOWS.chars().collect();
    let of = |byte: &u8| match byte {
        0x80..=0x9f => upper[usize::from(byte - 0x80)],
        byte => char::from(*byte),
    };
    bytes.iter().map(of).collect()
}

/// Decodes lines that arrive one by one, each of which ends in a byte LF.
#[derive(Debug, Default)]
pub struct LineDecoder {
    /// If true, the first line has been seen.
    has_begun: bool,
    is_utf_16: bool,
}

impl LineDecoder {
    /// Returns the text of the next line, without its end and with U+FFFD in place of anything that is not
    /// text.
    ///
    /// Reads only the ASCII characters of lines in UTF-16, which suffices for all protocols.
    pub fn line(&mut self, bytes: &[u8]) -> String {
        if !self.has_begun {
            self.has_begun = true;
            self.is_utf_16 = utf_16(bytes).is_some();
        }
        let text = if self.is_utf_16 {
            // The byte LF is the first or second half of its unit, so lines do not consist of whole units.
            let letters = bytes.iter().filter(|&&byte| !matches!(byte, 0 | 0xfe | 0xff));
            String::from_utf8_lossy(&letters.copied().collect::<Vec<_>>()).into_owned()
        } else {
            String::from_utf8_lossy(bytes).into_owned()
        };
        without_marks(&text).trim_end_matches(['\n', '\r']).to_owned()
    }
}

/// The most bytes of a file, far more than people write.
const MOST_TOML: u64 = 4 * 1024 * 1024;

/// The action that fails when the file cannot be read.
const READ: &str = "read the file";

/// The reason why a file cannot be used, as one line.
#[derive(Debug, Error)]
pub enum TomlError {
    /// The file, or a file or folder that it names, cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file, or a file that it names, is far longer than any file that people write.
    #[error("{}: expected at most {MOST_TOML} bytes, found more", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The contents of the file are wrong.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The fault.
        fault: String,
    },
}

/// A file and its text.
#[derive(Clone, Debug)]
pub struct TomlFile<'a> {
    /// The name of the file.
    pub path: &'a Path,
    /// The text of the file.
    pub text: String,
}

impl TomlFile<'_> {
    /// Reads a file, or standard input if the path is `-`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or if it is far too long.
    pub fn read(path: &Path) -> Result<TomlFile<'_>, TomlError> {
        read_toml(path).map(|text| TomlFile { path, text })
    }

    /// Reads a file in a folder of a stranger, which must be a regular file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is something else, or is far too long.
    pub fn read_regular(path: &Path) -> Result<TomlFile<'_>, TomlError> {
        let unreadable = FileError::at(path, READ);
        let bytes = read_regular(path, MOST_TOML).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| TomlError::TooLong { path: path.to_owned() })?;
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "it is not in UTF-8");
        let text = String::from_utf8(bytes).map_err(|_| unreadable(wrong()))?;
        Ok(TomlFile { path, text })
    }

    /// Parses the text of the file.
    ///
    /// # Errors
    ///
    /// Returns an error with the first place that is wrong.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, TomlError> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            let message = plainly(&one_line(&message));
            self.fault(error.span().unwrap_or(0..0), message)
        })
    }

    /// Returns the error that the text at `span`, in bytes, is wrong.
    pub fn fault(&self, span: Range<usize>, fault: String) -> TomlError {
        let (line, column) = place(&self.text, span.start);
        TomlError::Fault { path: self.path.to_owned(), line, column, fault }
    }
}

/// Returns a message of the parser with words in place of Rust's types.
fn plainly(message: &str) -> String {
    let whole = |least: u32, most: u64| format!("expected a whole number from {least} to {most}");
    [
        ("expected a nonzero u32", whole(1, u32::MAX.into())),
        ("expected u16", whole(0, u16::MAX.into())),
        ("expected u32", whole(0, u32::MAX.into())),
        ("expected u64", whole(0, u64::MAX)),
        ("expected usize", whole(0, usize::MAX as u64)),
    ]
    .iter()
    .fold(message.to_owned(), |message, (rust, words)| message.replace(rust, words))
}

/// Reads the text of a file that people write, or of standard input if the path is `-`.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if it is far too long.
pub fn read_toml(path: &Path) -> Result<String, TomlError> {
    match read_text(path, MOST_TOML) {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(TomlError::TooLong { path: path.to_owned() }),
        Err(error) => Err(FileError::at(path, READ)(error).into()),
    }
}

/// Returns the line and the column, in characters, of a byte of a text, both from 1.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folder_is_no_file() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let error = read_bytes(folder.path(), 1).expect_err("a folder");
        assert_eq!(error.to_string(), "expected a file, found a folder");
        Ok(())
    }

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

    #[cfg(target_os = "linux")]
    #[test]
    fn links_of_strangers_are_not_followed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |below: &str| folder.path().join(below);
        fs::create_dir_all(path("a/b"))?;
        fs::write(path("a/b/file"), "text")?;
        for (link, to) in [("up", "a/b/.."), ("root", &path("a").display().to_string())] {
            std::os::unix::fs::symlink(to, path(link))?;
            let file = path(link).join("b/file");
            assert!(way::open(&file, |_| true).is_ok() && open_regular(&file).is_ok(), "{link}");
            let error = way::open(&file, |_| false).expect_err(link).to_string();
            assert!(error.starts_with("a link of another user is on the way"), "{error}");
            assert!(way::open(&path(link), |_| true).is_err(), "the last part is not followed");
        }
        check_way(&path("root"))?;
        std::os::unix::fs::symlink("loop", path("loop"))?;
        assert!(way::open(&path("loop/file"), |_| true).is_err());
        assert!(way::open(&path("a/b/file"), |_| false).is_ok());
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn no_link_is_on_the_way_down() -> io::Result<()> {
        use std::os::unix::fs::symlink;

        let (folder, other) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let below = |path: &str| open_below(folder.path(), Path::new(path)).is_ok();
        let listed = |path: &str| -> io::Result<Vec<_>> {
            let entries = entries_below(folder.path(), Path::new(path))?;
            Ok(entries.into_iter().map(|(name, kind)| (name, kind.is_dir())).collect())
        };
        fs::create_dir_all(folder.path().join("a/b"))?;
        fs::write(folder.path().join("a/own"), "")?;
        fs::write(other.path().join("secret"), "")?;
        symlink(other.path(), folder.path().join("link"))?;
        assert_eq!(listed("a/")?, [("b".into(), true), ("own".into(), false)]);
        assert_eq!(listed("")?, [("a".into(), true), ("link".into(), false)]);
        assert!(below("a/own") && !below("link/secret") && !below("a/../../x"));
        assert!(listed("link").is_err() && listed("link/").is_err() && listed("a/../..").is_err());
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

    /// Returns the text in UTF-16 after its mark.
    fn in_utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(bytes_of).collect()
    }

    #[test]
    fn marks_and_encodings_are_taken_away() {
        let text = "0\u{e9}\n1\n";
        assert_eq!(decode("\u{feff}0\u{e9}\n1\n".as_bytes()).as_deref(), Ok(text));
        for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(decode(&in_utf_16(text, bytes_of)).as_deref(), Ok(text));
        }
        // All byte order marks are removed at once, so a second reading changes nothing.
        assert_eq!(decode("\u{feff}\u{feff}0\u{e9}\n1\n".as_bytes()).as_deref(), Ok(text));
        assert!(decode(b"\xff0").is_err());
        assert_eq!(decode_lossy(b"\xff0"), "\u{fffd}0");
        assert_eq!(decode_lossy(&in_utf_16("12", u16::to_le_bytes)[..5]), "1\u{fffd}");
    }

    #[test]
    fn tables_are_read_in_all_encodings_of_spreadsheets() {
        let text = "name;é\r\nAnn;“1”\r\n";
        let little = in_utf_16(text, u16::to_le_bytes);
        let big = in_utf_16(text, u16::to_be_bytes);
        let windows = b"name;\xe9\r\nAnn;\x931\x94\r\n".to_vec();
        for bytes in [&little, &big, &little[2..].to_vec(), &big[2..].to_vec(), &windows] {
            assert_eq!(decode_table(bytes), text);
        }
        assert_eq!(decode_table("\u{feff}é\r\n\u{1a}".as_bytes()), "é\r\n");
    }

    #[test]
    fn end_marks_are_taken_from_the_end_alone() {
        for (found, text) in [
            ("1\n\x1a", "1\n"),
            ("1\0\0\0", "1"),
            ("1\r\n\x1a\r\n", "1\r\n"),
            ("1 \n\n", "1 \n\n"),
            ("1\0\n2\n", "1\0\n2\n"),
            ("\x1a", ""),
            ("", ""),
        ] {
            assert_eq!(decode(found.as_bytes()).as_deref(), Ok(text), "{found:?}");
        }
    }

    #[test]
    fn doubled_cr_is_one_line_end() {
        assert_eq!(plain("1\r\r\n2\r\r\n"), "1\r\n2\r\n");
        assert_eq!(plain("1\r\r2\n\r\n"), "1\r\r2\n\r\n");
        assert_eq!(decode_layout(b"\xef\xbb\xbf1\r\r\n"), "1\r\r\n");
        assert_eq!(unix_lines("1\r2\r\n3\r\r\n4\n"), "1\n2\n3\n4\n");
    }

    #[test]
    fn lines_are_decoded_as_they_come() {
        let lines = |bytes: &[u8]| {
            let mut decoder = LineDecoder::default();
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            lines.map(|line| decoder.line(line)).collect::<Vec<_>>()
        };
        assert_eq!(lines(b"\xef\xbb\xbfgo\r\nquit\r\r\n\x1a"), ["go", "quit", ""]);
        assert_eq!(lines(&in_utf_16("go\r\nquit\n", u16::to_le_bytes)), ["go", "quit", ""]);
        assert_eq!(lines(&in_utf_16("go\r\nquit\n", u16::to_be_bytes)), ["go", "quit"]);
        assert_eq!(lines(b"go\n\xff\xfe\n"), ["go", "\u{fffd}\u{fffd}"]);
    }
}
