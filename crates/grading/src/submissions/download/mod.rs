//! The download of a learning platform, sorted into students and their attempts.
//!
//! Canvas, Blackboard, Moodle, Brightspace and Gradescope put their facts into the names of files or
//! folders, or into receipts beside the files. [`students`] accepts the download of each platform, as one
//! zip or unpacked, and also plain files and folders, each of which is a submission.

mod entry;
mod metadata;
mod names;
mod sources;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plyground_host::external::HandedIn;

use self::entry::{Attempt, Entry, Part, Platform};
use self::metadata::Tables;
use self::names::{ATTEMPT, Unnamed};
use crate::submissions::PrepareError;
use crate::submissions::limited_folder::UnpackLimits;

pub use entry::Choice;
pub(crate) use entry::{Item, is_platform_folder, own_name, stem};
pub(crate) use names::Student;
pub(crate) use sources::{check, clean, followed};

/// Returns the students in these files and folders, with the attempts that count. Zips of a platform are
/// unpacked below `out`, where the names of earlier runs are kept, too. With `keep`, no student takes the
/// place of a student who is not in the download. Adds messages for a person to `warnings`.
///
/// # Errors
///
/// Returns an error if there are no files, if a file cannot be read, or if the table of a platform is
/// damaged.
pub(crate) fn students(
    sources: &[PathBuf],
    out: &Path,
    choice: Choice,
    limits: UnpackLimits,
    keep: bool,
    warnings: &mut Vec<String>,
) -> Result<Vec<Student>, PrepareError> {
    let (found, mut faults) = sources::entries(sources, out, limits, keep, warnings)?;
    let platforms = Platforms::of(&found);
    let mut groups: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    let (mut unnamed, tables) = (Vec::new(), Tables::of(&found)?);
    for path in &found {
        let entry = match tables.entry(path) {
            Some(entry) => Some(entry),
            None => platforms.parse(path).unwrap_or_else(|why| {
                faults.insert(path.clone(), why);
                None
            }),
        };
        match entry {
            Some(entry) if matches!(entry.part, Part::Table) => {}
            Some(entry) => groups.entry(entry.key()).or_default().push(entry),
            None => unnamed.push(plain(path)),
        }
    }
    for entries in groups.values() {
        unnamed.extend(of_group(entries, choice));
    }
    let mut students = names::named(unnamed, out, keep, warnings)?;
    for student in &mut students {
        for item in student.items.iter_mut().filter(|item| sources.contains(&item.path)) {
            item.path = sources::followed(&item.path);
        }
        student.fault = student.items.iter().find_map(|item| faults.get(&item.path).cloned());
    }
    Ok(students)
}

/// The number of names of each platform in each folder of a download.
///
/// A student of one platform can give a file a name that looks like a name of another platform, with another
/// student in it. All names of a folder come from the same platform, so the most frequent platform counts.
#[derive(Debug, Default)]
struct Platforms {
    counts: BTreeMap<(PathBuf, Platform), usize>,
    /// The students in the names of Moodle with only one reading, by folder and number.
    students: BTreeMap<(PathBuf, String), BTreeSet<String>>,
    /// The titles of the assignments of Blackboard, with `_` at the end.
    titles: BTreeMap<PathBuf, String>,
}

impl Platforms {
    fn of(found: &[PathBuf]) -> Platforms {
        let mut platforms = Platforms::default();
        let mut blackboard: BTreeMap<PathBuf, Vec<Entry>> = BTreeMap::new();
        for path in found {
            let readings: Vec<Entry> =
                entry::readings(path, self::entry::is_folder(path)).collect();
            let names: BTreeSet<Platform> = readings.iter().map(|entry| entry.platform).collect();
            for platform in names {
                *platforms.counts.entry(key_of(path, platform)).or_default() += 1;
            }
            let moodle = readings.iter().filter(|entry| entry.platform == Platform::Moodle);
            if let [only] = moodle.collect::<Vec<_>>().as_slice() {
                let key = (folder_of(path), only.id.clone());
                platforms.students.entry(key).or_default().insert(only.student.clone());
            }
            let own = readings.into_iter().filter(|entry| entry.platform == Platform::Blackboard);
            for entry in own {
                blackboard.entry(folder_of(path)).or_default().push(entry);
            }
        }
        let titles = blackboard.into_iter();
        platforms.titles =
            titles.filter_map(|(folder, names)| Some((folder, metadata::title(&names)?))).collect();
        platforms
    }

