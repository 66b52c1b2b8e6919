//! The folder with the grades of a class. Grades in it are never overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_arena::class_folder::SubmissionFolder;
use plyground_arena::contents::ContentHash;
use plyground_durable::lock::{LockError, LockedFile, Locking, open_locked};
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::sealed_line::{is_sealed_object, seal_object, unseal_object};
use plyground_durable::{FileError, one_line};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::check::Check;
use super::draw::{DrawnCheck, Task};
use super::results::GradeResults;
use super::session::{Examinee, Grader};

/// The name of the folder with all grades, old and new.
const HISTORY: &str = "history";

/// The name of the folder for the instructor alone.
const INSTRUCTOR: &str = "instructor";

/// The name of the file with the seed of the positions.
const SEED: &str = "seed";

/// The name of the file that a run locks.
const LOCK: &str = ".lock";

/// The name of the file with a grade.
const RECORD: &str = "record.json";

/// The beginning of the names of incomplete folders.
const INCOMPLETE: &str = ".tmp";

/// A grade, and the things that it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradeRecord {
    /// The [key](super::grade_key) of everything that the grade depends on.
    pub key: String,
    /// The seed of the positions.
    pub seed: u64,
    /// The results.
    pub results: GradeResults,
}

/// The error for a folder of grades that cannot be used, as one line.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// Another run uses the folder.
    #[error("{}: another run of `grade` writes into this folder; wait for it to end", .0.display())]
    InUse(PathBuf),
    /// A file or folder cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is damaged.
    #[error("{}: {why}; move the file away to have the submission graded again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        why: String,
    },
}

/// The folder with the grades of a class, which belongs to one run at a time.
///
/// `history/NAME/0001`, `0002` and so on are the grades of a submission, each a folder that is
/// complete or absent. A run may therefore be killed at any moment.
#[derive(Debug)]
pub struct GradeHistory {
    folder: PathBuf,
    /// The locked file; `None` if the history is only read. The lock may be missing on a file
    /// system without locks, where the caller must ensure that no other run uses the folder.
    _lock: Option<LockedFile>,
}

impl GradeHistory {
    /// The names in the folder that submissions may not have.
    pub const RESERVED: [&str; 2] = [HISTORY, INSTRUCTOR];

    /// Returns the history in this folder for reading.
    pub fn unlocked(folder: &Path) -> GradeHistory {
        GradeHistory { folder: folder.to_owned(), _lock: None }
    }

    /// Opens the history in this folder, or creates it.
    ///
    /// # Errors
    ///
    /// Returns an error if another run uses the folder, or a file cannot be written.
    pub fn open(folder: &Path, locking: Locking) -> Result<GradeHistory, HistoryError> {
        make_folder(folder)?;
        let path = folder.join(LOCK);
        let lock = locking.lock(open_locked(&path)).map_err(|error| match error {
            LockError::Busy { .. } => HistoryError::InUse(folder.to_owned()),
            LockError::File(error) => error.into(),
        })?;
        for part in GradeHistory::RESERVED {
            make_folder(&folder.join(part))?;
        }
        Ok(GradeHistory { folder: folder.to_owned(), _lock: lock })
    }

    /// Returns the folder for the instructor alone.
    pub fn instructor(&self) -> PathBuf {
        self.folder.join(INSTRUCTOR)
    }

