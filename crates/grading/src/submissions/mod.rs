//! Prepares the programs of students, so that they can play.
//!
//! [`prepare`] unpacks submissions of many formats, detects the language of each and the commands to build it,
//! builds it in a sandbox, and keeps the command that starts it in a [`PreparedSubmission`]. All prepared
//! submissions of a class are then named as players in the same way.
//!
//! Everything about a submission is the work of a stranger: the names in an archive, its size, the build,
//! and the files that the build leaves. A submission that cannot be prepared has a status and a reason;
//! it does not make the run fail.
//!
//! The folder of a submission has `plyground.toml`, which is written last, `build.log`, and `program`,
//! which has the submitted files and the results of the build. The program sees only `program` when it
//! plays.

mod building;
mod claim;
mod compare;
mod detect;
mod download;
mod file_kind;
mod files;
mod java;
mod limited_folder;
mod modules;
mod packages;
mod preparation;
mod recipe;
mod unpack;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{fs, io};

use plyground_arena::programs::MissingTools;
use plyground_durable::FileError;
use plyground_durable::input::{TomlError, check_way};
use plyground_durable::lock::{LockError, WorkLock};
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::text::csv_text;
use plyground_durable::work::{NoThread, run_in_threads};
use plyground_host::external::{HandedIn, Lack, PreparedSubmission};
use plyground_sandbox::remove_folder;
use thiserror::Error;

use crate::submissions::download::{
    Item, NamesToKeep, Student, check, clean, followed, own_name, students,
};
use crate::submissions::preparation::{Task, prepare_one};

pub use building::{BuildLimits, BuildOptions};
pub use compare::{
    AlikePair, CommonCode, Comparison, Passage, Place, Sources, class_sources, comparison,
    comparison_page, starter_sources,
};
pub use download::Choice as AttemptChoice;
pub use limited_folder::{UnpackLimits, entry_place};
pub(crate) use modules::lack_told;
pub use preparation::PrepareOptions;
pub use recipe::{Override, Overrides};

/// A prepared submission with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedLine {
    /// The name of the submission.
    pub name: String,
    /// The facts about the submission.
    pub prepared: PreparedSubmission,
    /// If true, this run has prepared the submission; otherwise an earlier run has.
    pub is_new: bool,
}

/// A step of preparing a class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "one event is handled at a time")]
pub enum PrepareEvent {
    /// A submission is prepared.
    Prepared(PreparedLine),
    /// The submission of this name was removed: it is no longer in the download.
    Removed(String),
    /// A person should look at this: one line.
    Warning(String),
}

/// Prepares submissions: the download of a learning platform, or files, each of which is a submission, and
/// folders, in which every file and folder is a submission. Calls `on_event` for each submission that is
/// prepared, in any order, and for each that is removed because it is no longer handed in. `handed-in.csv`
/// lists the attempt and the files that were taken for each student.
///
/// A run may be stopped or killed at any moment: the next run with the same arguments continues it.
///
/// # Errors
///
/// Returns an error if there is nothing to prepare, if another run is preparing the same folder, if a file
/// cannot be read or written, or if the system lacks a tool that some submissions need. An error about one
/// submission is returned after all others are prepared.
pub fn prepare(
    sources: &[PathBuf],
    options: &PrepareOptions,
    on_event: impl FnMut(PrepareEvent),
) -> Result<(), PrepareError> {
    check(sources, &options.out)?;
    make_folder(&options.out)?;
    check_way(&options.out).map_err(|why| PrepareError::fault(&options.out, why.to_string()))?;
    let _lock = WorkLock::of_folder(&options.out)?;
    let result = prepare_all(sources, options, on_event);
    clean(&options.out);
    result
}

