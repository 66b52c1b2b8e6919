//! The rows of a roster, matched with submissions.

use std::collections::BTreeMap;

use plyground_durable::excerpt;
use plyground_host::external::HandedIn;
use unicode_normalization::UnicodeNormalization;

use super::{Roster, RosterError, RosterLine};
use plyground_arena::submissions::SubmissionFolder;

/// A roster beside the submissions of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// The students of each submission, by its name: one student, or those of a group.
    pub students: BTreeMap<String, Vec<RosterLine>>,
    /// The students without a submission.
    pub absent: Vec<RosterLine>,
    /// The rows and submissions without a match, one line each.
    pub unmatched: Vec<String>,
}

impl Roster {
    /// Finds the submission of every row: by the submission's name if the row has one, or else by
    /// the number, login, address or name of the student. Several rows may share the submission of
    /// a group.
    ///
    /// # Errors
    ///
    /// Returns an error if a row fits several submissions, or if two rows fit a submission that is
    /// not of a group: a wrong guess would cost a student all points.
    pub fn matched(&self, submissions: &[SubmissionFolder]) -> Result<Matched, RosterError> {
        let (mut matched, mut without) = (Matched::default(), Vec::new());
        for (number, row) in &self.rows {
            let fault = |fault: String| RosterError::Fault {
                path: self.path.clone(),
                line: *number,
                fault,
            };
            let found = partners(row, submissions);
            let shown = excerpt(shown(row));
            match found.as_slice() {
                [] => without.push((*number, row)),
                [only] => {
                    let students = matched.students.entry(only.name.clone()).or_default();
                    if !students.is_empty() && !is_of_group(only) {
                        let name = excerpt(&only.name);
                        return Err(fault(format!(
                            "`{shown}` is the second row for the submission `{name}`: expected a \
                             column `submission` that says whose it is"
                        )));
                    }
                    students.push(completed(row, only));
                }
                several => {
                    let names: Vec<_> = several.iter().map(|it| it.name.as_str()).collect();
                    return Err(fault(format!(
                        "`{shown}` fits {}: expected a column `submission` that says which it is",
                        names.join(" and ")
                    )));
                }
            }
        }
        for (number, row) in without {
            let shown = shown(row);
            if let Some(shared) = self.of_group(row, number, &matched)? {
                let partner = submissions.iter().find(|it| it.name == shared);
                let line = partner
                    .map(|partner| RosterLine { submission: partner.name.clone(), ..row.clone() });
                matched.students.entry(shared).or_default().extend(line);
                continue;
            }
            let said = excerpt(shown);
            let path = &self.path;
            let said = format!("{path}:{number}: `{said}` has no submission, and gets 0 points");
            matched.unmatched.push(said);
            matched.absent.push(RosterLine { submission: shown.to_owned(), ..row.clone() });
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
        Ok(matched)
    }
}

impl Roster {
    /// Returns the submission of the row's group, if the group has one.
    ///
    /// # Errors
    ///
    /// Returns an error if the group has handed in several.
    fn of_group(
        &self,
        row: &RosterLine,
        line: u64,
        matched: &Matched,
    ) -> Result<Option<String>, RosterError> {
        let is_of_group = |other: &RosterLine| fold(&other.group) == fold(&row.group);
        let mut found: Vec<&String> = matched
            .students
            .iter()
            .filter(|(_, students)| !row.group.is_empty() && students.iter().any(is_of_group))
            .map(|(name, _)| name)
            .collect();
        found.sort();
        match found.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some((*only).clone())),
            several => {
                let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                let (group, names) = (excerpt(&row.group), names.join(" and "));
                let fault = format!(
                    "the group `{group}` has handed in {names}: expected a column `submission` that \
                     says which it is"
                );
                Err(RosterError::Fault { path: self.path.clone(), line, fault })
            }
        }
    }
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

/// Returns the submissions that a row may be about. A more telling cell goes before a less telling
/// one.
fn partners<'s>(row: &RosterLine, all: &'s [SubmissionFolder]) -> Vec<&'s SubmissionFolder> {
    let is_called = |cell: &str, name: &str| !cell.is_empty() && fold(cell) == fold(name);
    let any = |cell: &str, fact: &str| fact.split(" & ").any(|fact| is_called(cell, fact));
    let by_submission = |it: &SubmissionFolder| is_called(&row.submission, &it.name);
    let by_id = |it: &SubmissionFolder| any(&row.id, &facts(it).id);
    let by_login = |it: &SubmissionFolder| {
        is_called(&row.login, &facts(it).login) || is_called(&row.login, &it.name)
    };
    let by_email = |it: &SubmissionFolder| any(&row.email, &facts(it).email);
    let by_name = |it: &SubmissionFolder| has_name(&row.name, it);
    let by_number =
        |it: &SubmissionFolder| is_called(&row.id, &it.name) || is_called(&row.sis_id, &it.name);
    let levels: [&dyn Fn(&SubmissionFolder) -> bool; 6] =
        [&by_submission, &by_id, &by_login, &by_email, &by_name, &by_number];
    // A row that names its submission fits no other.
    let levels = if row.submission.is_empty() { &levels[..] } else { &levels[..1] };
    let of = |level: &&dyn Fn(&SubmissionFolder) -> bool| -> Vec<&'s SubmissionFolder> {
        all.iter().filter(|it| level(it)).collect()
    };
    levels.iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns true if a submission is from a student of this name. The name matches by its words in
/// any order, or, as Canvas writes it, by the family name and the other names in one word.
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

/// Returns a text in the form for comparisons: without blanks around it, in lowercase, with letters
/// and accents composed.
pub(super) fn fold(text: &str) -> String {
    text.trim().nfc().collect::<String>().to_lowercase()
}
