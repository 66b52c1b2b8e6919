//! The roster of a class, read from a table as people, spreadsheets and the gradebooks of learning platforms
//! write it.

use std::path::Path;
use std::{fs, io};

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use plyground_durable::input::decode_table;
use plyground_durable::text::csv_records;
use plyground_durable::{FileError, excerpt, one_line};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

/// A line of a roster. All columns but the first may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RosterLine {
    /// The name of the submission.
    pub submission: String,
    /// The student's name.
    pub name: String,
    /// The student's first names, if the roster has them in a column of their own, or empty.
    pub first: String,
    /// The student's last name, if the roster has it in a column of its own, or empty.
    pub last: String,
    /// The student's number in the learning management system.
    pub id: String,
    /// The number of the participant in Moodle, which is another in each assignment.
    pub participant: String,
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
    /// The [time](parse_time) when the submission was handed in, or empty.
    pub submitted: String,
    /// The points that a person gave, or empty.
    pub points: String,
    /// The comment of that person.
    pub comment: String,
}

impl RosterLine {
    /// Returns true if the names have the same words, as `Lee, Ann` and `Ann Lee`.
    #[must_use]
    pub fn is_namesake(&self, other: &RosterLine) -> bool {
        words(&self.name) == words(&other.name)
    }

    /// Returns the facts that tell a student from others, the name of the submission first.
    pub(super) fn facts(&self) -> [&str; 7] {
        let RosterLine { submission, name, login, id, participant, sis_id, email, .. } = self;
        [submission, name, login, id, participant, sis_id, email]
    }

