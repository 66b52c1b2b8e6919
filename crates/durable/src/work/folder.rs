//! The folder that all who work share.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::fnv1a;

use super::WorkError;
use super::claims::Claims;
use super::claims::{file_names, is_piece_name, split_generation};
use super::heartbeat::{Heartbeat, TaskName};
use crate::one_line;
use crate::output::{make_folder, sync_folder, temporary_for};

/// The file that says what the work is.
const TITLE: &str = "title";
/// The folder with the results.
const RESULTS: &str = "results";
/// The folder with the claims.
const CLAIMS: &str = "claims";
/// The folder with what failed.
const FAILURES: &str = "failures";
/// The folder in which tasks show that they live.
const TASKS: &str = "tasks";
/// The folder with the claims on what one at a time may do.
const LEASES: &str = "leases";
/// The folder with who was refused.
const REFUSED: &str = "refused";
/// What the first line of a result begins with.
const SEAL: &str = "plyground-result ";

/// What has become of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// It is the result of the piece.
    First,
    /// There was one already, which stays.
    Second,
}

/// The folder that all who work share: what the work is, who does which piece, and the results.
#[derive(Clone, Debug)]
pub struct WorkFolder {
    path: PathBuf,
    claims: Claims,
}

impl WorkFolder {
    /// Opens the folder with the work of this title (a text of one line or more), or begins one.
    /// Several may do so at once.
    ///
    /// # Errors
    ///
    /// When it is the folder of other work, or cannot be read or written.
    pub fn open(path: &Path, title: &str) -> Result<WorkFolder, WorkError> {
        for folder in [RESULTS, CLAIMS, FAILURES, TASKS, LEASES, REFUSED] {
            make_folder(&path.join(folder))?;
        }
        let file = path.join(TITLE);
        match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write_first(&file, title.as_bytes()).map_err(WorkError::at(&file))?;
            }
            Err(source) => return Err(WorkError::Io { path: file, source }),
            Ok(_) => {}
        }
        let folder = WorkFolder::existing(path)?;
        folder.check_title(title)?;
        Ok(folder)
    }

    /// Opens a folder that has work, whatever it is.
    ///
    /// # Errors
    ///
    /// When it has none.
    pub fn existing(path: &Path) -> Result<WorkFolder, WorkError> {
        if !path.join(TITLE).is_file() {
            return Err(WorkError::NoWork(path.to_owned()));
        }
        Ok(WorkFolder { path: path.to_owned(), claims: Claims::new(path.join(CLAIMS)) })
    }

    /// Refuses the folder of other work.
    ///
    /// # Errors
    ///
    /// When it is, or cannot be read.
    pub fn check_title(&self, expected: &str) -> Result<(), WorkError> {
        let file = self.path.join(TITLE);
        let found = fs::read_to_string(&file).map_err(WorkError::at(&file))?;
        if found == expected {
            return Ok(());
        }
        let line = (0..).find(|&line| found.lines().nth(line) != expected.lines().nth(line));
        let line = line.unwrap_or_default();
        let text = |text: &str| one_line(text.lines().nth(line).unwrap_or_default().trim());
        Err(WorkError::OtherWork {
            path: self.path.clone(),
            line: line + 1,
            found: text(&found),
            expected: text(expected),
        })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn claims(&self) -> &Claims {
        &self.claims
    }

    pub(super) fn leases(&self) -> Claims {
        Claims::new(self.path.join(LEASES))
    }

    /// The file in which a task shows that it lives.
    pub(super) fn task_file(&self, task: &str) -> PathBuf {
        self.path.join(TASKS).join(task)
    }

    /// Begins the life of a task.
    pub(super) fn enter(&self, task: &TaskName) -> Result<Heartbeat, WorkError> {
        let path = self.task_file(task.as_str());
        Heartbeat::begin(&path).map_err(WorkError::at(&path))
    }

    /// The names of the pieces that are done.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn done(&self) -> Result<HashSet<String>, WorkError> {
        Ok(file_names(&self.path.join(RESULTS))?.into_iter().collect())
    }

    /// Whether a piece is done.
    #[must_use]
    pub fn is_done(&self, piece: &str) -> bool {
        self.result_file(piece).exists()
    }

    /// The file with the result of a piece.
    #[must_use]
    pub fn result_file(&self, piece: &str) -> PathBuf {
        self.path.join(RESULTS).join(piece)
    }

    /// The result of a piece, if it is done. One that is not as it was written is moved out of the
    /// way, and the piece counts as not done.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn result(&self, piece: &str) -> Result<Option<Vec<u8>>, WorkError> {
        let path = self.result_file(piece);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(WorkError::Io { path, source }),
        };
        if let Some(result) = unseal(&bytes) {
            return Ok(Some(result.to_vec()));
        }
        let aside = path.with_file_name(format!(".damaged-{piece}"));
        fs::rename(&path, &aside).map_err(WorkError::at(&path))?;
        Ok(None)
    }

    /// That the result of a piece, though it is as it was written, is not what it should be.
    #[must_use]
    pub fn wrong_result(&self, piece: &str, why: &dyn fmt::Display) -> WorkError {
        WorkError::WrongResult { path: self.result_file(piece), why: why.to_string() }
    }

    /// Makes this the result of a piece, unless it has one.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn publish(&self, piece: &str, result: &[u8]) -> Result<Published, WorkError> {
        let path = self.result_file(piece);
        if !is_piece_name(piece) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "no name of a piece");
            return Err(WorkError::Io { path, source });
        }
        let mut bytes = format!("{SEAL}{:016x} {}\n", fnv1a(result), result.len()).into_bytes();
        bytes.extend_from_slice(result);
        write_first(&path, &bytes).map_err(WorkError::at(&path))
    }

    /// Keeps why the holder of a claim has not done a piece.
    pub(super) fn fail(&self, piece: &str, generation: u32, why: &str) -> Result<(), WorkError> {
        let path = self.path.join(FAILURES).join(format!("{piece}.{generation}"));
        write_first(&path, why.as_bytes()).map_err(WorkError::at(&path)).map(drop)
    }

    /// Which claims have come to nothing, by piece and generation.
    pub(super) fn failed(&self) -> Result<HashSet<(String, u32)>, WorkError> {
        let names = file_names(&self.path.join(FAILURES))?;
        Ok(names.iter().filter_map(|name| split_generation(name)).collect())
    }

    /// The text of a failure.
    pub(super) fn failure(&self, piece: &str, generation: u32) -> String {
        let path = self.path.join(FAILURES).join(format!("{piece}.{generation}"));
        one_line(&fs::read_to_string(path).unwrap_or_default())
    }

    /// Keeps why a machine must not work.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn refuse(&self, machine: &str, why: &str) -> Result<(), WorkError> {
        let path = self.path.join(REFUSED).join(machine.replace(['/', '\0'], "_"));
        write_first(&path, one_line(why).as_bytes()).map_err(WorkError::at(&path)).map(drop)
    }

    /// Lets a machine work again that was refused.
    pub fn admit(&self, machine: &str) {
        // If it stays, it says what was once.
        let _ = fs::remove_file(self.path.join(REFUSED).join(machine.replace(['/', '\0'], "_")));
    }

    /// The machines that were refused, and why.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn refused(&self) -> Result<BTreeMap<String, String>, WorkError> {
        let folder = self.path.join(REFUSED);
        let read = |name: String| {
            let why = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            (name, one_line(&why))
        };
        Ok(file_names(&folder)?.into_iter().map(read).collect())
    }

    /// The names of the tasks that there ever were.
    pub(super) fn tasks(&self) -> Result<Vec<String>, WorkError> {
        file_names(&self.path.join(TASKS))
    }
}

