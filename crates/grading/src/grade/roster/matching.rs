//! The match between the rows of a roster and submissions, and the times of the submissions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use plyground_arena::submissions::SubmissionFolder;
use plyground_durable::excerpt;
use plyground_host::external::HandedIn;

use super::reader::{Roster, RosterLine, fold, parse_time};

/// A roster beside the submissions of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// The students of each submission, by its name: one student, or those of a group.
    pub students: BTreeMap<String, Vec<RosterLine>>,
    /// The students without a submission.
    pub absent: Vec<RosterLine>,
    /// The rows and submissions without a match, one line each.
    pub unmatched: Vec<String>,
    /// The rows that may be about several submissions, or share one with others, one line each.
    pub open: Vec<String>,
}

impl Roster {
    /// Finds the submission of every row: by the submission's name if the row has one, or else by
    /// the number, login, address or name of the student. Several rows may share the submission of
    /// a group.
    ///
    /// A row that fits several submissions is left open and named, as are several rows that fit the
    /// submission of one student: a wrong guess would cost a student all points.
    pub fn matched(&self, submissions: &[SubmissionFolder]) -> Matched {
        let (mut matched, mut without) = (Matched::default(), Vec::new());
        let mut rows_of: BTreeMap<&str, Vec<&(u64, RosterLine)>> = BTreeMap::new();
        for numbered in &self.rows {
            let (number, row) = numbered;
            match partners(row, submissions).as_slice() {
                [] => without.push(numbered),
                [only] => rows_of.entry(&only.name).or_default().push(numbered),
                several => {
                    let names: Vec<_> = several.iter().map(|it| it.name.as_str()).collect();
                    matched.open.push(self.open(*number, row, "fits", &names));
                }
            }
        }
        for submission in submissions {
            let rows = rows_of.get(submission.name.as_str()).map_or(&[][..], Vec::as_slice);
            if rows.len() > 1 && !is_of_group(submission) {
                for (number, row) in rows {
                    let what = "is one of several rows for";
                    matched.open.push(self.open(*number, row, what, &[&submission.name]));
                }
            } else if !rows.is_empty() {
                let students = rows.iter().map(|(_, row)| completed(row, submission)).collect();
                matched.students.insert(submission.name.clone(), students);
            }
        }
        for (number, row) in without {
            let shown = shown(row);
            let shared = of_group(row, &matched);
            match shared.as_slice() {
                [] => {
                    let said = excerpt(shown);
                    let path = &self.path;
                    let said =
                        format!("{path}:{number}: `{said}` has no submission, and gets 0 points");
                    matched.unmatched.push(said);
                    matched.absent.push(RosterLine { submission: shown.to_owned(), ..row.clone() });
                }
                [only] => {
                    let line = RosterLine { submission: only.clone(), ..row.clone() };
                    matched.students.entry(only.clone()).or_default().push(line);
                }
                several => {
                    let what = format!("of the group `{}`, fits", excerpt(&row.group));
                    let names: Vec<&str> = several.iter().map(String::as_str).collect();
                    matched.open.push(self.open(*number, row, &what, &names));
                }
            }
        }
        for submission in submissions {
            if !matched.students.contains_key(&submission.name) {
                if !self.path.is_empty() {
                    let (path, name) = (&self.path, excerpt(&submission.name));
                    matched.unmatched.push(format!("{path}: there is no row for `{name}`"));
                }
                let line = completed(&RosterLine::default(), submission);
                matched.students.insert(submission.name.clone(), vec![line]);
            }
        }
        matched
    }

    /// Returns the line about a row that is left open.
    fn open(&self, number: u64, row: &RosterLine, what: &str, names: &[&str]) -> String {
        let (path, shown) = (&self.path, excerpt(shown(row)));
        let names: Vec<String> = names.iter().map(|name| format!("`{}`", excerpt(name))).collect();
        let names = names.join(" and ");
        format!(
            "{path}:{number}: `{shown}` {what} {names}, and has no grade: expected a column \
             `submission` that names one"
        )
    }
}

/// Returns the submissions of the row's group.
fn of_group(row: &RosterLine, matched: &Matched) -> Vec<String> {
    let is_of_group = |other: &RosterLine| fold(&other.group) == fold(&row.group);
    let students = matched.students.iter();
    let found = students
        .filter(|(_, students)| !row.group.is_empty() && students.iter().any(is_of_group))
        .map(|(name, _)| name.clone());
    found.collect()
}

/// Returns the word that names a row in messages.
fn shown(row: &RosterLine) -> &str {
    let words = [&row.submission, &row.login, &row.name, &row.id, &row.email];
    words.into_iter().find(|word| !word.is_empty()).map_or("", String::as_str)
}