    /// Returns the points that a person gave, if they are a number that makes sense.
    pub(super) fn given(&self) -> Option<f64> {
        let points = self.points.parse::<f64>().ok();
        points.filter(|points| (-MOST_POINTS..=MOST_POINTS).contains(points))
    }
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

/// The greatest size of a table, in bytes.
const LONGEST: u64 = 16 << 20;

/// The greatest number of points that a person gives or takes.
const MOST_POINTS: f64 = 1e6;

/// The columns, each with the place of its cells, and their names, in lowercase and without blanks and signs. Canvas,
/// Moodle, Blackboard and Gradescope have different names. The first [`NAMING`] columns tell students apart.
const COLUMNS: [(Cell, &[&str]); 15] = [
    (|it| &mut it.line.submission, &["submission"]),
    (|it| &mut it.line.name, &["name", "student", "fullname", "studentname", "displayname"]),
    (|it| &mut it.line.last, &["lastname", "surname", "familyname"]),
    (|it| &mut it.line.id, &["id", "canvasuserid", "studentid", "sid", "orgdefinedid"]),
    (|it| &mut it.identifier, &["identifier"]),
    (|it| &mut it.line.sis_id, &["sisuserid", "sisid", "userid", "idnumber"]),
    (|it| &mut it.line.login, &["login", "sisloginid", "loginid", "username", "githubusername"]),
    (|it| &mut it.line.email, &["email", "emailaddress"]),
    (|it| &mut it.line.first, &["firstname", "givenname"]),
    (|it| &mut it.line.section, &["section", "sections"]),
    (|it| &mut it.line.group, &["group", "groupname", "team"]),
    (|it| &mut it.line.submitted, &["submitted", "submissiontime"]),
    (|it| &mut it.modified, &["lastmodifiedsubmission"]),
    (|it| &mut it.line.points, &[POINTS]),
    (|it| &mut it.line.comment, &["comment", "comments"]),
];

/// The number of columns that tell students apart.
const NAMING: usize = 8;

/// The name of the column with the points that a person gave.
const POINTS: &str = "points";

/// The name of the student that Canvas adds to each course for trials.
pub(super) const TEST_STUDENT: &str = "student, test";

/// The beginning of a number in the column `Identifier` of Moodle.
const PARTICIPANT: &str = "participant ";

/// The first cell of the row in which Canvas gives the greatest number of points.
const POINTS_POSSIBLE: &str = "points possible";

/// The place of a cell.
type Cell = fn(&mut Cells) -> &mut String;

/// The cells of a row: those of its line, and those that stand for some of these in a gradebook.
#[derive(Default)]
struct Cells {
    line: RosterLine,
    identifier: String,
    modified: String,
}

impl Cells {
    /// Returns the line of the row, and the time of Moodle if it cannot be read.
    fn line(self) -> (RosterLine, Option<String>) {
        let Cells { mut line, identifier, modified } = self;
        if line.name.is_empty() {
            line.name = format!("{} {}", line.first, line.last).trim().to_owned();
        }
        if fold(&identifier).starts_with(PARTICIPANT) {
            let number = identifier.get(PARTICIPANT.len()..).unwrap_or_default();
            number.trim().clone_into(&mut line.participant);
        } else if line.id.is_empty() {
            line.id = identifier;
        }
        // Moodle writes times in the language of its reader, and `-` where nothing is handed in.
        let is_time = line.submitted.is_empty() && !["", "-"].contains(&modified.as_str());
        let is_read = parse_time(&modified).is_ok();
        if is_time && is_read {
            line.submitted.clone_from(&modified);
        }
        (line, Some(modified).filter(|_| is_time && !is_read))
    }
}

/// Reads a table. With `points`, the table is one of points that a person gave.
///
/// # Errors
///
/// Returns an error if the file cannot be read, has no column that names students, or has a row
/// that does not fit.
fn read(path: &Path, points: bool) -> Result<Roster, RosterError> {
    let unreadable = FileError::at(path, "read the file");
    if fs::metadata(path).map_err(unreadable)?.len() > LONGEST {
        return Err(
            unreadable(io::Error::other(format!("it has more than {LONGEST} bytes"))).into()
        );
    }
    let text = decode_table(&fs::read(path).map_err(unreadable)?);
    let fault = |line: u64, fault: String| RosterError::Fault {
        path: path.display().to_string(),
        line,
        fault,
    };
    // The first line may name the separator for spreadsheets.
    let first = text.lines().next().unwrap_or_default().trim();
    let (text, skipped) = match first.to_lowercase().strip_prefix("sep=") {
        Some(_) => (text.split_once('\n').map_or("", |(_, rest)| rest), 1),
        None => (text.as_str(), 0),
    };
    let records = csv_records(text, separator(text))
        .map_err(|quote| fault(quote.line + skipped, quote.to_string()))?;
    let mut records = records.into_iter().map(|mut record| {
        record.trim();
        record
    });
    let header = records.next().unwrap_or_default();
    let columns: Vec<Option<usize>> = header.iter().map(column).collect();
    if !columns.iter().flatten().any(|&column| column < NAMING) {
        let why = "expected a column `submission`, or one of a gradebook that names students: Name, \
            ID, Username or Email";
        return Err(fault(1 + skipped, why.to_owned()));
    }
    if points && !columns.contains(&column(POINTS)) {
        let names: Vec<String> = header.iter().map(|name| format!("`{name}`")).collect();
        let names = one_line(&names.join(", "));
        return Err(fault(1 + skipped, format!("expected a column `points`, found {names}")));
    }
    let (mut rows, mut unread) = (Vec::new(), Vec::new());
    for record in records {
        let number = record.position().map_or(1, csv::Position::line) + skipped;
        if record.len() != header.len() {
            return Err(fault(number, "expected as many cells as in the header".to_owned()));
        }
        let mut cells = Cells::default();
        for (column, cell) in columns.iter().zip(&record) {
            let place = column.map(|column| COLUMNS[column].0(&mut cells));
            // Of several columns with the same names, the first with a text counts.
            if let Some(place) = place.filter(|place| place.is_empty()) {
                cell.clone_into(place);
            }
        }
        let (line, time) = cells.line();
        let is_student = |line: &RosterLine| {
            let is_test = fold(&line.last) == "student" && fold(&line.first) == "test";
            line.facts().iter().any(|fact| !fact.is_empty())
                && ![POINTS_POSSIBLE, TEST_STUDENT].contains(&fold(&line.name).as_str())
                && !is_test
        };
        if !is_student(&line) {
            continue;
        }
        if !line.submitted.is_empty() {
            parse_time(&line.submitted).map_err(|why| fault(number, why))?;
        }
        unread.extend(time.map(|time| (number, time)));
        if points && !line.points.is_empty() && line.given().is_none() {
            let found = excerpt(&line.points);
            let why =
                format!("expected points from -{MOST_POINTS} to {MOST_POINTS}, found `{found}`");
            return Err(fault(number, why));
        }
        let is_again = |(_, other): &&(u64, RosterLine)| {
            !line.submission.is_empty() && other.submission == line.submission
        };
        if rows.iter().find(is_again).is_some() {
            return Err(fault(number, format!("`{}` is there twice", excerpt(&line.submission))));
        }
        rows.push((number, line));
    }
    Ok(Roster { path: path.display().to_string(), rows, unread })
}

/// Returns the index of the column of this name.
fn column(name: &str) -> Option<usize> {
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    COLUMNS.iter().position(|(_, names)| names.contains(&name.as_str()))
}

/// Returns the separator of a table: the most frequent of comma, semicolon and tab in its header.
fn separator(text: &str) -> u8 {
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |separator: &u8| {
        let mut is_quoted = false;
        let plain = header.bytes().filter(|byte| {
            is_quoted ^= *byte == b'"';
            !is_quoted && byte == separator
        });
        plain.count()
    };
    // `max_by_key` returns the last maximum, so a header of one column has commas.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// The students of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The name of the file; empty without a file.
    pub(super) path: String,
    /// The rows, with the numbers of their lines.
    pub(super) rows: Vec<(u64, RosterLine)>,
    /// The times of Moodle that cannot be read, with the numbers of their lines.
    pub(super) unread: Vec<(u64, String)>,
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
    /// submission twice, or has an invalid time.
    pub fn read(path: &Path) -> Result<Roster, RosterError> {
        read(path, false)
    }

    /// Reads a table of points that a person gave: a roster with a column `points`.
    ///
    /// # Errors
    ///
    /// Returns an error as [`Roster::read`] does, or if there is no such column, or one with something
    /// else than points.
    pub fn read_points(path: &Path) -> Result<Roster, RosterError> {
        read(path, true)
    }

    /// Returns an iterator over the rows.
    pub fn lines(&self) -> impl Iterator<Item = &RosterLine> {
        self.rows.iter().map(|(_, line)| line)
    }
}

/// The times in the grading worksheet of Moodle, in English.
const OF_MOODLE: [&str; 4] = [
    "%A, %d %B %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%A, %B %d, %Y, %I:%M %p",
    "%A, %B %d, %Y, %H:%M",
];

/// Reads a time: `2026-11-20T23:59:00-06:00`, `2026-11-20T23:59[America/Chicago]`, or by this computer's clock
/// `2026-11-20 23:59`, `Friday, 20 November 2026, 11:59 PM` or `Friday, November 20, 2026, 11:59 PM`.
///
/// # Errors
///
/// Returns an error that shows the expected form.
pub fn parse_time(text: &str) -> Result<Zoned, String> {
    time_in(&TimeZone::system(), text)
}

/// Reads a [time](parse_time), which is in `zone` if it names no other.
pub(super) fn time_in(zone: &TimeZone, text: &str) -> Result<Zoned, String> {
    // Moodle may have two blanks, or one that does not break. Gradescope has a blank before the offset.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = &*text.replace(" +", "+").replace(" -", "-");
    let with_offset = || {
        let offset = Pieces::parse(text).ok()?.to_numeric_offset()?;
        Some(text.parse::<Timestamp>().ok()?.to_zoned(TimeZone::fixed(offset)))
    };
    let without_zone = || {
        let of_moodle = || OF_MOODLE.iter().find_map(|form| DateTime::strptime(form, text).ok());
        text.parse::<DateTime>().ok().or_else(of_moodle)?.to_zoned(zone.clone()).ok()
    };
    let time = text.parse::<Zoned>().ok().or_else(with_offset).or_else(without_zone);
    time.ok_or_else(|| {
        format!("expected a time such as 2026-11-20T23:59, found `{}`", excerpt(text))
    })
}

/// Returns a text in the form for comparisons: without blanks around it, in lowercase, with letters
/// and accents composed.
pub(super) fn fold(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
}

/// Returns the words of a name, sorted.
pub(super) fn words(name: &str) -> Vec<String> {
    let folded = fold(name);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort();
    words
}

#[cfg(test)]
pub(super) mod tests {
    use plyground_arena::class_folder::SubmissionFolder;
    use plyground_host::external::{HandedIn, PreparedSubmission};