/// What a file says behind its seal, if it is as it was written.
fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let seal = str::from_utf8(&bytes[..end]).ok()?.strip_prefix(SEAL)?;
    let (sum, length) = seal.split_once(' ')?;
    let result = &bytes[end + 1..];
    let is_whole = length.parse() == Ok(result.len()) && sum == format!("{:016x}", fnv1a(result));
    is_whole.then_some(result)
}

/// Writes a file whole, unless there is one: of several who do so at once, one is the first.
fn write_first(path: &Path, bytes: &[u8]) -> io::Result<Published> {
    let temporary = temporary_for(path)?;
    temporary.as_file().write_all(bytes)?;
    temporary.as_file().sync_all()?;
    let published = link(temporary.path(), path)?;
    drop(temporary);
    sync_folder(path)?;
    Ok(published)
}

/// Gives a file this name as well, unless another has it.
fn link(from: &Path, to: &Path) -> io::Result<Published> {
    match fs::hard_link(from, to) {
        Ok(()) => Ok(Published::First),
        // The answer to a link that was made may be lost on the way from a server, and the question
        // asked again.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(if is_same(from, to) { Published::First } else { Published::Second })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        // There are file systems without links. There the last of several counts, in which only times
        // differ.
        Err(_) if to.exists() => Ok(Published::Second),
        Err(_) => fs::rename(from, to).map(|()| Published::First),
    }
}

#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    identity(one).is_some_and(|found| Some(found) == identity(other))
}

#[cfg(not(unix))]
fn is_same(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    type Failure = Box<dyn std::error::Error>;

    #[test]
    fn first_result_stays() -> Result<(), Failure> {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "work\n")?;
        assert_eq!(folder.result("a")?, None);
        assert_eq!(folder.publish("a", b"one\n")?, Published::First);
        assert_eq!(folder.publish("a", b"two\n")?, Published::Second);
        assert_eq!(folder.result("a")?.as_deref(), Some(&b"one\n"[..]));
        assert_eq!(folder.done()?, HashSet::from(["a".to_owned()]));
        for name in ["", ".hidden", "../a"] {
            assert!(folder.publish(name, b"").is_err(), "{name}");
        }
        Ok(())
    }

    #[test]
    fn damaged_result_counts_as_not_done() -> Result<(), Failure> {
        let place = tempfile::tempdir()?;
        let folder = WorkFolder::open(place.path(), "work\n")?;
        folder.publish("a", b"one")?;
        let whole = fs::read(folder.result_file("a"))?;
        for length in 0..whole.len() {
            fs::write(folder.result_file("a"), &whole[..length])?;
            assert_eq!(folder.result("a")?, None, "{length}");
            assert!(!folder.is_done("a"));
        }
        assert_eq!(folder.publish("a", b"one")?, Published::First);
        assert_eq!(fs::read(folder.result_file("a"))?, whole);
        Ok(())
    }

    #[test]
    fn other_work_is_refused() -> Result<(), Failure> {
        let place = tempfile::tempdir()?;
        let error = WorkFolder::existing(place.path()).expect_err("no work").to_string();
        assert!(error.contains("expected a folder with work"), "{error}");
        WorkFolder::open(place.path(), "a\nb\n")?;
        WorkFolder::open(place.path(), "a\nb\n")?;
        let error = WorkFolder::open(place.path(), "a\nc\n").expect_err("other").to_string();
        assert!(error.contains("line 2 of what it is says `b`, and would say `c`"), "{error}");
        Ok(())
    }
}
