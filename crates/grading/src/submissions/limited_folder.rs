//! A folder to unpack into, with limits on the number, the size and the names of the files: a name must not lead out
//! of the folder, files that no student made are omitted, and names that no file can have are changed.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyground_arena::contents::ContentHash;
use plyground_durable::quantities::size_text;
use plyground_durable::{FileError, excerpt, one_line};
use plyground_sandbox::ByteSize;
use serde::Serialize;
use thiserror::Error;

use crate::submissions::file_kind::{Ends, is_marked_script};

/// The limits of a submission after unpacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct UnpackLimits {
    /// The size of all files together.
    #[serde(with = "size_text")]
    pub size: ByteSize,
    /// The greatest number of files and folders.
    pub files: usize,
}

impl Default for UnpackLimits {
    fn default() -> UnpackLimits {
        UnpackLimits { size: ByteSize::mib(64), files: 2_000 }
    }
}

/// The reason why a submission is not unpacked.
#[derive(Debug, Error)]
pub(crate) enum UnpackError {
    /// The submission is at fault, for this reason, in one line.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Returns the error of a submission that is not unpacked for this reason.
pub(crate) fn refused(why: impl Into<String>) -> UnpackError {
    UnpackError::Refused(why.into())
}

/// Returns the error of an archive that cannot be read.
pub(crate) fn damaged(error: impl std::fmt::Display) -> UnpackError {
    refused(format!("it is damaged: {}", one_line(&error.to_string())))
}

/// A folder into which files are unpacked, within limits.
#[derive(Debug)]
pub(crate) struct Unpacking<'a> {
    folder: &'a Path,
    /// The folder below `folder` for the files that follow.
    below: String,
    limits: UnpackLimits,
    /// The factor by which the packages that a program needs may be larger than the program.
    factor: u64,
    own: Used,
    dependencies: Used,
    /// The folders that were made.
    made: HashSet<PathBuf>,
    ends: Ends,
}

/// The part of the limits that is used.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    bytes: u64,
    files: usize,
    /// The folders that were made for files, whether the archive has them or not.
    folders: usize,
}

/// The factor by which the packages that a program needs may be larger than the program.
const DEPENDENCIES: u64 = 16;