    use super::*;
    use crate::fixtures;
    use crate::grade::roster::matching::submitted;

    fn rows(bytes: &[u8]) -> Vec<RosterLine> {
        let folder = fixtures::folder(&[("roster.csv", bytes)]);
        let roster = Roster::read(&folder.path().join("roster.csv")).expect("a roster");
        roster.lines().cloned().collect()
    }

    #[test]
    fn encodings_and_separators_are_told() {
        let table = "Submission;Name;ID\r\nann;Jörg Ž;1\r\n";
        let wide =
            |of: fn(u16) -> [u8; 2]| -> Vec<u8> { table.encode_utf16().flat_map(of).collect() };
        let latin: Vec<u8> =
            "submission\tname\tid\nann\tJ".bytes().chain(*b"\xf6rg \x8e\t1\n").collect();
        for bytes in [
            table.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", table.as_bytes()].concat(),
            [b"\xff\xfe".to_vec(), wide(u16::to_le_bytes)].concat(),
            [b"\xfe\xff".to_vec(), wide(u16::to_be_bytes)].concat(),
            wide(u16::to_le_bytes),
            latin,
            "sep=;\r\n".bytes().chain(table.bytes()).collect(),
        ] {
            let rows = rows(&bytes);
            assert_eq!((rows[0].submission.as_str(), rows[0].name.as_str()), ("ann", "Jörg Ž"));
            assert_eq!((rows.len(), rows[0].id.as_str()), (1, "1"));
        }
        assert_eq!(rows(b"submission\nann\n")[0].submission, "ann");
    }

