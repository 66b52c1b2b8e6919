//! Prepares all submissions of a class.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyground_host::external::PreparedSubmission;
use plyground_host::lock::WorkLock;
use plyground_host::output::make_folder;
use plyground_host::pool;

use crate::error::PrepareError;
use crate::names::submission_names;
use crate::one::{Outcome, Task, prepare_one};
use crate::options::PrepareOptions;
use crate::overrides::Overrides;

/// A submission that is prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedLine {
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub prepared: PreparedSubmission,
    /// Whether it was prepared now, and not before.
    pub is_new: bool,
}

/// Prepares what was handed in: files, each of which is a submission, and folders, of which
/// everything in them is one. Tells `on_done` of each that is done, in any order. What is not
/// handed in now stays as it is.
///
/// A run may be stopped or killed at any moment: the same goes on where it was.
///
/// # Errors
///
/// When there is nothing to prepare, another run is at it, a file cannot be read or written, or the
/// OS lacks what some need to be built; all others are prepared before that is told.
pub fn prepare(
    sources: &[PathBuf],
    options: &PrepareOptions,
    mut on_done: impl FnMut(PreparedLine),
) -> Result<(), PrepareError> {
    let tasks = tasks(sources, options)?;
    make_folder(&options.out)?;
    let _lock = WorkLock::of_folder(&options.out)?;
    let (given, own) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stop = options.build.stop.as_deref().unwrap_or(&own);
    let next = || {
        let task = tasks.get(given.fetch_add(1, Ordering::Relaxed));
        task.filter(|_| !stop.load(Ordering::Relaxed))
    };
    let work = |_, task: &Task| (task.name.clone(), prepare_one(task, options));
    let mut failed: Option<(String, PrepareError)> = None;
    pool::run(options.jobs, &AtomicBool::new(false), next, work, |(name, outcome)| {
        match outcome {
            Ok(Outcome::AsBefore(prepared)) => {
                on_done(PreparedLine { name, prepared, is_new: false });
            }
            Ok(Outcome::Prepared(prepared)) => {
                on_done(PreparedLine { name, prepared, is_new: true });
            }
            Ok(Outcome::Stopped) => {}
            // The first by name, whichever was the first in time.
            Err(error) if failed.as_ref().is_none_or(|(first, _)| name < *first) => {
                failed = Some((name, error));
            }
            Err(_) => {}
        }
        Ok::<(), PrepareError>(())
    })?;
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

/// Prepares one file or folder as the submission of this name.
///
/// # Errors
///
/// When another run is at it, a file cannot be read or written, or the OS lacks what it needs to be
/// built.
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
    let task = Task { name: name.to_owned(), source: source.to_owned(), said };
    match prepare_one(&task, options)? {
        Outcome::AsBefore(prepared) | Outcome::Prepared(prepared) => Ok(prepared),
        Outcome::Stopped => {
            let why = "it was interrupted".to_owned();
            Err(PrepareError::System { name: name.to_owned(), why })
        }
    }
}

/// The submissions, with their names.
fn tasks(sources: &[PathBuf], options: &PrepareOptions) -> Result<Vec<Task>, PrepareError> {
    let mut handed_in: Vec<PathBuf> = Vec::new();
    for source in sources {
        let what = fs::metadata(source)
            .map_err(|error| PrepareError::Source { path: source.clone(), source: error })?;
        if !what.is_dir() && !what.is_file() {
            return Err(PrepareError::NoFile(source.clone()));
        }
        if !what.is_dir() {
            handed_in.push(source.clone());
            continue;
        }
        let inside = inside(source)?;
        if inside.is_empty() {
            return Err(PrepareError::Nothing(source.clone()));
        }
        check_outside(&options.out, source)?;
        handed_in.extend(inside);
    }
    handed_in.sort();
    handed_in.dedup();
    let files: Vec<&Path> = handed_in.iter().map(PathBuf::as_path).collect();
    let names = submission_names(&files);
    let overrides = options.overrides.as_deref();
    let overrides = overrides.map(|path| Overrides::read(path, &names)).transpose()?;
    let overrides = overrides.unwrap_or_default();
    let tasks = names.into_iter().zip(handed_in).map(|(name, source)| {
        let said = overrides.of(&name);
        Task { name, source, said }
    });
    Ok(tasks.collect())
}

/// The files and folders in a folder, but for what is hidden.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, PrepareError> {
    let entries = fs::read_dir(folder).map_err(PrepareError::at(folder))?;
    let entries: Vec<_> = entries.collect::<Result<_, _>>().map_err(PrepareError::at(folder))?;
    let is_hidden = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(b".") || name == "__MACOSX"
    };
    let paths = entries.iter().filter(|entry| !is_hidden(entry)).map(fs::DirEntry::path);
    // To read a pipe would take for ever.
    Ok(paths.filter(|path| path.is_file() || path.is_dir()).collect())
}

/// Refuses a folder for what is made that lies in the one of what was handed in.
fn check_outside(out: &Path, source: &Path) -> Result<(), PrepareError> {
    let real = fs::canonicalize(source).map_err(PrepareError::at(source))?;
    let out_real = std::path::absolute(out).map_err(PrepareError::at(out))?;
    let there = out_real.ancestors().find_map(|place| fs::canonicalize(place).ok());
    if there.is_some_and(|there| there.starts_with(&real)) {
        let source_folder = source.to_owned();
        return Err(PrepareError::Within { out: out.to_owned(), source_folder });
    }
    Ok(())
}
