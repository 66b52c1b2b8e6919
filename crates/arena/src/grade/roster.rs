//! Who has handed a submission in, and when.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use plyground_host::toml_file::{TomlError, read};
use plyground_host::{excerpt, one_line};
use serde::Deserialize;
use thiserror::Error;

use crate::submissions::SubmissionFolder;

/// A line of a roster. All columns but the first may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RosterLine {
    /// The name of the submission.
    pub submission: String,
    /// The student's name.
    pub name: String,
    /// The student's number in the learning management system.
    pub id: String,
    /// The number in the information system of the school.
    pub sis_id: String,
    /// What the student logs in with.
    pub login: String,
    /// The section of the course.
    pub section: String,
    /// The student's address.
    pub email: String,
    /// When it was handed in: a [time](parse_time), or empty.
    pub submitted: String,
}

/// The students of a class, by the names of their submissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster(BTreeMap<String, RosterLine>);

/// Why a roster cannot be used, as one line.
#[derive(Debug, Error)]
pub enum RosterError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TomlError),
    /// It does not say what it should.
    #[error("{path}:{line}: {fault}")]
    Fault {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        fault: String,
    },
}

impl Roster {
    /// Reads a table in CSV with a header; other columns than those of [`RosterLine`] do not matter.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, has no column `submission`, names one twice, or has something
    /// else than a time where there should be one.
    pub fn read(path: &Path) -> Result<Roster, RosterError> {
        let text = read(path)?;
        let fault = |line: u64, fault: String| RosterError::Fault {
            path: path.display().to_string(),
            line,
            fault,
        };
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header =
            reader.headers().map_err(|error| fault(1, one_line(&error.to_string())))?.clone();
        if !header.iter().any(|name| name == "submission") {
            return Err(fault(1, "expected a column `submission`".to_owned()));
        }
        let mut lines = BTreeMap::new();
        for record in reader.records() {
            let at = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
            let record = record.map_err(|error| {
                fault(at(&error), "expected as many cells as in the header".to_owned())
            })?;
            let number = record.position().map_or(1, csv::Position::line);
            let line: RosterLine = record
                .deserialize(Some(&header))
                .map_err(|error| fault(number, one_line(&error.to_string())))?;
            if !line.submitted.is_empty() {
                parse_time(&line.submitted).map_err(|why| fault(number, why))?;
            }
            let name = line.submission.clone();
            if lines.insert(name.clone(), line).is_some() {
                return Err(fault(number, format!("`{}` is there twice", excerpt(&name))));
            }
        }
        Ok(Roster(lines))
    }

    /// What is known of a submission; its name at least.
    #[must_use]
    pub fn line(&self, submission: &str) -> RosterLine {
        let unknown = || RosterLine { submission: submission.to_owned(), ..RosterLine::default() };
        self.0.get(submission).cloned().unwrap_or_else(unknown)
    }

    /// When a submission was handed in: the time of the roster, or else that of the newest file in
    /// its folder. The files of one that was prepared are newer than what was handed in, of which it
    /// keeps the time.
    #[must_use]
    pub fn submitted(&self, submission: &SubmissionFolder) -> Option<Timestamp> {
        let line = self.0.get(&submission.name).map(|line| line.submitted.as_str());
        let said = line.filter(|time| !time.is_empty()).and_then(|time| parse_time(time).ok());
        said.or_else(|| match &submission.prepared {
            Some(prepared) => parse_time(&prepared.submitted).ok(),
            None => newest(Path::new(&submission.path)).and_then(|time| time.try_into().ok()),
        })
    }
}

/// A time: `2026-11-20 23:59`, by the clock of this machine, `2026-11-20T23:59:00-06:00`, or
/// `2026-11-20T23:59[America/Chicago]`.
///
/// # Errors
///
/// What was expected.
pub fn parse_time(text: &str) -> Result<Timestamp, String> {
    let zoned = text.parse::<Zoned>().map(|time| time.timestamp());
    let here = || {
        let time = text.parse::<DateTime>()?;
        Ok::<_, jiff::Error>(time.to_zoned(TimeZone::system())?.timestamp())
    };
    zoned
        .or_else(|_| text.parse())
        .or_else(|_| here())
        .map_err(|_| format!("expected a time such as 2026-11-20T23:59, found `{}`", excerpt(text)))
}

/// By how long a submission is late, in whole minutes: `1day 3h 12m`; `None` if it is not.
#[must_use]
pub fn lateness(submitted: Timestamp, deadline: Timestamp) -> Option<String> {
    let late = submitted.duration_since(deadline);
    let seconds = u64::try_from(late.as_secs()).ok().filter(|_| late.is_positive())?;
    // A minute that has begun counts.
    let minutes = seconds.div_ceil(60).max(1);
    Some(humantime::format_duration(std::time::Duration::from_secs(minutes * 60)).to_string())
}

/// The time of the newest file in a folder.
fn newest(folder: &Path) -> Option<SystemTime> {
    let times = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let found = entry.metadata().ok()?;
        if found.is_dir() { newest(&entry.path()) } else { found.modified().ok() }
    });
    times.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        parse_time(text).expect(text)
    }

    #[test]
    fn times_are_read() {
        let noon = at("2026-11-20T12:00:00Z");
        assert_eq!(at("2026-11-20T06:00-06:00"), noon);
        assert_eq!(at("2026-11-20T07:00[America/New_York]"), noon);
        assert!(parse_time("2026-11-20 12:00").is_ok());
        let why = parse_time("soon").expect_err("no time");
        assert!(why.contains("found `soon`"), "{why}");
        assert!(parse_time(&"soon".repeat(1_000)).expect_err("no time").len() < 200);
    }

    #[test]
    fn lateness_is_in_minutes_that_have_begun() {
        let deadline = at("2026-11-20T12:00:00Z");
        let late = |text| lateness(at(text), deadline);
        assert_eq!(late("2026-11-20T12:00:00Z"), None);
        assert_eq!(late("2026-11-20T11:00:00Z"), None);
        assert_eq!(late("2026-11-20T12:00:01Z").as_deref(), Some("1m"));
        assert_eq!(late("2026-11-21T15:10:00Z").as_deref(), Some("1day 3h 10m"));
    }

    #[test]
    fn roster_is_read_and_its_faults_are_named() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("roster.csv");
        fs::write(&path, "\u{feff}name,submission,submitted\r\nAnn Lee,ann,2026-11-20T12:00Z\n")?;
        let roster = Roster::read(&path)?;
        assert_eq!(roster.line("ann").name, "Ann Lee");
        assert_eq!(roster.line("bob").submission, "bob");
        let submission = |name: &str| SubmissionFolder {
            name: name.to_owned(),
            path: folder.path().to_string_lossy().into_owned(),
            prepared: None,
        };
        assert_eq!(roster.submitted(&submission("ann")), Some(at("2026-11-20T12:00:00Z")));
        assert!(roster.submitted(&submission("bob")).is_some(), "the time of the file");
        for (text, part) in [
            ("name\nann\n", "roster.csv:1: expected a column `submission`"),
            ("submission\nann\nann\n", "roster.csv:3: `ann` is there twice"),
            ("submission,submitted\nann,soon\n", "roster.csv:2: expected a time"),
            ("submission,name\nann\n", "roster.csv:2: expected as many cells"),
            ("submission\n\"a\nb\"\n\"a\nb\"\n", "roster.csv:4: `a\\nb` is there twice"),
        ] {
            fs::write(&path, text)?;
            let error = Roster::read(&path).expect_err(text).to_string();
            assert!(error.contains(part) && error.lines().count() == 1, "{error}");
        }
        Ok(())
    }
}