    #[test]
    fn parts_of_a_name_are_kept() {
        let rows = rows("Last Name,First Name,Username\nde G\u{f3}is,Jo\u{e3}o,jg\n".as_bytes());
        let line = &rows[0];
        assert_eq!((&*line.first, &*line.last), ("Jo\u{e3}o", "de G\u{f3}is"));
        assert_eq!(line.name, "Jo\u{e3}o de G\u{f3}is");
    }

    #[test]
    fn gradebooks_are_rosters() {
        for (table, facts) in [
            (
                "Student,ID,SIS User ID,SIS Login ID,Section,HW (47)\n    Points Possible,,,,,100\n\
                \"Lee, Ann\",123,456,ann,CSE,\n\"Student, Test\",9,,,CSE,\n",
                ["Lee, Ann", "123", "ann", ""],
            ),
            (
                "First name,Last name,ID number,Email address,HW (Real)\nAnn,Lee,123,a@b.edu,-\n",
                ["Ann Lee", "", "", "a@b.edu"],
            ),
            (
                "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n\
                Ann Lee,123,u1,ann,CSE,Group 1,41,\n",
                ["Ann Lee", "123", "ann", ""],
            ),
            ("LastName,FirstName,ID\nStudent,Test,9\nLee,Ann,123\n", ["Ann Lee", "123", "", ""]),
            (
                "\"identifier\",\"github_username\",\"github_id\",\"name\"\n\"123\",\"ann\",\"9\",\"Ann Lee\"\n",
                ["Ann Lee", "123", "ann", ""],
            ),
            (
                "Last Name\tFirst Name\tUsername\tStudent ID\tHW [Total Pts: 100 Score] |12\n\
                Lee\tAnn\tann\t123\t\n",
                ["Ann Lee", "123", "ann", ""],
            ),
            (
                "First Name,Last Name,SID,Email,Sections,Total Score,Submission Time\n\
                Ann,Lee,123,a@b.edu,1,,2025-11-20 23:59:00 -0600\n",
                ["Ann Lee", "123", "", "a@b.edu"],
            ),
        ] {
            let rows = rows(table.as_bytes());
            let [RosterLine { name, id, login, email, .. }] = &*rows else { panic!("{rows:?}") };
            assert_eq!([name, id, login, email], facts, "{table}");
        }
        for (time, is_read) in [
            ("Monday, 16 November 2026, 11:12 PM", true),
            ("Monday, November 16, 2026, 11:12 PM", true),
            ("-", false),
            ("Montag, 16. November 2026, 23:12", false),
        ] {
            let header = "Identifier,Full name,ID number,Last modified (submission)";
            let table = format!("{header}\nParticipant 1,Ann Lee,7,\"{time}\"\n");
            let line = &rows(table.as_bytes())[0];
            assert_eq!(line.submitted, if is_read { time } else { "" });
            assert_eq!((&*line.participant, &*line.id, &*line.sis_id), ("1", "", "7"));
        }
    }