fn prepare_all(
    sources: &[PathBuf],
    options: &PrepareOptions,
    mut on_event: impl FnMut(PrepareEvent),
) -> Result<(), PrepareError> {
    let mut warnings = Vec::new();
    let (tasks, names) = tasks(sources, options, &mut warnings)?;
    if !options.keep {
        let [gone, stay] = earlier(&tasks, &options.out)?;
        if gone.len() >= FEWEST_DOUBTED && gone.len() > stay.len() {
            let (gone, all) = (gone.len(), gone.len() + stay.len());
            let why = format!(
                "{gone} of its {all} submissions are not in the download, and would be removed: \
                 expected --keep to add to them, or another folder for another class"
            );
            return Err(PrepareError::fault(&options.out, why));
        }
        for name in gone {
            remove_folder(&options.out.join(&name));
            on_event(PrepareEvent::Removed(name));
        }
    }
    names.write()?;
    warnings.into_iter().map(PrepareEvent::Warning).for_each(&mut on_event);
    let (given, own) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stop = options.build.stop.as_deref().unwrap_or(&own);
    let next = || {
        let task = tasks.get(given.fetch_add(1, Ordering::Relaxed));
        task.filter(|_| !stop.load(Ordering::Relaxed))
    };
    let work = |_, task: &Task| (task.student.name.clone(), prepare_one(task, options));
    let mut missing = MissingTools::default();
    let mut on_line = |line: PreparedLine| {
        let PreparedLine { name, prepared, .. } = &line;
        for lack in &prepared.lacks {
            missing.add(lack, name.clone());
        }
        if !prepared.doubt.is_empty() {
            on_event(PrepareEvent::Warning(format!("{name}: {}", prepared.doubt)));
        }
        on_event(PrepareEvent::Prepared(line));
    };
    let mut failed = None;
    run_in_threads(options.jobs, &AtomicBool::new(false), next, work, |(name, outcome)| {
        match outcome {
            Ok(Some(line)) => on_line(line),
            // The reported error is the error of the first submission by name, not of the first in
            // time.
            Err(error) if failed.as_ref().is_none_or(|(first, _)| name < *first) => {
                failed = Some((name, error));
            }
            Ok(None) | Err(_) => {}
        }
        Ok::<(), PrepareError>(())
    })?;
    write_table(&options.out)?;
    failed.map_or(Ok(()), |(_, error)| Err(error))?;
    Ok(missing.check()?)
}

/// The least number of submissions that are removed only if as many stay. A download with less may be a part of a
/// class, such as one student's second attempt.
const FEWEST_DOUBTED: usize = 3;

/// Returns the names of the submissions that were prepared before: those that are no longer handed in, and the others.
fn earlier(tasks: &[Task], out: &Path) -> Result<[Vec<String>; 2], PrepareError> {
    // Only a folder that a preparation has made is removed.
    let is_prepared = |path: &Path| {
        path.join(PreparedSubmission::PREPARING).exists()
            || PreparedSubmission::read(path).is_ok_and(|found| found.is_some())
    };
    let names = folders(out)?.into_iter().filter(|(_, path)| is_prepared(path));
    let is_gone =
        |name: &String| !tasks.iter().any(|task| task.student.name.eq_ignore_ascii_case(name));
    let (gone, stay) = names.map(|(name, _)| name).partition(is_gone);
    Ok([gone, stay])
}

