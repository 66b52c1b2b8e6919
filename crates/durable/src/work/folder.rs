//! The folder that all tasks share, the claims of tasks on pieces in it, and the errors of shared work.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::heartbeat::Heartbeat;
use super::{NoThread, TaskName};
use crate::input::FileError;
use crate::output::{make_folder, sync_folder, temporary_for};
use crate::{fnv1a, one_line};

/// The file with the title of the work.
const TITLE: &str = "title";
/// The folder with the results.
const RESULTS: &str = "results";
/// The folder with the claims.
const CLAIMS: &str = "claims";
/// The folder with the failures.
const FAILURES: &str = "failures";
/// The folder in which tasks show that they live.
const TASKS: &str = "tasks";
/// The folder with the claims on actions that only one task at a time may do.
const LEASES: &str = "leases";
/// The folder with the computers that were refused.
const REFUSED: &str = "refused";
/// The beginning of the first line of a result.
const SEAL: &str = "plyground-result ";

/// The outcome of publishing a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// This is the result of the piece.
    First,
    /// The piece already had a result, which stays.
    Second,
}

/// The folder that all tasks share, with the title of the work, the claims on pieces, and the results.
#[derive(Clone, Debug)]
pub struct WorkFolder {
    path: PathBuf,
    claims: Claims,
}

impl WorkFolder {
    /// Opens the folder with the work of this title (a text of one or more lines), or begins one. Several
    /// processes may do so at once.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder has other work, or cannot be read or written.
    pub fn open(path: &Path, title: &str) -> Result<WorkFolder, WorkError> {
        for folder in [RESULTS, CLAIMS, FAILURES, TASKS, LEASES, REFUSED] {
            make_folder(&path.join(folder))?;
        }
        let file = path.join(TITLE);
        match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write_first(&file, title.as_bytes()).map_err(WorkError::at(&file))?;
            }
            Err(error) => return Err(WorkError::at(&file)(error)),
            Ok(_) => {}
        }
        let folder = WorkFolder::existing(path)?;
        folder.check_title(title)?;
        Ok(folder)
    }

    /// Opens a folder that has work of any title.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder has no work.
    pub fn existing(path: &Path) -> Result<WorkFolder, WorkError> {
        if !path.join(TITLE).is_file() {
            return Err(WorkError::NoWork(path.to_owned()));
        }
        Ok(WorkFolder { path: path.to_owned(), claims: Claims::new(path.join(CLAIMS)) })
    }

    /// Checks that the folder has the work of the expected title.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder has other work, or cannot be read.
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

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn claims(&self) -> &Claims {
        &self.claims
    }

    pub(super) fn leases(&self) -> Claims {
        Claims::new(self.path.join(LEASES))
    }

    /// Returns the file in which a task shows that it lives.
    pub(super) fn task_file(&self, task: &str) -> PathBuf {
        self.path.join(TASKS).join(task)
    }

    /// Begins the life of a task.
    pub(super) fn enter(&self, task: &TaskName) -> Result<Heartbeat, WorkError> {
        let path = self.task_file(task.as_str());
        Heartbeat::begin(&path).map_err(WorkError::at(&path))
    }

    /// Returns the names of the pieces that are done.
    pub fn done(&self) -> Result<HashSet<String>, WorkError> {
        Ok(file_names(&self.path.join(RESULTS))?.into_iter().collect())
    }

    /// Returns true if a piece is done.
    pub fn is_done(&self, piece: &str) -> bool {
        self.result_file(piece).exists()
    }

    /// Returns the file with the result of a piece.
    pub fn result_file(&self, piece: &str) -> PathBuf {
        self.path.join(RESULTS).join(piece)
    }

    /// Returns the result of a piece, if it is done. A damaged result is moved out of the way, and the piece
    /// counts as not done.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or moved.
    pub fn result(&self, piece: &str) -> Result<Option<Vec<u8>>, WorkError> {
        let path = self.result_file(piece);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(WorkError::at(&path)(error)),
        };
        if let Some(result) = unseal(&bytes) {
            return Ok(Some(result.to_vec()));
        }
        let aside = path.with_file_name(format!(".damaged-{piece}"));
        fs::rename(&path, &aside).map_err(WorkError::at(&path))?;
        Ok(None)
    }

    /// Returns the error that the result of a piece is wrong although the file is not damaged.
    pub fn wrong_result(&self, piece: &str, why: &dyn fmt::Display) -> WorkError {
        WorkError::WrongResult { path: self.result_file(piece), why: why.to_string() }
    }

    /// Publishes the result of a piece, unless the piece has a result already.
    pub fn publish(&self, piece: &str, result: &[u8]) -> Result<Published, WorkError> {
        let path = self.result_file(piece);
        if !is_piece_name(piece) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "no name of a piece");
            return Err(WorkError::at(&path)(source));
        }
        let mut bytes = format!("{SEAL}{:016x} {}\n", fnv1a(result), result.len()).into_bytes();
        bytes.extend_from_slice(result);
        write_first(&path, &bytes).map_err(WorkError::at(&path))
    }

    /// Records why the holder of a claim has not done a piece.
    pub(super) fn fail(&self, piece: &str, generation: u32, why: &str) -> Result<(), WorkError> {
        let path = self.path.join(FAILURES).join(format!("{piece}.{generation}"));
        write_first(&path, why.as_bytes()).map_err(WorkError::at(&path)).map(drop)
    }

    /// Returns the claims that failed, by piece and generation.
    pub(super) fn failed(&self) -> Result<HashSet<(String, u32)>, WorkError> {
        let names = file_names(&self.path.join(FAILURES))?;
        Ok(names.iter().filter_map(|name| split_generation(name)).collect())
    }

    /// Returns the text of a failure.
    pub(super) fn failure(&self, piece: &str, generation: u32) -> String {
        let path = self.path.join(FAILURES).join(format!("{piece}.{generation}"));
        one_line(&fs::read_to_string(path).unwrap_or_default())
    }

    /// Records why a computer must not work.
    pub fn refuse(&self, machine: &str, why: &str) -> Result<(), WorkError> {
        let path = self.path.join(REFUSED).join(machine.replace(['/', '\0'], "_"));
        write_first(&path, one_line(why).as_bytes()).map_err(WorkError::at(&path)).map(drop)
    }

    /// Lets a refused computer work again.
    pub fn admit(&self, machine: &str) {
        // A file that stays reports an old refusal, which does no harm.
        let _ = fs::remove_file(self.path.join(REFUSED).join(machine.replace(['/', '\0'], "_")));
    }

    /// Returns the refused computers and the reasons.
    pub fn refused(&self) -> Result<BTreeMap<String, String>, WorkError> {
        let folder = self.path.join(REFUSED);
        let read = |name: String| {
            let why = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            (name, one_line(&why))
        };
        Ok(file_names(&folder)?.into_iter().map(read).collect())
    }

    /// Returns the names of all tasks that have ever begun.
    pub(super) fn tasks(&self) -> Result<Vec<String>, WorkError> {
        file_names(&self.path.join(TASKS))
    }
}

