//! A row of a roster, and the times of submissions.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use plyground_arena::submissions::SubmissionFolder;
use plyground_durable::{FileError, excerpt};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

/// A line of a roster. All columns but the first may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RosterLine {
    /// The name of the submission.
    pub submission: String,
    /// The student's name.
    pub name: String,
    /// The student's number in the learning management system.
    pub id: String,
    /// The number in the information system of the school.
    pub sis_id: String,
    /// The student's login name.
    pub login: String,
    /// The section of the course.
    pub section: String,
    /// The student's address.
    pub email: String,
    /// The group of students who hand in together.
    pub group: String,
    /// The [time](parse_time) when it was handed in, or empty.
    pub submitted: String,
    /// The points that a person gave, or empty.
    pub points: String,
    /// The comment of that person.
    pub comment: String,
}

/// The error for a roster that cannot be used, as one line.
#[derive(Debug, Error)]
pub enum RosterError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file has a fault.
    #[error("{path}:{line}: {fault}")]
    Fault {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The fault.
        fault: String,
    },
}

/// Returns the time of a submission: the time in its row, or else the time from the platform or of
/// the newest file. A prepared submission keeps the time of what was handed in, since its own files
/// are newer.
pub fn submitted(line: &RosterLine, submission: &SubmissionFolder) -> Option<Timestamp> {
    let said = Some(&line.submitted).filter(|time| !time.is_empty());
    said.and_then(|time| parse_time(time).ok()).or_else(|| match &submission.prepared {
        Some(prepared) => parse_time(&prepared.submitted).ok(),
        None => newest(Path::new(&submission.path)).and_then(|time| time.try_into().ok()),
    })
}

/// Reads a time: `2026-11-20 23:59` by this computer's clock, `2026-11-20T23:59:00-06:00`, or
/// `2026-11-20T23:59[America/Chicago]`.
///
/// # Errors
///
/// Returns an error that says what was expected.
pub fn parse_time(text: &str) -> Result<Timestamp, String> {
    // Gradescope has a blank before the offset.
    let text = &*text.replace(" +", "+").replace(" -", "-");
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

/// Returns the duration by which a submission is late; `None` if it is not.
pub fn late_by(submitted: Timestamp, deadline: Timestamp) -> Option<Duration> {
    let late = submitted.duration_since(deadline);
    Duration::try_from(late).ok().filter(|late| !late.is_zero())
}

/// Returns the duration by which a submission is late, in whole minutes, as `1day 3h 12m`; `None`
/// if it is not.
pub fn lateness(submitted: Timestamp, deadline: Timestamp) -> Option<String> {
    let seconds = late_by(submitted, deadline)?.as_secs();
    // A minute that has begun counts as a whole one.
    let minutes = seconds.div_ceil(60).max(1);
    Some(humantime::format_duration(Duration::from_secs(minutes * 60)).to_string())
}

/// Returns the time of the newest file in a folder.
fn newest(folder: &Path) -> Option<SystemTime> {
    let times = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let found = entry.metadata().ok()?;
        if found.is_dir() { newest(&entry.path()) } else { found.modified().ok() }
    });
    times.max()
}

/// Returns a text in the form for comparisons: without blanks around it, in lowercase, with letters
/// and accents composed.
pub(super) fn fold(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
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
}