    /// Returns the seed of the class and keeps it: `wanted` if given, or else the seed of the last
    /// run, or else a new one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of the seed cannot be read or written.
    pub fn seed(&self, wanted: Option<u64>, any: impl Fn() -> u64) -> Result<u64, HistoryError> {
        let path = self.instructor().join(SEED);
        let kept = match fs::read_to_string(&path) {
            Ok(text) => Some(text.trim().parse().map_err(|_| HistoryError::Damaged {
                path: path.clone(),
                why: "expected a number".to_owned(),
            })?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(failed(&path, source)),
        };
        let seed = wanted.or(kept).unwrap_or_else(any);
        if kept != Some(seed) {
            write_whole(&path, format!("{seed}\n"))?;
        }
        Ok(seed)
    }

    /// Returns all grades of a submission, the oldest first.
    ///
    /// # Errors
    ///
    /// Returns an error if a grade cannot be read or is damaged.
    pub fn records(&self, name: &str) -> Result<Vec<GradeRecord>, HistoryError> {
        let folder = self.folder.join(HISTORY).join(name);
        let read = |number: u32| {
            let path = folder.join(format!("{number:04}")).join(RECORD);
            let text = fs::read_to_string(&path).map_err(|source| failed(&path, source))?;
            read_record(&text).map_err(|why| HistoryError::Damaged { path, why })
        };
        numbers(&folder)?.into_iter().map(read).collect()
    }

    /// Adds a grade as the newest of a submission, with `files` beside it.
    ///
    /// # Errors
    ///
    /// Returns an error if the OS cannot write the grade. The other grades are then unchanged.
    pub fn add(
        &self,
        name: &str,
        record: &GradeRecord,
        files: &[(&str, String)],
    ) -> Result<(), HistoryError> {
        let folder = self.folder.join(HISTORY).join(name);
        make_folder(&folder)?;
        let number = numbers(&folder)?.last().map_or(1, |last| last + 1);
        let place = folder.join(format!("{number:04}"));
        let incomplete = folder.join(format!("{INCOMPLETE}{number:04}"));
        // A killed run may have left an incomplete folder.
        let _ = fs::remove_dir_all(&incomplete);
        make_folder(&incomplete)?;
        // Records always have a JSON text.
        let text = seal_object(&serde_json::to_string(record).unwrap_or_default());
        write_whole(&incomplete.join(RECORD), text + "\n")?;
        for (file, text) in files {
            write_whole(&incomplete.join(file), text)?;
        }
        fs::rename(&incomplete, &place).map_err(|source| failed(&place, source))
    }
}

/// Reads a grade from a record, if the record is unchanged and no score is impossible.
fn read_record(text: &str) -> Result<GradeRecord, String> {
    let line = text.trim_end();
    if !is_sealed_object(line) {
        return Err("expected a grade on one line with a checksum at its end".to_owned());
    }
    let object = unseal_object(line)
        .ok_or("it was changed after it was written: its checksum differs".to_owned())?;
    let record: GradeRecord =
        serde_json::from_str(&object).map_err(|error| one_line(&error.to_string()))?;
    record.results.check_scores()?;
    Ok(record)
}

fn failed(path: &Path, source: io::Error) -> HistoryError {
    FileError::at(path, "use it")(source).into()
}

/// Returns the numbers of the grades in a folder, in order.
fn numbers(folder: &Path) -> Result<Vec<u32>, HistoryError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(failed(folder, source)),
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut numbers: Vec<u32> =
        names.filter_map(|name| name.to_str().and_then(|name| name.parse().ok())).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// The version of the grading. It changes when the same checks of the same program may give another
/// grade.
const VERSION: &str = concat!("grade 5, plyground ", env!("CARGO_PKG_VERSION"));

/// Returns the key of a grade: a hash of the content of the submission's folder, the player, all checks with their
/// positions, and the limits. As long as the key is the same, the grade is the same except for the
/// [points](GradeResults::by_points_of) of the checks and for effects of chance and time. The review is no part of the
/// grade.
pub fn grade_key(grader: &Grader, examinee: &Examinee, submission: &SubmissionFolder) -> String {
    let Grader { game, checks, programs, seed, total, gate: _, reviewed: _ } = grader;
    let mut hash = ContentHash::default();
    hash.add(VERSION);
    hash.add(game.name());
    hash.add(game.rules());
    for DrawnCheck { check, tasks } in checks {
        // The results of a check do not depend on its points, but a check without any may be left out.
        let points = if check.points > 0.0 { 1.0 } else { 0.0 };
        hash.add_json(&Check { points, ..check.clone() });
        for Task { moves, position, right, plies } in tasks {
            hash.add_json(&(moves, position.state_word(), right, plies));
        }
    }
    hash.add_json(&(&programs.limits, programs.level()));
    hash.add_json(&(&programs.visible, &programs.environment, programs.ponder));
    hash.add_json(&(seed, total));
    // The way to the class does not matter.
    hash.add(examinee.player.to_string().replace(&submission.path, &submission.name));
    if let Some(prepared) = &submission.prepared {
        hash.add_json(&(prepared.status, &prepared.why, &prepared.folder, &prepared.start));
    }
    hash.add_tree(Path::new(&submission.files()));
    hash.word()
}

#[cfg(test)]
mod tests {
    use super::super::results::{CheckResult, LeaderboardLine};
    use super::*;