    #[test]
    fn unread_times_of_moodle_are_told_once() -> Result<(), String> {
        let header = "Identifier,Full name,Last modified (submission)";
        let time = "Montag, 16. November 2026, 23:12";
        let rows = format!("Participant 1,Ann Lee,\"{time}\"\nParticipant 2,Bob Ray,\"{time}\"\n");
        let matched = roster(&format!("{header}\n{rows}Participant 3,Eve Low,-\n"))?.matched(&[]);
        let told: Vec<_> = matched.unmatched.iter().filter(|it| it.contains(time)).collect();
        let [told] = told.as_slice() else { panic!("{matched:?}") };
        assert!(told.contains("roster.csv:2: the time `Montag") && told.contains(" and 1 more "));
        Ok(())
    }

    pub(crate) fn submission(name: &str, handed_in: HandedIn) -> SubmissionFolder {
        let submitted = "2025-11-20T23:12:11Z".to_owned();
        let prepared = PreparedSubmission { submitted, handed_in, ..PreparedSubmission::default() };
        let prepared = Some(prepared);
        SubmissionFolder { name: name.to_owned(), path: String::new(), prepared }
    }

    fn fact(name: &str, id: &str, login: &str) -> HandedIn {
        let [name, id, login] = [name, id, login].map(str::to_owned);
        HandedIn { name, id, login, ..HandedIn::default() }
    }

    pub(crate) fn roster(text: &str) -> Result<Roster, String> {
        let folder = fixtures::folder(&[("roster.csv", text)]);
        Roster::read(&folder.path().join("roster.csv")).map_err(|error| error.to_string())
    }

    #[test]
    fn faults_of_a_roster_are_named() {
        for (text, part) in [
            ("grade\n5\n", "roster.csv:1: expected a column `submission`"),
            ("submission\nann\nann \n", "roster.csv:3: `ann` is there twice"),
            ("submission,submitted\nann,soon\n", "roster.csv:2: expected a time"),
            ("submission,name\nann\n", "roster.csv:2: expected as many cells"),
            ("sep=,\nid,comment\n1,\"a\n2,b\n", "roster.csv:3: the quote at character 3"),
            ("id,comment\n1,\"a\n2,\"b\"\n", "roster.csv:2: the quote at character 3"),
            ("submission\n\"a\nb\"\n\"a\nb\"\n", "roster.csv:4: `a\\nb` is there twice"),
        ] {
            let error = roster(text).expect_err(text);
            assert!(error.contains(part) && error.lines().count() == 1, "{error}");
        }
    }