    /// Returns the entry of a file or folder by the platform of most names beside it.
    ///
    /// # Errors
    ///
    /// Returns the reason, as one line, if the file or folder may belong to several students.
    fn parse(&self, path: &Path) -> Result<Option<Entry>, String> {
        let count = |entry: &Entry| self.counts.get(&key_of(path, entry.platform)).copied();
        let readings: Vec<Entry> = entry::readings(path, self::entry::is_folder(path)).collect();
        let Some(first) = readings.iter().min_by_key(|entry| Reverse(count(entry))) else {
            return Ok(None);
        };
        let platform = first.platform;
        let mut own: Vec<Entry> =
            readings.into_iter().filter(|entry| entry.platform == platform).collect();
        if own.len() > 1 {
            // The number of a student belongs to one name.
            own.retain(|entry| {
                let known = self.students.get(&(folder_of(path), entry.id.clone()));
                known.is_none_or(|known| known.contains(&entry.student))
            });
            if own.len() != 1 {
                return Err("its name fits two students: rename the file".to_owned());
            }
        }
        let Some(entry) = own.pop() else { return Ok(None) };
        let name = entry::file_name(path);
        let title = self.titles.get(&folder_of(path)).filter(|_| platform == Platform::Blackboard);
        let login = title.and_then(|title| entry::before_time(&name)?.strip_prefix(title.as_str()));
        Ok(Some(match login.filter(|login| !login.is_empty()) {
            Some(login) => entry.with_login(login),
            None => entry,
        }))
    }
}

fn key_of(path: &Path, platform: Platform) -> (PathBuf, Platform) {
    (folder_of(path), platform)
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}

/// The greatest number of names in a list for people.
const MOST_NAMES: usize = 100;

/// Returns the first of these names, and the number of the others.
fn few(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    let others = names.len().saturating_sub(MOST_NAMES);
    if others > 0 {
        names.truncate(MOST_NAMES);
        names.push(format!("and {others} more"));
    }
    names
}

/// Returns the submission of a file or folder that no platform named.
fn plain(path: &Path) -> Unnamed {
    let file = entry::file_name(path);
    let item = Item { path: path.to_owned(), name: file.clone() };
    let handed_in =
        HandedIn { attempt: 1, attempts: 1, taken: vec![file.clone()], ..HandedIn::default() };
    Unnamed {
        key: format!("file {file}"),
        old_key: format!("file {file}"),
        number: String::new(),
        wanted: vec![entry::stem(&file).to_owned(), file],
        items: vec![item],
        submitted: None,
        handed_in,
    }
}

/// Returns the name of a file, or the names of the files in a folder that a platform named.
fn names_of(item: &Item) -> Vec<String> {
    let inside = self::entry::is_folder(&item.path).then(|| sources::inside(&item.path));
    let names: Vec<String> = inside
        .and_then(Result::ok)
        .unwrap_or_default()
        .iter()
        .map(|path| entry::file_name(path))
        .collect();
    if names.is_empty() { vec![item.name.clone()] } else { names }
}

/// Returns the submissions of one student: one, or with [`Choice::All`] one for each attempt.
fn of_group(entries: &[Entry], choice: Choice) -> Vec<Unnamed> {
    let facts = metadata::facts(entries);
    let label = entries[0].student.clone();
    let attempts = entry::attempts(entries);
    let receipts = match entries.iter().filter(|entry| entry.part == Part::Receipt).count() {
        0 => None,
        1 => Some("1 receipt".to_owned()),
        count => Some(format!("{count} receipts")),
    };
    let first = &entries[0];
    let unnamed = |attempt: Option<&Attempt>, number: usize, end: &str, wanted: Vec<String>| {
        let others = attempts.iter().enumerate().filter(|(index, _)| index + 1 != number);
        let others = others.flat_map(|(index, other)| {
            other.items.iter().map(move |item| format!("{}: attempt {}", item.name, index + 1))
        });
        // With all attempts, no attempt is left out.
        let others = others.filter(|_| choice != Choice::All);
        let handed_in = HandedIn {
            late: attempt.is_some_and(|attempt| attempt.late),
            attempt: number,
            attempts: attempts.len(),
            taken: few(attempt.iter().flat_map(|it| &it.items).flat_map(names_of)),
            left_out: few(others.chain(receipts.clone())),
            ..facts.clone()
        };
        Unnamed {
            key: first.key() + end,
            old_key: first.old_key() + end,
            number: first.number(),
            wanted,
            items: attempt.map_or_else(Vec::new, |attempt| attempt.items.clone()),
            submitted: attempt.and_then(|attempt| attempt.submitted.clone()),
            handed_in,
        }
    };
    let longer = format!("{label} {}", entries[0].id).trim().to_owned();
    let wanted = vec![label.clone(), longer];
    let one = |index: usize| {
        let (attempt, number) = (attempts.get(index), index + 1);
        unnamed(attempt, number.min(attempts.len()), "", wanted.clone())
    };
    match choice {
        _ if attempts.is_empty() => vec![one(0)],
        Choice::First => vec![one(0)],
        Choice::Last => vec![one(attempts.len() - 1)],
        Choice::All => attempts
            .iter()
            .enumerate()
            .map(|(index, attempt)| {
                let time = attempt.submitted.clone().unwrap_or_default();
                let of = |name: &String| format!("{name}{ATTEMPT}{}", index + 1);
                let end = format!("{ATTEMPT}{} {time}", index + 1);
                unnamed(Some(attempt), index + 1, &end, wanted.iter().map(of).collect())
            })
            .collect(),
    }
}