    fn record(key: &str) -> GradeRecord {
        let results = GradeResults { notes: vec!["a note".to_owned()], ..GradeResults::default() };
        GradeRecord { key: key.to_owned(), seed: 7, results }
    }

    #[test]
    fn every_grade_is_kept() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let history = GradeHistory::open(folder.path(), Locking::Always)?;
        assert_eq!(history.records("ann")?, []);
        history.add("ann", &record("a"), &[("results.txt", "100".to_owned())])?;
        // A run was killed while it wrote the second grade.
        fs::create_dir(folder.path().join("history/ann/.tmp0002"))?;
        fs::write(folder.path().join("history/ann/.tmp0002/record.json"), "torn")?;
        history.add("ann", &record("b"), &[])?;
        assert_eq!(history.records("ann")?, [record("a"), record("b")]);
        let old = fs::read_to_string(folder.path().join("history/ann/0001/results.txt"))?;
        assert_eq!(old, "100");
        fs::write(folder.path().join("history/ann/0002/record.json"), "torn")?;
        let error = history.records("ann").expect_err("damage").to_string();
        assert!(error.contains("0002/record.json: ") && error.lines().count() == 1, "{error}");
        Ok(())
    }

    #[test]
    fn changed_grade_is_not_believed() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let history = GradeHistory::open(folder.path(), Locking::Always)?;
        let mut graded = record("a");
        graded.results.checks = vec![check_result(2.5, 3.0)];
        history.add("ann", &graded, &[])?;
        assert_eq!(history.records("ann")?, [graded.clone()]);
        let path = folder.path().join("history/ann/0001/record.json");
        let written = fs::read_to_string(&path)?;
        let refused = |text: &str, why: &str| -> io::Result<()> {
            fs::write(&path, text)?;
            let error = history.records("ann").expect_err("damage").to_string();
            assert!(error.contains(&format!("0001/record.json: {why}")), "{error}");
            assert!(error.ends_with("; move the file away to have the submission graded again"));
            Ok(())
        };
        let changed = written.replace("2.5", "3.0");
        assert_ne!(changed, written);
        refused(&changed, "it was changed after it was written")?;
        let bare = serde_json::to_string_pretty(&graded)?;
        refused(&bare, "expected a grade on one line with a checksum")?;
        for score in [-1.0, 3.5] {
            graded.results.checks = vec![check_result(score, 3.0)];
            let sealed = seal_object(&serde_json::to_string(&graded)?);
            refused(&sealed, &format!("`moves`: expected a score from 0 to 3, found {score}"))?;
        }
        Ok(())
    }

    fn check_result(score: f64, max_score: f64) -> CheckResult {
        CheckResult { name: "moves".to_owned(), score, max_score, ..CheckResult::default() }
    }

    #[test]
    fn scores_are_kept_to_the_last_digit() -> Result<(), HistoryError> {
        let folder = tempfile::tempdir().expect("a folder");
        let history = GradeHistory::open(folder.path(), Locking::Always)?;
        let of_points =
            |points: u32| (1..=48).map(move |parts| f64::from(points) / f64::from(parts));
        let line = |value| LeaderboardLine { name: "Points".to_owned(), value, order: None };
        let mut fractions = record("a");
        fractions.results.leaderboard = (1..=100).flat_map(of_points).map(line).collect();
        history.add("ann", &fractions, &[])?;
        assert_eq!(history.records("ann")?, [fractions]);
        Ok(())
    }

    #[test]
    fn second_run_is_refused() -> Result<(), HistoryError> {
        let folder = tempfile::tempdir().expect("a folder");
        let history = GradeHistory::open(folder.path(), Locking::Always)?;
        let error = GradeHistory::open(folder.path(), Locking::Always).expect_err("in use");
        assert!(error.to_string().contains("another run of `grade`"), "{error}");
        drop(history);
        GradeHistory::open(folder.path(), Locking::Always).map(drop)
    }

    #[test]
    fn seed_is_kept_until_another_is_wanted() -> Result<(), HistoryError> {
        let folder = tempfile::tempdir().expect("a folder");
        let history = GradeHistory::open(folder.path(), Locking::Always)?;
        for (wanted, any, seed) in [(None, 5, 5), (None, 6, 5), (Some(7), 6, 7), (None, 6, 7)] {
            assert_eq!(history.seed(wanted, || any)?, seed);
        }
        Ok(())
    }
}