/// Returns the contents after the seal of a file, or `None` if the file is damaged.
fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let seal = str::from_utf8(&bytes[..end]).ok()?.strip_prefix(SEAL)?;
    let (sum, length) = seal.split_once(' ')?;
    let result = &bytes[end + 1..];
    let is_whole = length.parse() == Ok(result.len()) && sum == format!("{:016x}", fnv1a(result));
    is_whole.then_some(result)
}

/// Writes a file whole, unless it exists. If several processes write the file at once, one of them is the
/// first.
fn write_first(path: &Path, bytes: &[u8]) -> io::Result<Published> {
    let temporary = temporary_for(path)?;
    temporary.as_file().write_all(bytes)?;
    temporary.as_file().sync_all()?;
    let published = link(temporary.path(), path)?;
    drop(temporary);
    sync_folder(path)?;
    Ok(published)
}

/// Gives a file this additional name, unless another file has it.
fn link(from: &Path, to: &Path) -> io::Result<Published> {
    match fs::hard_link(from, to) {
        Ok(()) => Ok(Published::First),
        // The reply to a successful link may be lost on the way from a server, and the request repeated.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(if is_same(from, to) { Published::First } else { Published::Second })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        // Some file systems have no links. There the last of several results stays; the results differ only
        // in times.
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

/// The files that record the task of each piece. A claim is never withdrawn: a task that replaces an ended
/// holder makes the claim of the next generation.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    folder: PathBuf,
}

impl Claims {
    pub(super) fn new(folder: PathBuf) -> Claims {
        Claims { folder }
    }

    /// Claims a piece for a task. Returns false if another task has this claim.
    pub(super) fn take(&self, piece: &str, generation: u32, task: &str) -> Result<bool, WorkError> {
        let path = self.file(piece, generation);
        match File::create_new(&path) {
            Ok(mut file) => {
                // If the write fails, other tasks find no name in the file and treat the holder as dead.
                file.write_all(task.as_bytes()).map_err(WorkError::at(&path))?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(WorkError::at(&path)(error)),
        }
    }

    /// Returns the generation of the last claim on each claimed piece.
    pub(super) fn all(&self) -> Result<HashMap<String, u32>, WorkError> {
        let mut last: HashMap<String, u32> = HashMap::new();
        for name in file_names(&self.folder)? {
            if let Some((piece, generation)) = split_generation(&name) {
                let known = last.entry(piece).or_default();
                *known = generation.max(*known);
            }
        }
        Ok(last)
    }

    /// Returns the name of the task that has a claim, or an empty text if the task has not written it yet.
    pub(super) fn holder(&self, piece: &str, generation: u32) -> String {
        fs::read_to_string(self.file(piece, generation)).unwrap_or_default()
    }

    fn file(&self, piece: &str, generation: u32) -> PathBuf {
        self.folder.join(format!("{piece}.{generation}"))
    }
}

/// The most bytes of the part of a name that only people need. File systems allow 255 bytes, and the name is
/// extended elsewhere.
const LONGEST: usize = 100;

/// Returns the name of the piece of this number, with a text for people: `0007-ann` for the number 6.
/// Different numbers have different names, and each name is valid as the name of a file.
pub fn piece_name(number: usize, text: &str) -> String {
    let end = (0..=LONGEST.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    let text = text[..end.unwrap_or_default()].replace(['/', '\0'], "_");
    let number = number + 1;
    if text.is_empty() { format!("{number:04}") } else { format!("{number:04}-{text}") }
}

/// Returns true if a text can be the name of a piece: the valid name of a file that is not hidden.
fn is_piece_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']) && name.len() <= 200
}

/// Splits a name at its last dot into the piece and the number of the generation.
fn split_generation(name: &str) -> Option<(String, u32)> {
    let (piece, generation) = name.rsplit_once('.')?;
    Some((piece.to_owned(), generation.parse().ok()?))
}

/// Returns the names of the visible files in a folder.
fn file_names(folder: &Path) -> Result<Vec<String>, WorkError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(WorkError::at(folder))? {
        let name = entry.map_err(WorkError::at(folder))?.file_name();
        names.extend(name.into_string().ok().filter(|name| !name.starts_with('.')));
    }
    Ok(names)
}

/// The reason why a piece of work was not done, as one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    /// The piece failed, and may fail elsewhere too.
    #[error("{0}")]
    Failed(String),
    /// This computer must not do any piece: it lacks something, or differs from the others.
    #[error("{0}")]
    Unfit(String),
}