    /// Each platform knows other facts about a student.
    #[test]
    fn rows_find_their_submissions() -> Result<(), Box<dyn std::error::Error>> {
        let class = [
            submission("leeann", fact("", "12", "")),
            submission("jdoe", fact("Jane Doe", "", "jdoe")),
            submission("Jörg Müller", fact("Jörg Müller", "77", "")),
            submission("Al Poe & Bob Ray", fact("Al Poe & Bob Ray", "13 & 14", "")),
            submission("stranger", HandedIn::default()),
        ];
        let roster = roster(
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
        assert_eq!(matched.absent[0].submission, "No Body");
        let [row, folder] = matched.unmatched.as_slice() else { panic!("{matched:?}") };
        let expected = "roster.csv:7: `No Body` has no submission: 0 points for the checks";
        assert!(row.ends_with(expected), "{row}");
        assert!(folder.ends_with("there is no row for `stranger`"), "{folder}");
        // Without a roster, the download identifies the students.
        let known = Roster::default().matched(&class);
        assert_eq!(known.students["jdoe"][0].name, "Jane Doe");
        assert_eq!((known.absent.len(), known.unmatched.len()), (0, 0));
        let time = submitted(&known.students["jdoe"][0], &[], &class[1], &TimeZone::UTC);
        assert_eq!(time, "2025-11-20T23:12:11Z".parse().ok());
        // A platform leaves out the zone of the course.
        let mut line = known.students["jdoe"][0].clone();
        line.submitted = "2025-11-20 23:12".to_owned();
        let chicago = TimeZone::get("America/Chicago")?;
        let time = submitted(&line, &[], &class[1], &chicago);
        assert_eq!(time, "2025-11-21T05:12:00Z".parse().ok());
        // A group has handed in once, and the time may be in the row of one student.
        let other = RosterLine::default();
        assert_eq!(submitted(&other, &[line, other.clone()], &class[1], &chicago), time);
        Ok(())
    }

    #[test]
    fn group_shares_what_one_has_handed_in() -> Result<(), Box<dyn std::error::Error>> {
        let class = ["ann", "bob"].map(|name| submission(name, HandedIn::default()));
        let table = "login,group\nann,A\ncarl,a\nbob,\ndan,B\neve,\n";
        let matched = roster(table)?.matched(&class);
        let logins = |lines: &[RosterLine]| -> Vec<String> {
            lines.iter().map(|line| line.login.clone()).collect()
        };
        assert_eq!(logins(&matched.students["ann"]), ["ann", "carl"]);
        assert_eq!(matched.students["ann"][1].submission, "ann");
        assert_eq!(logins(&matched.students["bob"]), ["bob"]);
        assert_eq!(logins(&matched.absent), ["dan", "eve"]);
        let both = roster("login,group\nann,A\nbob,A\ncarl,A\n")?.matched(&class);
        let [open] = both.open.as_slice() else { panic!("{both:?}") };
        let expected =
            "roster.csv:4: `carl` of the group `A`, fits `ann` and `bob`, and has no grade";
        assert!(open.contains(expected), "{open}");
        assert_eq!((both.students.len(), both.absent.len()), (2, 0));
        Ok(())
    }

    #[test]
    fn nobody_loses_points_by_a_guess() -> Result<(), Box<dyn std::error::Error>> {
        let jane = || fact("Jane Doe", "", "");
        let class = ["Jane Doe 1", "Jane Doe 2"].map(|name| submission(name, jane()));
        let open = |text: &str, class: &[SubmissionFolder]| -> Result<Vec<String>, String> {
            let matched = roster(text)?.matched(class);
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
        let class = [submission("jdoe", HandedIn::default()), submission("Jane Doe", jane())];
        let forged = open("name,login,section\nJane Doe,jdoe,x\n", &class)?;
        assert!(forged.len() == 1 && forged[0].contains("`Jane Doe` and `jdoe`"), "{forged:?}");
        Ok(())
    }

    #[test]
    fn telling_cell_goes_before_one_that_several_fit() -> Result<(), Box<dyn std::error::Error>> {
        let class =
            ["1", "2"].map(|id| submission(&format!("Jane Doe {id}"), fact("Jane Doe", id, "")));
        let matched = roster("name,id\nJane Doe,2\nJane Doe,1\n")?.matched(&class);
        assert_eq!((&matched.open, &matched.unmatched), (&Vec::new(), &Vec::new()));
        assert_eq!(matched.students["Jane Doe 2"][0].id, "2");
        Ok(())
    }

    #[test]
    fn times_are_read() {
        let chicago = TimeZone::get("America/Chicago").expect("a zone");
        let read = |text: &str| time_in(&chicago, text);
        let noon = |text: &str| {
            let time = read(text).expect(text);
            assert_eq!(time.timestamp().to_string(), "2026-11-20T12:00:00Z", "{text}");
            time.offset().to_string()
        };
        for (text, offset) in [
            ("2026-11-20T12:00:00Z", "+00"),
            ("2026-11-20T07:00-05:00", "-05"),
            ("2026-11-20 07:00:00 -0500", "-05"),
            ("2026-11-20T07:00[America/New_York]", "-05"),
            ("2026-11-20 06:00", "-06"),
            ("Friday, 20 November 2026, 06:00 AM", "-06"),
            ("Friday, 20 November 2026, 06:00", "-06"),
            ("Friday, November 20, 2026, 6:00 AM", "-06"),
            ("Friday, November 20, 2026,  6:00\u{202f}AM", "-06"),
            ("Friday, November 20, 2026, 06:00", "-06"),
        ] {
            assert_eq!(noon(text), offset, "{text}");
        }
        let why = read("soon").expect_err("no time");
        assert!(why.contains("found `soon`"), "{why}");
        assert!(read(&"soon".repeat(1_000)).expect_err("no time").len() < 200);
    }
}
