//! The students who handed the submissions in, and the times.

mod matching;
mod table;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use plyground_durable::excerpt;
use thiserror::Error;

use plyground_arena::submissions::SubmissionFolder;

pub use matching::Matched;
use matching::fold;

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

/// The students of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The name of the file; empty without a file.
    path: String,
    /// The rows, with the numbers of their lines.
    rows: Vec<(u64, RosterLine)>,
}

/// The error for a roster that cannot be used, as one line.
#[derive(Debug, Error)]
pub enum RosterError {
    /// The file cannot be read.
    #[error("{}: cannot read the file: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the OS.
        source: io::Error,
    },
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

impl Roster {
    /// Reads a table with a header. It has the columns of [`RosterLine`], or is an exported
    /// gradebook of Canvas, Moodle, Blackboard or Gradescope. Other columns do not matter. The
    /// separator may be a comma, a semicolon or a tab; the encoding may be UTF-8, UTF-16 or
    /// Latin-1.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has no column that names students, names a
    /// submission twice, or has something other than a time where a time is expected.
    pub fn read(path: &Path) -> Result<Roster, RosterError> {
        Ok(Roster { path: path.display().to_string(), rows: table::read(path)? })
    }
}

/// Returns the time of a submission: the time in its row, or else the time from the platform or of
/// the newest file. A prepared submission keeps the time of what was handed in, since its own files
/// are newer.
#[must_use]
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
#[must_use]
pub fn late_by(submitted: Timestamp, deadline: Timestamp) -> Option<Duration> {
    let late = submitted.duration_since(deadline);
    Duration::try_from(late).ok().filter(|late| !late.is_zero())
}

/// Returns the duration by which a submission is late, in whole minutes, as `1day 3h 12m`; `None`
/// if it is not.
#[must_use]
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

#[cfg(test)]
mod tests {
    use plyground_host::external::{HandedIn, PreparedStatus, PreparedSubmission};

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

    fn submission(name: &str, handed_in: HandedIn) -> SubmissionFolder {
        let prepared = PreparedSubmission {
            source: String::new(),
            submitted: "2025-11-20T23:12:11Z".to_owned(),
            key: String::new(),
            status: PreparedStatus::Ready,
            why: String::new(),
            language: String::new(),
            build: String::new(),
            folder: PathBuf::new(),
            start: String::new(),
            handed_in,
        };
        let path = String::new();
        SubmissionFolder { name: name.to_owned(), path, prepared: Some(prepared) }
    }