/// Returns the row with the name of its submission. Facts from the download fill the empty cells.
fn completed(row: &RosterLine, submission: &SubmissionFolder) -> RosterLine {
    let facts = facts(submission);
    let or = |cell: &String, fact: String| if cell.is_empty() { fact } else { cell.clone() };
    RosterLine {
        submission: submission.name.clone(),
        name: or(&row.name, facts.name),
        id: or(&row.id, facts.id),
        login: or(&row.login, facts.login),
        email: or(&row.email, facts.email),
        ..row.clone()
    }
}

fn facts(submission: &SubmissionFolder) -> HandedIn {
    submission.prepared.as_ref().map(|it| it.handed_in.clone()).unwrap_or_default()
}

fn is_of_group(submission: &SubmissionFolder) -> bool {
    facts(submission).name.contains(" & ")
}

/// Returns the submissions that a row may be about. If a cell fits several submissions, another cell
/// that fits one of them decides. Cells that fit different submissions leave the row open.
fn partners<'s>(row: &RosterLine, all: &'s [SubmissionFolder]) -> Vec<&'s SubmissionFolder> {
    let is_called = |cell: &str, name: &str| !cell.is_empty() && fold(cell) == fold(name);
    let any = |cell: &str, fact: &str| fact.split(" & ").any(|fact| is_called(cell, fact));
    if !row.submission.is_empty() {
        // A row that names its submission fits no other.
        return all.iter().filter(|it| is_called(&row.submission, &it.name)).collect();
    }
    let by_id = |it: &SubmissionFolder| any(&row.id, &facts(it).id);
    let by_login = |it: &SubmissionFolder| is_called(&row.login, &facts(it).login);
    let by_email = |it: &SubmissionFolder| any(&row.email, &facts(it).email);
    let by_name = |it: &SubmissionFolder| has_name(&row.name, it);
    let by_folder = |it: &SubmissionFolder| {
        [&row.login, &row.id, &row.sis_id].into_iter().any(|cell| is_called(cell, &it.name))
    };
    let levels: [&dyn Fn(&SubmissionFolder) -> bool; 4] = [&by_id, &by_login, &by_email, &by_name];
    let mut found: Vec<&SubmissionFolder> = Vec::new();
    let mut is_open = false;
    for level in levels {
        let fits: Vec<&SubmissionFolder> = all.iter().filter(|it| level(it)).collect();
        let is_new = |it: &&SubmissionFolder| found.iter().all(|known| known.name != it.name);
        let new: Vec<&SubmissionFolder> = fits.iter().copied().filter(is_new).collect();
        if found.is_empty() || is_open {
            found.extend(new);
        } else if !fits.is_empty() && new.len() == fits.len() {
            is_open = true;
            found.extend(new);
        } else if !fits.is_empty() {
            found.retain(|known| fits.iter().any(|it| it.name == known.name));
        }
    }
    // Students choose the names of folders that no platform has named, so these names decide
    // nothing.
    let is_settled = !found.is_empty();
    for it in all.iter().filter(|it| by_folder(it) || by_name(it)) {
        let is_new = found.iter().all(|known| known.name != it.name);
        if is_new && !(is_settled && has_facts(it)) {
            found.push(it);
        }
    }
    found
}

/// Returns true if the platform identifies the student of a submission.
fn has_facts(submission: &SubmissionFolder) -> bool {
    let HandedIn { name, id, login, email, .. } = facts(submission);
    [name, id, login, email].iter().any(|fact| !fact.is_empty())
}

/// Returns true if a submission is from a student of this name. The words of the name may be in any
/// order, or in one word with the family name first, as Canvas writes names.
fn has_name(name: &str, submission: &SubmissionFolder) -> bool {
    let wanted = words(name);
    if wanted.is_empty() {
        return false;
    }
    let is_it = |other: &str| words(other) == wanted;
    if is_it(&submission.name) || facts(submission).name.split(" & ").any(is_it) {
        return true;
    }
    let letters =
        |text: &str| fold(text).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let turned = match name.trim().rsplit_once(' ') {
        Some((first, last)) if !name.contains(',') => format!("{last}{first}"),
        _ => name.to_owned(),
    };
    letters(&turned) == fold(&submission.name)
}

/// Returns the words of a name, sorted.
fn words(name: &str) -> Vec<String> {
    let folded = fold(name);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort();
    words
}

/// Returns the time of a submission: the time in its row, or else the time from the platform or of
/// the newest file. A prepared submission keeps the time of the submitted files, because its own
/// files are newer.
pub fn submitted(line: &RosterLine, submission: &SubmissionFolder) -> Option<Timestamp> {
    let said = Some(&line.submitted).filter(|time| !time.is_empty());
    said.and_then(|time| parse_time(time).ok()).or_else(|| match &submission.prepared {
        Some(prepared) => parse_time(&prepared.submitted).ok(),
        None => newest(Path::new(&submission.path)).and_then(|time| time.try_into().ok()),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        parse_time(text).expect(text)
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