/// The reason why the folder of shared work cannot be used, or the work cannot go on, as one line.
#[derive(Debug, Error)]
pub enum WorkError {
    /// Something in the folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder has other work.
    #[error(
        "{}: holds other work: line {line} of its title is `{found}`, expected `{expected}`; \
         choose another folder, or remove this one", path.display()
    )]
    OtherWork {
        /// The folder.
        path: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
        /// The line that was found.
        found: String,
        /// The line that was expected.
        expected: String,
    },
    /// The folder has no work.
    #[error("{}: expected a folder with work, made by `cluster slurm` or `cluster run`", .0.display())]
    NoWork(PathBuf),
    /// A result has a fault although its file is not damaged.
    #[error("{}: {why}; remove the file to have the piece done again", path.display())]
    WrongResult {
        /// The file.
        path: PathBuf,
        /// The fault of the result.
        why: String,
    },
    /// This computer must not do any piece.
    #[error("{0}")]
    Unfit(String),
    /// The OS has no threads to work in.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

impl WorkError {
    /// Returns a function that turns a system error about a file or folder into this error.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> WorkError {
        move |source| FileError::at(path, "use it")(source).into()
    }

    /// Returns true if the folder that the user named is at fault, and not the run.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, WorkError::OtherWork { .. } | WorkError::NoWork(_))
    }
}

impl From<WorkError> for PieceError {
    fn from(error: WorkError) -> PieceError {
        PieceError::Failed(error.to_string())
    }
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
        assert!(error.contains("line 2 of its title is `b`, expected `c`"), "{error}");
        Ok(())
    }

    #[test]
    fn names_are_those_of_files() {
        assert_eq!(piece_name(6, "ann"), "0007-ann");
        assert_eq!(piece_name(6, ""), "0007");
        assert_eq!(piece_name(0, "../x"), "0001-.._x");
        let long = "ü".repeat(200);
        assert_eq!(piece_name(12_345, &long).len(), "12346-".len() + LONGEST);
        for name in ["0007-ann", &piece_name(0, &long)] {
            assert!(is_piece_name(name), "{name}");
        }
        for name in ["", ".x", "a/b"] {
            assert!(!is_piece_name(name), "{name}");
        }
    }
}