impl Unpacking<'_> {
    /// Creates an unpacking into this folder, which must exist and must have no links.
    pub(crate) fn into(folder: &Path, limits: UnpackLimits) -> Unpacking<'_> {
        Unpacking {
            folder,
            below: String::new(),
            limits,
            factor: DEPENDENCIES,
            own: Used::default(),
            dependencies: Used::default(),
            made: HashSet::new(),
            ends: Ends::new(None),
        }
    }

    pub(crate) fn ends(&self) -> Ends {
        self.ends.clone()
    }

    /// Sets the end of unpacking, for example to the end of an earlier unpacking.
    pub(crate) fn until(self, ends: Ends) -> Self {
        Self { ends, ..self }
    }

    /// Creates an unpacking into this folder in which packages have no more room than the program.
    pub(crate) fn plainly_into(folder: &Path, limits: UnpackLimits) -> Unpacking<'_> {
        Unpacking { factor: 1, ..Unpacking::into(folder, limits) }
    }

    /// Returns the size of all files that were written, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.own.bytes + self.dependencies.bytes
    }

    /// Returns the greatest number of files and folders, the packages that a program needs included.
    pub(crate) fn most_files(&self) -> usize {
        self.limits.files.saturating_mul(1 + self.factor as usize)
    }

    /// Returns the greatest length of a stream of all the files, headers included, in bytes.
    pub(crate) fn longest_stream(&self) -> u64 {
        /// The header and the padding of a file in a tar.
        const HEADERS: u64 = 4 * 512;
        let headers = HEADERS.saturating_mul(self.limits.files as u64 + 1);
        let once = self.limits.size.as_u64().saturating_add(headers);
        once.saturating_mul(1 + self.factor)
    }

    /// Puts all following files into a folder of this name.
    pub(crate) fn enter(&mut self, folder: &str) {
        self.below = format!("{folder}/");
    }

    /// Returns the limits for a file of this name, and the part of them that is used.
    fn share(&mut self, name: &str) -> (&mut Used, UnpackLimits) {
        let UnpackLimits { size, files } = self.limits;
        if !name.split(['/', '\\']).any(|part| DEPENDENCY_FOLDERS.contains(&part)) {
            return (&mut self.own, self.limits);
        }
        let size = ByteSize(size.as_u64().saturating_mul(self.factor));
        let files = files.saturating_mul(self.factor as usize);
        (&mut self.dependencies, UnpackLimits { size, files })
    }

    /// Counts a file or folder of this name. Files that no student made do not count, and packages that a
    /// program needs count separately.
    pub(crate) fn count(&mut self, name: &str) -> Result<(), UnpackError> {
        if entry_place(name).is_ok_and(|place| place.is_none()) {
            return Ok(());
        }
        self.ends.check_stop().map_err(|error| refused(error.to_string()))?;
        let (used, limits) = self.share(name);
        used.files += 1;
        if used.files > limits.files {
            return Err(too_many(limits.files));
        }
        Ok(())
    }

    pub(crate) fn make_folder(&mut self, name: &str) -> Result<(), UnpackError> {
        let Some(path) = self.place(name)? else { return Ok(()) };
        self.make_all(&path, name)
    }

    /// Makes a folder for the entry of this name, and the folders above it. Such folders count, because an
    /// archive that does not list its folders can have many of them for each file.
    fn make_all(&mut self, folder: &Path, name: &str) -> Result<(), UnpackError> {
        if folder == self.folder || self.made.contains(folder) {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.make_all(parent, name)?;
        }
        let (used, limits) = self.share(name);
        used.folders += 1;
        if used.folders > limits.files {
            return Err(too_many(limits.files));
        }
        match fs::create_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            made => made.map_err(|source| self.failed(folder, source))?,
        }
        self.made.insert(folder.to_owned());
        Ok(())
    }

    /// Returns the path of a file of this name; `None` if it is not unpacked.
    fn place(&self, name: &str) -> Result<Option<PathBuf>, UnpackError> {
        // The name is also checked by itself, so that it cannot leave the folder `below`.
        if entry_place(name).map_err(UnpackError::Refused)?.is_none() {
            return Ok(None);
        }
        let place = entry_place(&format!("{}{name}", self.below)).map_err(UnpackError::Refused)?;
        Ok(place.map(|place| self.folder.join(place)))
    }

    /// Writes a file of this name and returns its path. If two files have the same name, the last is kept.
    pub(crate) fn write(
        &mut self,
        name: &str,
        contents: impl Read,
        is_program: bool,
    ) -> Result<Option<PathBuf>, UnpackError> {
        let Some(path) = self.place(name)? else { return Ok(None) };
        self.make_all(path.parent().unwrap_or(self.folder), name)?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = options.open(&path).map_err(|source| self.failed(&path, source))?;
        let (used, limits) = self.share(name);
        let room = limits.size.as_u64().saturating_sub(used.bytes);
        // One byte more shows that the file is too long.
        let contents = contents.take(room.saturating_add(1));
        let mut contents = Watched { contents, ends: self.ends(), failed: None };
        let copied = io::copy(&mut contents, &mut file);
        if let Some(error) = contents.failed {
            return Err(damaged(error));
        }
        let copied = copied.map_err(|source| self.failed(&path, source))?;
        if copied > room {
            let most = limits.size;
            return Err(refused(format!("it has more than {most} in it")));
        }
        self.share(name).0.bytes += copied;
        drop(file);
        set_mode(&path, is_program || is_marked_script(&path).unwrap_or_default())
            .map_err(|source| self.failed(&path, source))?;
        Ok(Some(path))
    }

    /// Returns the error of a file that cannot be written. Only a name that is taken, for example by a
    /// folder, and a path that is too long are the author's fault.
    fn failed(&self, path: &Path, source: io::Error) -> UnpackError {
        let fault = match source.kind() {
            io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::AlreadyExists => "a file and a folder have the same name",
            io::ErrorKind::InvalidFilename => TOO_LONG,
            _ => return FileError::at(path, "write it")(source).into(),
        };
        let name = path.strip_prefix(self.folder).unwrap_or(path).to_string_lossy();
        refused(format!("{fault}, `{}`", excerpt(&name)))
    }
}

/// The fault of a path that is longer than the system allows.
pub(crate) const TOO_LONG: &str = "the names of its folders are too long together";

fn too_many(most: usize) -> UnpackError {
    refused(format!("it has more than {most} files and folders"))
}