/// Returns the folders in the folder of the submissions, by name, without hidden ones.
fn folders(out: &Path) -> Result<Vec<(String, PathBuf)>, PrepareError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(out).map_err(PrepareError::at(out))? {
        let path = entry.map_err(PrepareError::at(out))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|name| !name.starts_with('.') && path.is_dir()) {
            found.push((name.to_owned(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

/// Prepares one file or folder as the submission of this name.
///
/// # Errors
///
/// Returns an error if another run is preparing the same folder, if a file cannot be read or written, or if
/// the system lacks a tool that the submission needs.
pub fn prepare_submission(
    name: &str,
    source: &Path,
    options: &PrepareOptions,
) -> Result<PreparedSubmission, PrepareError> {
    let said = overrides(options, &[])?.of(name);
    make_folder(&options.out)?;
    let _lock = WorkLock::of_folder(&options.out)?;
    let item = Item { path: followed(source), name: own_name(source) };
    let handed_in = HandedIn { taken: vec![item.name.clone()], ..HandedIn::default() };
    let student =
        Student { name: name.to_owned(), items: vec![item], handed_in, ..Student::default() };
    let task = Task { student, said };
    let Some(PreparedLine { prepared, .. }) = prepare_one(&task, options)? else {
        let why = "it was interrupted".to_owned();
        return Err(PrepareError::System { name: name.to_owned(), why });
    };
    let mut missing = MissingTools::default();
    for lack in prepared.lacks.iter().filter(|lack| matches!(lack, Lack::Program(_))) {
        missing.add(lack, name.to_owned());
    }
    missing.check()?;
    Ok(prepared)
}

/// Returns the submissions, with their names and overrides, and the names to keep.
fn tasks(
    sources: &[PathBuf],
    options: &PrepareOptions,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Task>, NamesToKeep), PrepareError> {
    let PrepareOptions { out, attempt, program, unpack, keep, .. } = options;
    let (students, to_keep) =
        students(sources, out, (*attempt, program), *unpack, *keep, warnings)?;
    let names: Vec<String> = students.iter().map(|student| student.name.clone()).collect();
    let overrides = overrides(options, &names)?;
    let tasks = students.into_iter().map(|student| {
        let said = overrides.of(&student.name);
        Task { student, said }
    });
    Ok((tasks.collect(), to_keep))
}

/// Returns the overrides in the file that the options name, for the submissions of these names.
fn overrides(options: &PrepareOptions, names: &[String]) -> Result<Overrides, TomlError> {
    let path = options.overrides.as_deref();
    Ok(path.map(|path| Overrides::read(path, names)).transpose()?.unwrap_or_default())
}

/// The name of the file with the table, in the folder of the submissions.
const FILE: &str = "handed-in.csv";

/// The columns of the table, with the same names as the columns of a roster.
const HEADER: &str =
    "submission,name,id,login,email,submitted,late,attempt,attempts,taken,left_out,status";

/// Writes the table of all submissions in a folder.
fn write_table(out: &Path) -> Result<(), PrepareError> {
    let rows = folders(out)?.into_iter().filter_map(|(name, path)| {
        let prepared = PreparedSubmission::read(&path);
        let prepared = prepared.unwrap_or_else(|error| Some(PreparedSubmission::damaged(&error)));
        Some(row(&name, &prepared?))
    });
    Ok(write_whole(&out.join(FILE), csv_text(HEADER.split(','), rows))?)
}

fn row(submission: &str, prepared: &PreparedSubmission) -> Vec<String> {
    let HandedIn { name, id, login, email, late, attempt, attempts, taken, left_out, .. } =
        &prepared.handed_in;
    let late = if *late { "yes" } else { "" };
    let cells = [
        submission,
        name,
        id,
        login,
        email,
        &prepared.submitted,
        late,
        &attempt.to_string(),
        &attempts.to_string(),
        &taken.join("; "),
        &left_out.join("; "),
        prepared.status.words(),
    ];
    cells.map(str::to_owned).to_vec()
}

/// The reason why submissions are not prepared, as one line. The reason is not the fault of a
/// submission.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// A file or folder named as a submission cannot be read.
    #[error(transparent)]
    Source(FileError),
    /// A source, a folder for the results, a download, or the table of a platform in it, has a fault.
    #[error("{}: {why}", path.display())]
    Fault {
        /// The file or folder.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// A file of a person has a fault.
    #[error(transparent)]
    Toml(#[from] TomlError),
    /// Another process is preparing the same folder.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The operating system has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
    /// The system lacks programs that submissions need.
    #[error(transparent)]
    Lacking(#[from] MissingTools),
    /// The system cannot run the build of a submission.
    #[error("{name}: the system cannot build it: {why}")]
    System {
        /// The submission.
        name: String,
        /// The reason.
        why: String,
    },
}

impl PrepareError {
    /// Returns true if the arguments or a file that a person has written are at fault.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, PrepareError::Source(_) | PrepareError::Fault { .. } | PrepareError::Toml(_))
    }

    /// Returns an error for a file or folder with this fault.
    fn fault(path: &Path, why: impl Into<String>) -> PrepareError {
        PrepareError::Fault { path: path.to_owned(), why: why.into() }
    }

    /// Returns a function that makes an error about a file, for [`Result::map_err`].
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> PrepareError {
        move |error| FileError::at(path, "use it")(error).into()
    }
}