    fn read(text: &str) -> Result<Roster, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("roster.csv");
        fs::write(&path, text).expect("a file");
        Roster::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn faults_of_a_roster_are_named() {
        for (text, part) in [
            ("grade\n5\n", "roster.csv:1: expected a column `submission`"),
            ("submission\nann\nAnn \n", "roster.csv:3: `Ann` is there twice"),
            ("submission,submitted\nann,soon\n", "roster.csv:2: expected a time"),
            ("submission,name\nann\n", "roster.csv:2: expected as many cells"),
            ("submission\n\"a\nb\"\n\"a\nb\"\n", "roster.csv:4: `a\\nb` is there twice"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part) && error.lines().count() == 1, "{error}");
        }
    }

    /// Each platform knows other facts about a student.
    #[test]
    fn rows_find_their_submissions() -> Result<(), Box<dyn std::error::Error>> {
        let fact = |name: &str, id: &str, login: &str| HandedIn {
            name: name.to_owned(),
            id: id.to_owned(),
            login: login.to_owned(),
            ..HandedIn::default()
        };
        let class = [
            submission("leeann", fact("", "12", "")),
            submission("jdoe", fact("Jane Doe", "", "jdoe")),
            submission("Jörg Müller", fact("Jörg Müller", "77", "")),
            submission("Al Poe & Bob Ray", fact("Al Poe & Bob Ray", "13 & 14", "")),
            submission("stranger", HandedIn::default()),
        ];
        let roster = read(
            "Student,ID,SIS Login ID\n\"Lee, Ann\",12,x1\n\"Doe, Jane\",900,JDOE\n\
            \"M\u{fc}ller, Jo\u{308}rg\",901,x3\nBob Ray,14,\nAl Poe,,\nNo Body,19,nobody\n",
        )?;
        let matched = roster.matched(&class);
        let names = |submission: &str| -> Vec<&str> {
            matched.students[submission].iter().map(|line| line.name.as_str()).collect()
        };
        assert_eq!(names("leeann"), ["Lee, Ann"]);
        assert_eq!(names("jdoe"), ["Doe, Jane"]);
        assert_eq!(names("Jörg Müller").len(), 1);
        assert_eq!(names("Al Poe & Bob Ray"), ["Bob Ray", "Al Poe"]);
        assert_eq!(matched.absent.len(), 1);
        assert_eq!(matched.absent[0].submission, "nobody");
        let [row, folder] = matched.unmatched.as_slice() else { panic!("{matched:?}") };
        assert!(row.ends_with("roster.csv:7: `nobody` has no submission, and gets 0 points"));
        assert!(folder.ends_with("there is no row for `stranger`"), "{folder}");
        // Without a roster, the download identifies the students.
        let known = Roster::default().matched(&class);
        assert_eq!(known.students["jdoe"][0].name, "Jane Doe");
        assert_eq!((known.absent.len(), known.unmatched.len()), (0, 0));
        let time = submitted(&known.students["jdoe"][0], &class[1]);
        assert_eq!(time, Some(at("2025-11-20T23:12:11Z")));
        Ok(())
    }

    #[test]
    fn group_shares_what_one_has_handed_in() -> Result<(), Box<dyn std::error::Error>> {
        let class = ["ann", "bob"].map(|name| submission(name, HandedIn::default()));
        let table = "login,group\nann,A\ncarl,a\nbob,\ndan,B\neve,\n";
        let matched = read(table)?.matched(&class);
        let logins = |lines: &[RosterLine]| -> Vec<String> {
            lines.iter().map(|line| line.login.clone()).collect()
        };
        assert_eq!(logins(&matched.students["ann"]), ["ann", "carl"]);
        assert_eq!(matched.students["ann"][1].submission, "ann");
        assert_eq!(logins(&matched.students["bob"]), ["bob"]);
        assert_eq!(logins(&matched.absent), ["dan", "eve"]);
        let both = read("login,group\nann,A\nbob,A\ncarl,A\n")?.matched(&class);
        let [open] = both.open.as_slice() else { panic!("{both:?}") };
        let expected =
            "roster.csv:4: `carl` of the group `A`, fits `ann` and `bob`, and has no grade";
        assert!(open.contains(expected), "{open}");
        assert_eq!((both.students.len(), both.absent.len()), (2, 0));
        Ok(())
    }

    #[test]
    fn nobody_loses_points_by_a_guess() -> Result<(), Box<dyn std::error::Error>> {
        let jane = || HandedIn { name: "Jane Doe".to_owned(), ..HandedIn::default() };
        let class = [submission("Jane Doe 1", jane()), submission("Jane Doe 2", jane())];
        let open = |text: &str, class: &[SubmissionFolder]| -> Result<Vec<String>, String> {
            let matched = read(text)?.matched(class);
            // All else is graded, and no row has the grade of another.
            assert_eq!((matched.students.len(), matched.absent.len()), (class.len(), 0));
            assert!(matched.students.values().flatten().all(|line| line.section.is_empty()));
            Ok(matched.open)
        };
        let fits = open("name,section\nJane Doe,x\n", &class)?;
        let expected =
            "roster.csv:2: `Jane Doe` fits `Jane Doe 1` and `Jane Doe 2`, and has no grade";
        assert!(fits.len() == 1 && fits[0].contains(expected), "{fits:?}");
        let twice = open("name,section\nJane Doe,x\nDoe Jane,x\n", &class[..1])?;
        let expected = "roster.csv:3: `Doe Jane` is one of several rows for `Jane Doe 1`";
        assert!(twice.len() == 2 && twice[1].contains(expected), "{twice:?}");
        // A file that has the login of another as its name does not get that student's grade.
        let class = [
            submission("jdoe", HandedIn::default()),
            submission("Jane Doe", HandedIn { name: "Jane Doe".to_owned(), ..HandedIn::default() }),
        ];
        let forged = open("name,login,section\nJane Doe,jdoe,x\n", &class)?;
        assert!(forged.len() == 1 && forged[0].contains("`Jane Doe` and `jdoe`"), "{forged:?}");
        Ok(())
    }

    #[test]
    fn telling_cell_goes_before_one_that_several_fit() -> Result<(), Box<dyn std::error::Error>> {
        let jane = |id: &str| HandedIn {
            name: "Jane Doe".to_owned(),
            id: id.to_owned(),
            ..HandedIn::default()
        };
        let class = [submission("Jane Doe 1", jane("1")), submission("Jane Doe 2", jane("2"))];
        let matched = read("name,id\nJane Doe,2\nJane Doe,1\n")?.matched(&class);
        assert_eq!((&matched.open, &matched.unmatched), (&Vec::new(), &Vec::new()));
        assert_eq!(matched.students["Jane Doe 2"][0].id, "2");
        Ok(())
    }
}