/// A reader that remembers its error, because the author is at fault for an error of reading, but not for an
/// error of writing. The reader fails when unpacking is stopped.
struct Watched<R> {
    contents: R,
    ends: Ends,
    failed: Option<String>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.ends.check_stop().and_then(|()| self.contents.read(buffer));
        read.inspect_err(|error| self.failed = Some(error.to_string()))
    }
}

/// Returns true if the mode of a file lets anyone run it.
pub(crate) fn is_program_mode(mode: u32) -> bool {
    mode & 0o111 != 0
}

#[cfg(unix)]
pub(crate) fn is_program(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    is_program_mode(file.permissions().mode())
}

#[cfg(not(unix))]
pub(crate) fn is_program(_: &fs::Metadata) -> bool {
    false
}

/// Lets everybody read a file, and run it if it is a program; only its owner may write it. For a folder,
/// `is_program` lets everybody enter it.
#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, is_program: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let mode = if is_program { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(crate) fn set_mode(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// Folders that a computer adds, not a student.
const JUNK_FOLDERS: [&str; 13] = [
    "__MACOSX",
    // A virtual environment has programs for one computer only.
    "venv",
    ".venv",
    ".hg",
    ".gradle",
    "__pycache__",
    ".git",
    ".svn",
    ".idea",
    ".vscode",
    ".vs",
    ".Spotlight-V100",
    ".Trashes",
];

/// Folders with other people's packages, which a program may need.
const DEPENDENCY_FOLDERS: [&str; 2] = ["node_modules", "site-packages"];

/// Files that a computer adds.
const JUNK_FILES: [&str; 4] = [".DS_Store", "Thumbs.db", "desktop.ini", "Icon\r"];

/// The prefix of files in which macOS keeps data that other systems lack.
pub(super) const RESOURCE_FORK: &str = "._";

/// The greatest depth of nested folders.
const DEEPEST: usize = 32;

/// The longest path of an unpacked file, in bytes. A build may leave [longer paths](plyground_sandbox::LONGEST_PATH).
const LONGEST_PATH: usize = 1024;

/// The longest name of a file, in bytes, as in most file systems.
pub(super) const LONGEST: usize = 255;

/// The lengths of the beginning and the end of a name that is too long, in bytes. The two have the student in
/// the name of a platform, and the kind of the file.
const KEPT: (usize, usize) = (160, 60);

/// Returns the place of a file of this name below the folder to unpack into; `None` for a file that no
/// student made. A name that no file can have is changed, so that the file does not vanish.
///
/// # Errors
///
/// Returns the reason, as one line, if the file would lie outside of that folder, or too deep in it.
pub fn entry_place(name: &str) -> Result<Option<PathBuf>, String> {
    // Some programs for Windows separate folders by `\`.
    let name = name.replace('\\', "/");
    let shown = || excerpt(&name);
    let drive = name.split('/').next().unwrap_or_default();
    if name.starts_with('/') || drive.len() == 2 && drive.ends_with(':') {
        return Err(format!("it has a file with an absolute path, `{}`", shown()));
    }
    let parts: Vec<&str> =
        name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err(format!("it has a file outside of its folder, `{}`", shown()));
    }
    if parts.len() > DEEPEST {
        return Err(format!("expected folders nested at most {DEEPEST} deep, found more"));
    }
    if parts.is_empty() || is_junk(&parts) {
        return Ok(None);
    }
    let place: PathBuf = parts.into_iter().map(usable).collect();
    if place.as_os_str().len() > LONGEST_PATH {
        return Err(format!("expected paths of at most {LONGEST_PATH} bytes, found `{}`", shown()));
    }
    Ok(Some(place))
}

/// Returns the first part of this name that a place has in another form.
pub(super) fn unusable_part(name: &str) -> Option<&str> {
    name.split(['/', '\\']).find(|part| usable(part) != *part)
}

/// Returns a part of a name without control characters. If it is too long, a hash replaces its middle, so that
/// two names do not become one.
fn usable(part: &str) -> String {
    let form = |c: char| match c.is_control() {
        true => format!("%{:02X}", u32::from(c)),
        false => c.to_string(),
    };
    let plain: String = part.chars().map(form).collect();
    if plain.len() <= LONGEST {
        return plain;
    }
    let mut hash = ContentHash::default();
    hash.add(part);
    let is_boundary = |at: &usize| plain.is_char_boundary(*at);
    let start = (0..=KEPT.0).rev().find(is_boundary).unwrap_or_default();
    let end = (plain.len() - KEPT.1..).find(is_boundary).unwrap_or_default();
    format!("{}~{}~{}", &plain[..start], &hash.word()[..8], &plain[end..])
}

