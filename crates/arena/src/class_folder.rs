//! The folder of a class, which has a folder for each submission.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use plyground_durable::input::{TomlError, TomlFile, check_way, is_trusted, open_regular};
use plyground_durable::shown;
use plyground_host::external::{Lack, PreparedSubmission, is_plain_path};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::programs::{MissingTools, ProgramOptions};

/// The placeholders in the text of a player, which names of folders must not contain.
const PLACES: [&str; 5] = ["{folder}", "{start", "{depth}", "{in}", "{out}"];

/// The file in the folder of a class that lists the names of the prepared submissions.
///
/// No student can hand in this mark of preparation, because the files of a submission are in a
/// folder below.
pub const NAMES_FILE: &str = ".names.toml";

/// The names of the prepared submissions, by the identities of the students.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedNames {
    /// The names.
    pub names: BTreeMap<String, String>,
}

impl PreparedNames {
    /// Reads the names in the folder of a class; empty if no submission was prepared there.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of the names cannot be read, or is wrong.
    pub fn read(class: &Path) -> Result<PreparedNames, TomlError> {
        let path = class.join(NAMES_FILE);
        match TomlFile::read_regular(&path) {
            Err(TomlError::Unreadable(error)) if error.is_not_found() => {
                Ok(PreparedNames::default())
            }
            file => file?.parse(),
        }
    }

    /// Returns the facts about the submission of this name, if it was prepared to the end.
    fn facts(&self, name: &str, path: &Path) -> Option<PreparedSubmission> {
        // A folder that was handed in may have files that look like the files of a preparation.
        if !self.names.values().any(|known| known == name) {
            return None;
        }
        let program = fs::symlink_metadata(PreparedSubmission::program(path));
        if program.is_ok_and(|program| !program.is_dir()) {
            return None;
        }
        // A submission that is damaged, or that ended its own preparation, must not prevent the grading of
        // others.
        PreparedSubmission::read(path)
            .unwrap_or_else(|error| Some(PreparedSubmission::damaged(&error)))
            .or_else(|| PreparedSubmission::stopped(path))
    }
}

/// The greatest part of a build's output that is shown, in bytes.
const LONGEST_LOG: u64 = 16 * 1024;

/// The folder of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmissionFolder {
    /// The name: one line.
    pub name: String,
    /// The path, which ends in the name.
    pub path: String,
    /// The facts about the submission, if it was prepared.
    pub prepared: Option<PreparedSubmission>,
}

impl SubmissionFolder {
    /// Returns the path of the folder with the files that were handed in. The program of a prepared
    /// submission sees only this folder.
    pub fn files(&self) -> String {
        match self.prepared {
            // The path stays text, because only text is added to it.
            Some(_) => {
                PreparedSubmission::program(Path::new(&self.path)).to_string_lossy().into_owned()
            }
            None => self.path.clone(),
        }
    }

