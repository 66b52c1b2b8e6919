//! A folder with a folder for each submission of a class.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use plyground_durable::input::open_regular;
use plyground_durable::shown;
use plyground_host::external::PreparedSubmission;
use thiserror::Error;

/// What stands for something else in the text of a player, and so in no name of a folder.
const PLACES: [&str; 5] = ["{folder}", "{start", "{depth}", "{in}", "{out}"];

/// No more is shown of what a build prints, in bytes.
const LONGEST_LOG: u64 = 16 * 1024;

/// The folder of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmissionFolder {
    /// Its name: one line.
    pub name: String,
    /// Its path, of which the name is the end.
    pub path: String,
    /// What is known of it, if it was prepared.
    pub prepared: Option<PreparedSubmission>,
}

impl SubmissionFolder {
    /// The path of the folder with the files that were handed in: of a submission that was prepared,
    /// all that its program sees.
    #[must_use]
    pub fn files(&self) -> String {
        match self.prepared {
            // Its path is text, and so is this.
            Some(_) => {
                PreparedSubmission::program(Path::new(&self.path)).to_string_lossy().into_owned()
            }
            None => self.path.clone(),
        }
    }

    /// The beginning of what the build of a prepared submission has printed, in lines; empty if
    /// there is nothing.
    #[must_use]
    pub fn build_log(&self) -> String {
        let log = PreparedSubmission::log(Path::new(&self.path));
        let mut bytes = Vec::new();
        // A folder that was not prepared may have a pipe there, or a link to anything.
        let file = self.prepared.as_ref().and_then(|_| open_regular(&log).ok());
        if let Some(file) = file {
            // What cannot be read is not shown.
            let _ = file.take(LONGEST_LOG).read_to_end(&mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.replace("\r\n", "\n");
        let parts = text.split_inclusive(['\n', '\t']).map(|part| {
            let plain = part.trim_end_matches(['\n', '\t']);
            shown(plain).into_owned() + &part[plain.len()..]
        });
        let text: String = parts.collect();
        // Where it was built is nobody's business.
        let place = fs::canonicalize(self.files()).unwrap_or_default();
        match place.to_str().filter(|place| !place.is_empty()) {
            Some(place) => text.replace(place, "."),
            None => text,
        }
    }
}

/// A folder for output is among the submissions of a class: the next time it would be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: expected a folder outside of {}, which has the submissions", out.display(), class.display())]
pub struct AmongSubmissions {
    out: PathBuf,
    class: PathBuf,
}

/// The folders in the folder of a class, by name; hidden ones do not count.
///
/// # Errors
///
/// When the folder cannot be read, has no folders, or has one whose name cannot stand in a command
/// or a table, or which was prepared and is damaged.
pub fn submissions(class: &Path) -> io::Result<Vec<SubmissionFolder>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(class)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.path().is_dir() || is_hidden(&name) {
            continue;
        }
        let path = entry.path();
        // Commands and tables are text.
        let (Some(name), Some(path)) = (name.to_str().filter(|name| is_line(name)), path.to_str())
        else {
            let why = format!("expected the name of a folder in UTF-8, found {name:?}");
            return Err(io::Error::other(why));
        };
        if let Some(place) = PLACES.iter().find(|place| path.contains(*place)) {
            return Err(io::Error::other(format!(
                "expected names of folders without {place} in them"
            )));
        }
        // A file that somebody has handed in costs nobody else.
        let prepared = PreparedSubmission::read(&entry.path())
            .unwrap_or_else(|error| Some(PreparedSubmission::damaged(&error)));
        found.push(SubmissionFolder { name: name.to_owned(), path: path.to_owned(), prepared });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    if found.is_empty() {
        return Err(io::Error::other("expected folders in this folder, one for each submission"));
    }
    Ok(found)
}

/// Refuses a class of which a submission was not prepared, or not to the end: that is no fault of
/// the submission.
///
/// # Errors
///
/// The first that was not.
pub fn check_prepared<'s>(
    submissions: impl IntoIterator<Item = &'s SubmissionFolder>,
) -> Result<(), NotPrepared> {
    match submissions.into_iter().find(|submission| submission.prepared.is_none()) {
        Some(submission) => Err(NotPrepared { folder: submission.path.clone() }),
        None => Ok(()),
    }
}

/// A submission of a class was not prepared, or not to the end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{folder}: not prepared: for players with {{start}} in them, the folder of the class is made by \
     `plyground submissions prepare`; the same command again goes on where it was stopped"
)]
pub struct NotPrepared {
    folder: String,
}

/// Refuses a folder for output, which need not be there yet, that is the folder of a class, is one
/// of its submissions or lies in one.
///
/// # Errors
///
/// That it is among them.
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
    // What is hidden is no submission.
    !matches!(place.components().next(), Some(Component::Normal(name)) if is_hidden(name))
}

/// The path without links, as far as there is something.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = PathBuf::new();
    for there in path.ancestors() {
        if let Ok(found) = fs::canonicalize(there) {
            // Nothing to add leaves no slash at the end.
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

    #[test]
    fn name_that_stands_for_something_else_is_refused() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("ann{depth}"))?;
        let error = submissions(folder.path()).expect_err("a bad name").to_string();
        assert_eq!(error, "expected names of folders without {depth} in them");
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