fn is_junk(parts: &[&str]) -> bool {
    let last = parts.last().copied().unwrap_or_default();
    parts.iter().any(|part| JUNK_FOLDERS.contains(part))
        || JUNK_FILES.contains(&last)
        || last.starts_with(RESOURCE_FORK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_and_number_are_limited() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = UnpackLimits { size: ByteSize(10), files: 2 };
        let mut unpacking = Unpacking::into(folder.path(), limits);
        fn fault<T: std::fmt::Debug>(result: Result<T, UnpackError>) -> String {
            result.expect_err("too much").to_string()
        }
        assert!(unpacking.write("a/b", &b"12345678"[..], false).is_ok());
        let too_long = unpacking.write("c", io::repeat(b'x'), false);
        assert_eq!(fault(too_long), "it has more than 10 B in it");
        assert!(unpacking.count("a").is_ok() && unpacking.count("b").is_ok());
        assert_eq!(fault(unpacking.count("c")), "it has more than 2 files and folders");
        // Neither files that are not unpacked nor the packages of others count.
        assert!(unpacking.count(".git/objects/00/1").is_ok());
        assert!(unpacking.count("node_modules/a.js").is_ok());
        assert!(unpacking.write("node_modules/a.js", &b"12345678"[..], false).is_ok());
        assert!(fault(unpacking.write("a", &b""[..], false)).contains("the same name, `a`"));
        // Folders count even if the archive does not list them.
        assert!(unpacking.write("d/b", &b""[..], false).is_ok());
        let third = unpacking.write("e/b", &b""[..], false);
        assert_eq!(fault(third), "it has more than 2 files and folders");
        assert!(fault(unpacking.write("../c", &b""[..], false)).contains("outside of its folder"));
    }

    #[test]
    fn files_stay_below_the_folder() {
        let place = |name: &str| entry_place(name).map(|place| place.unwrap_or_default());
        for (name, expected) in [
            ("a/b.c", "a/b.c"),
            ("./a//b.c", "a/b.c"),
            (r"a\b.c", "a/b.c"),
            ("a/..b", "a/..b"),
            ("=cmd|x", "=cmd|x"),
        ] {
            assert_eq!(place(name), Ok(PathBuf::from(expected)), "{name}");
        }
        for name in ["/etc/passwd", "../x", "a/../../x", r"..\x", r"C:\x", "c:/x", r"\\host\x"] {
            assert!(entry_place(name).is_err(), "{name}");
        }
        assert!(entry_place(&"a/".repeat(DEEPEST + 1)).is_err());
        let folders = format!("{}/", "a".repeat(127)).repeat(7);
        assert!(entry_place(&(folders.clone() + &"b".repeat(128))).is_ok());
        assert!(entry_place(&(folders + &"b".repeat(129))).is_err());
        // A control character has three letters in a place.
        assert!(entry_place(&format!("{}/", "\u{1}".repeat(30)).repeat(12)).is_err());
    }

    #[test]
    fn what_no_student_made_is_left_out() {
        for name in [
            "",
            "/./".trim_start_matches('/'),
            "__MACOSX/a/._b.c",
            "a/.DS_Store",
            "a/._b.c",
            "Icon\r",
            "x/.git/config",
        ] {
            assert_eq!(entry_place(name), Ok(None), "{name:?}");
        }
    }

    #[test]
    fn file_whose_name_no_file_can_have_gets_another() {
        let place = |name: &str| entry_place(name).ok().flatten().expect("a place");
        assert_eq!(place("a\u{7}\n/b.c"), PathBuf::from("a%07%0A/b.c"));
        let long = |last: &str| format!("joe_20_504_{}{last}.tar.gz", "\u{8bfe}".repeat(85));
        let [one, other] = ["a", "b"].map(|last| place(&long(last)).display().to_string());
        assert!(one.starts_with("joe_20_504_\u{8bfe}") && one.ends_with("a.tar.gz"), "{one}");
        assert!(one.len() <= LONGEST && one[..180] != other[..180], "{one} {other}");
        assert_eq!(place(&one), PathBuf::from(&one));
        assert_eq!((unusable_part("a/b.c"), unusable_part("a/b\t")), (None, Some("b\t")));
    }
}