    /// Returns the beginning of the output of the build of a prepared submission, in lines; empty
    /// without output.
    pub fn build_log(&self) -> String {
        let log = PreparedSubmission::log(Path::new(&self.path));
        let mut bytes = Vec::new();
        // An unprepared folder may have a pipe there, or a link to anything.
        let file = self.prepared.as_ref().and_then(|_| open_regular(&log).ok());
        if let Some(file) = file {
            // Unreadable output is not shown.
            let _ = file.take(LONGEST_LOG).read_to_end(&mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.replace("\r\n", "\n");
        let parts = text.split_inclusive(['\n', '\t']).map(|part| {
            let plain = part.trim_end_matches(['\n', '\t']);
            shown(plain).into_owned() + &part[plain.len()..]
        });
        let text: String = parts.collect();
        // The path of the build is private.
        let place = fs::canonicalize(self.files()).unwrap_or_default();
        match place.to_str().filter(|place| !place.is_empty()) {
            Some(place) => text.replace(place, "."),
            None => text,
        }
    }
}

/// The error for a folder for output among the submissions of a class, where it would become a
/// submission.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: expected a folder outside of {}, which has the submissions", out.display(), class.display())]
pub struct AmongSubmissions {
    out: PathBuf,
    class: PathBuf,
}

/// Returns the folders in the folder of a class, by name, without hidden ones.
///
/// # Errors
///
/// Returns an error if the folder cannot be read, has no folders, or has a folder whose name cannot
/// be used in a command or a table, or if the names of the prepared submissions cannot be read.
pub fn submissions(class: &Path) -> io::Result<Vec<SubmissionFolder>> {
    if !fs::metadata(class)?.is_dir() {
        return Err(io::Error::other("expected a folder, with a folder for each submission"));
    }
    check_way(class)?;
    let mut found = Vec::new();
    let names = PreparedNames::read(class).map_err(io::Error::other)?;
    for entry in fs::read_dir(class)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.path().is_dir() || is_hidden(&name) {
            continue;
        }
        let path = entry.path();
        if !is_trusted(&path)? {
            let why = "a link of another user: put the folder itself in its place";
            return Err(io::Error::other(format!("expected folders, found {name:?}, {why}")));
        }
        // Commands and tables are text.
        let (Some(name), Some(path)) = (name.to_str().filter(|name| is_line(name)), path.to_str())
        else {
            let why = format!("expected the name of a folder in UTF-8, found {name:?}");
            return Err(io::Error::other(why));
        };
        if !is_plain_path(Path::new(name)) {
            return Err(io::Error::other(format!(
                "expected names of folders without `=`, `:`, `{{` and `}}`, found `{}`: `plyground \
                 submissions prepare` gives a submission another name",
                shown(name)
            )));
        }
        if let Some(place) = PLACES.iter().find(|place| path.contains(*place)) {
            return Err(io::Error::other(format!(
                "expected the path of a class without {place} in it"
            )));
        }
        let prepared = names.facts(name, &entry.path());
        found.push(SubmissionFolder { name: name.to_owned(), path: path.to_owned(), prepared });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    if found.is_empty() {
        return Err(io::Error::other("expected folders in this folder, one for each submission"));
    }
    Ok(found)
}

/// Checks that each submission of a class was prepared. A submission whose preparation was stopped passes this
/// check, because it has a status.
///
/// # Errors
///
/// Returns an error for the first submission that was not prepared.
pub fn check_prepared<'s>(
    submissions: impl IntoIterator<Item = &'s SubmissionFolder>,
) -> Result<(), NotPrepared> {
    match submissions.into_iter().find(|submission| submission.prepared.is_none()) {
        None => Ok(()),
        Some(submission) => Err(NotPrepared { folder: submission.path.clone() }),
    }
}

/// Checks that programs find the installed programs that start the submissions. An error is the fault of no
/// submission.
///
/// # Errors
///
/// Returns an error for all programs that are missing.
pub fn check_tools<'s>(
    submissions: impl IntoIterator<Item = &'s SubmissionFolder>,
    programs: &ProgramOptions,
) -> Result<(), MissingTools> {
    let mut missing = MissingTools::default();
    for submission in submissions {
        let tool = submission.prepared.as_ref().and_then(PreparedSubmission::tool);
        if let Some(tool) = tool.filter(|tool| !programs.finds(tool)) {
            missing.add(&Lack::Program(tool), submission.name.clone());
        }
    }
    missing.check()
}

/// The error for a folder that is no prepared submission.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{folder}: not prepared: a player with {{start}} needs a class that `plyground submissions prepare` has \
     made; a stopped preparation goes on with the same command"
)]
pub struct NotPrepared {
    folder: String,
}

/// Checks that a folder for output, which need not exist yet, is not the folder of a class, one of
/// its submissions, or inside one.
///
/// # Errors
///
/// Returns an error if the folder is among the submissions.
pub fn check_outside(out: &Path, class: &Path) -> Result<(), AmongSubmissions> {
    if is_among(out, class) {
        return Err(AmongSubmissions { out: out.to_owned(), class: class.to_owned() });
    }
    Ok(())
}

fn is_among(path: &Path, class: &Path) -> bool {
    let Ok(place) = real(path).strip_prefix(real(class)).map(Path::to_owned) else {
        return false;
    };
    // A hidden folder is not a submission.
    !matches!(place.components().next(), Some(Component::Normal(name)) if is_hidden(name))
}

