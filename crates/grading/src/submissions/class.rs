//! Prepares all submissions of a class, and cleans up after those that are gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyground_arena::submissions::MissingTools;
use plyground_durable::lock::WorkLock;
use plyground_durable::output::make_folder;
use plyground_durable::pool;
use plyground_host::external::{HandedIn, PreparedSubmission};
use plyground_sandbox::remove_folder;

use crate::submissions::download::{Item, Student, check, clean, followed, own_name, students};
use crate::submissions::error::PrepareError;
use crate::submissions::one::{Outcome, PrepareOptions, Task, prepare_one};
use crate::submissions::recipe::Overrides;
use crate::submissions::source::write_table;

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
    let tasks = tasks(sources, options, &mut warnings)?;
    warnings.into_iter().map(PrepareEvent::Warning).for_each(&mut on_event);
    if !options.keep {
        for name in gone(&tasks, &options.out)? {
            remove_folder(&options.out.join(&name));
            on_event(PrepareEvent::Removed(name));
        }
    }
    let (given, own) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stop = options.build.stop.as_deref().unwrap_or(&own);
    let next = || {
        let task = tasks.get(given.fetch_add(1, Ordering::Relaxed));
        task.filter(|_| !stop.load(Ordering::Relaxed))
    };
    let work = |_, task: &Task| (task.name.clone(), prepare_one(task, options));
    let (mut failed, mut missing) = (None, MissingTools::default());
    pool::run(options.jobs, &AtomicBool::new(false), next, work, |(name, outcome)| {
        match outcome {
            Ok(Outcome::AsBefore(prepared)) => {
                let line = PreparedLine { name, prepared, is_new: false };
                on_event(PrepareEvent::Prepared(line));
            }
            Ok(Outcome::Prepared(prepared)) => {
                let line = PreparedLine { name, prepared, is_new: true };
                on_event(PrepareEvent::Prepared(line));
            }
            Ok(Outcome::Stopped) => {}
            Err(PrepareError::Lacking(tools)) => missing.extend(tools),
            // The error reported is that of the first submission by name, not the first in time.
            Err(error) if failed.as_ref().is_none_or(|(first, _)| name < *first) => {
                failed = Some((name, error));
            }
            Err(_) => {}
        }
        Ok::<(), PrepareError>(())
    })?;
    write_table(&options.out)?;
    failed.map_or(Ok(()), |(_, error)| Err(error))?;
    Ok(missing.check()?)
}

/// Returns the names of the submissions that were prepared before and are no longer handed in.
fn gone(tasks: &[Task], out: &Path) -> Result<Vec<String>, PrepareError> {
    let mut gone = Vec::new();
    for entry in fs::read_dir(out).map_err(PrepareError::at(out))? {
        let entry = entry.map_err(PrepareError::at(out))?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let path = entry.path();
        let is_known = tasks.iter().any(|task| task.name.eq_ignore_ascii_case(&name));
        if is_known || name.starts_with('.') || !path.is_dir() {
            continue;
        }
        // Only a folder that a preparation has made is removed.
        let is_prepared = PreparedSubmission::read(&path).is_ok_and(|found| found.is_some());
        if path.join(PreparedSubmission::PREPARING).exists() || is_prepared {
            gone.push(name);
        }
    }
    gone.sort();
    Ok(gone)
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
    let overrides = options.overrides.as_deref();
    let overrides = overrides.map(|path| Overrides::read(path, &[])).transpose()?;
    let said = overrides.unwrap_or_default().of(name);
    make_folder(&options.out)?;
    let _lock = WorkLock::of_folder(&options.out)?;
    let item = Item { path: followed(source), name: own_name(source) };
    let handed_in = HandedIn { taken: vec![item.name.clone()], ..HandedIn::default() };
    let student = Student {
        name: name.to_owned(),
        items: vec![item],
        submitted: None,
        handed_in,
        fault: None,
    };
    let task = Task { name: name.to_owned(), student, said };
    match prepare_one(&task, options)? {
        Outcome::AsBefore(prepared) | Outcome::Prepared(prepared) => Ok(prepared),
        Outcome::Stopped => {
            let why = "it was interrupted".to_owned();
            Err(PrepareError::System { name: name.to_owned(), why })
        }
    }
}

/// Returns the submissions, with their names and overrides.
fn tasks(
    sources: &[PathBuf],
    options: &PrepareOptions,
    warnings: &mut Vec<String>,
) -> Result<Vec<Task>, PrepareError> {
    let PrepareOptions { out, attempt, unpack, keep, .. } = options;
    let students = students(sources, out, *attempt, *unpack, *keep, warnings)?;
    let names: Vec<String> = students.iter().map(|student| student.name.clone()).collect();
    let overrides = options.overrides.as_deref();
    let overrides = overrides.map(|path| Overrides::read(path, &names)).transpose()?;
    let overrides = overrides.unwrap_or_default();
    let tasks = students.into_iter().map(|student| {
        let (name, said) = (student.name.clone(), overrides.of(&student.name));
        Task { name, student, said }
    });
    Ok(tasks.collect())
}