/// Returns the path with its links resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = PathBuf::new();
    for there in path.ancestors() {
        if let Ok(found) = fs::canonicalize(there) {
            // An empty rest must not leave a slash at the end.
            return found.components().chain(rest.components()).collect();
        }
        let last = there.components().next_back();
        rest = last.into_iter().chain(rest.components()).collect();
    }
    path
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn is_line(name: &str) -> bool {
    !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use plyground_sandbox::SandboxLevel;

    use super::*;

    #[test]
    fn output_within_class_is_among_the_submissions() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let class = folder.path().join("subs");
        fs::create_dir_all(class.join("ann"))?;
        for (path, expected) in [
            ("subs", true),
            ("subs/ann/out", true),
            ("subs/new", true),
            ("subs/ann/../new/out", true),
            ("subs/.out", false),
            ("subs2", false),
            ("new/subs", false),
            (".", false),
        ] {
            assert_eq!(is_among(&folder.path().join(path), &class), expected, "{path}");
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&class, &link)?;
            assert!(is_among(&link.join("out"), &class) && is_among(&class.join("out"), &link));
        }
        Ok(())
    }

    /// A student hands in files like those of `prepare`, with the name of another student.
    #[test]
    fn submission_cannot_say_that_it_was_prepared() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let class = folder.path();
        let ann = class.join("ann");
        fs::create_dir_all(PreparedSubmission::program(&ann))?;
        let facts = "source = 'a'\nkey = ''\nstatus = 'ready'\n[handed_in]\nname = 'Bob'\n";
        fs::write(ann.join("plyground.toml"), facts)?;
        let of_ann = || submissions(class).map(|mut found| found.remove(0));
        let unprepared = of_ann()?;
        assert_eq!((&unprepared.prepared, unprepared.files()), (&None, unprepared.path.clone()));
        fs::write(class.join(NAMES_FILE), "[names]\n'file bob.zip' = 'bob'\n")?;
        assert_eq!(of_ann()?.prepared, None);
        fs::write(class.join(NAMES_FILE), "[names]\n'file ann.zip' = 'ann'\n")?;
        assert_eq!(of_ann()?.prepared.ok_or("prepared")?.handed_in.name, "Bob");
        fs::write(class.join(NAMES_FILE), "damaged")?;
        assert!(of_ann().is_err_and(|error| error.to_string().contains(NAMES_FILE)));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn program_of_a_prepared_submission_is_its_own() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let ann = folder.path().join("ann");
        fs::create_dir_all(&ann)?;
        fs::write(folder.path().join(NAMES_FILE), "[names]\n'file ann.zip' = 'ann'\n")?;
        fs::write(ann.join("plyground.toml"), "source = ''\nkey = ''\nstatus = 'not-unpacked'\n")?;
        assert!(submissions(folder.path())?[0].prepared.is_some());
        std::os::unix::fs::symlink("../bob", PreparedSubmission::program(&ann))?;
        assert_eq!(submissions(folder.path())?[0].prepared, None);
        Ok(())
    }

    #[test]
    fn submission_whose_preparation_was_stopped_has_a_status() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("bob"))?;
        fs::create_dir(folder.path().join("mallory"))?;
        fs::write(folder.path().join("mallory").join(PreparedSubmission::PREPARING), "")?;
        fs::write(folder.path().join(NAMES_FILE), "[names]\n'file mallory.zip' = 'mallory'\n")?;
        let found = submissions(folder.path())?;
        let error = check_prepared(&found).expect_err("an unprepared folder").to_string();
        assert!(error.contains("bob: not prepared"), "{error}");
        check_prepared(&found[1..]).expect("a status");
        let prepared = found[1].prepared.as_ref().expect("a status");
        assert_eq!(prepared.status.words(), "not prepared");
        Ok(())
    }

    #[test]
    fn missing_program_is_the_fault_of_no_submission() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let starts =
            ["./play", "sh play", "python1 ./play.py", "'my tool' x", "PATH=. python1", ""];
        let mut names = "[names]\n".to_owned();
        for (number, start) in starts.iter().enumerate() {
            let place = folder.path().join(format!("s{number}"));
            fs::create_dir_all(PreparedSubmission::program(&place))?;
            let text = format!("source = 'x'\nkey = 'k'\nstatus = 'ready'\nstart = \"{start}\"\n");
            fs::write(place.join("plyground.toml"), text)?;
            names += &format!("'s{number}' = 's{number}'\n");
        }
        fs::write(folder.path().join(NAMES_FILE), names)?;
        let programs =
            ProgramOptions { sandbox: Some(SandboxLevel::None), ..ProgramOptions::default() };
        let found = submissions(folder.path())?;
        let error = check_tools(&found, &programs).expect_err("a missing program");
        assert_eq!(
            error.to_string(),
            "this system lacks `my tool`, needed for s3; this system lacks `python1`, needed for s2, s4; \
             once it is installed for all users, the same command goes on"
        );
        Ok(())
    }

    #[test]
    fn name_that_stands_for_something_else_is_refused() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        // A sandbox shows the files that the parts of a word name.
        for name in ["ann{depth}", "x:..", "a=b"] {
            let class = folder.path().join("class");
            fs::create_dir_all(class.join(name))?;
            let error = submissions(&class).expect_err("a bad name").to_string();
            assert!(error.contains(&format!("found `{name}`")), "{error}");
            fs::remove_dir_all(&class)?;
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn name_that_is_no_line_of_text_is_refused() -> io::Result<()> {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        for name in [&b"two\nlines"[..], b"latin-\xe9"] {
            let folder = tempfile::tempdir()?;
            fs::create_dir(folder.path().join("ann"))?;
            fs::create_dir(folder.path().join(OsStr::from_bytes(name)))?;
            let error = submissions(folder.path()).expect_err("a bad name").to_string();
            assert!(error.starts_with("expected the name of a folder in UTF-8"), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
        Ok(())
    }
}
