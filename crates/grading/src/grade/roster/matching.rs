//! The match between the rows of a roster and submissions, and the times of the submissions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use plyground_arena::submissions::SubmissionFolder;
use plyground_durable::excerpt;
use plyground_host::external::{HandedIn, Submitter};

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

/// A submission beside the persons who have handed it in.
struct Candidate<'s> {
    submission: &'s SubmissionFolder,
    persons: Vec<Submitter>,
}

impl<'s> Candidate<'s> {
    fn all(submissions: &'s [SubmissionFolder]) -> Vec<Candidate<'s>> {
        let of = |submission| Candidate { submission, persons: facts(submission).persons() };
        submissions.iter().map(of).collect()
    }

    fn name(&self) -> &'s str {
        &self.submission.name
    }

    fn is_of_group(&self) -> bool {
        self.persons.len() > 1
    }

    /// Returns the persons that the cells of a row fit. A row that has only the name of the submission fits none.
    fn claimed(&self, row: &RosterLine) -> Vec<&Submitter> {
        let wanted = words(&row.name);
        decided(
            &self.persons,
            &[
                &|it| is_called(&row.id, &it.id),
                &|it| is_called(&row.login, &it.login),
                &|it| is_called(&row.email, &it.email),
                &|it| !wanted.is_empty() && words(&it.name) == wanted,
            ],
        )
    }

    /// Returns the rows of several for this submission that are for more students than it has: a person who
    /// took the name of another may be the one whom both rows fit.
    fn contested<'r>(&self, rows: &[&'r (u64, RosterLine)]) -> Vec<&'r (u64, RosterLine)> {
        let claims: Vec<_> = rows.iter().map(|(_, row)| self.claimed(row)).collect();
        let is_in = |part: &[&Submitter], whole: &[&Submitter]| {
            part.iter().all(|person| whole.iter().any(|other| std::ptr::eq(*person, *other)))
        };
        let is_contested = |claim: &[&Submitter]| {
            let others = claims.iter().filter(|it| !it.is_empty() && is_in(it, claim));
            others.count() > claim.len()
        };
        let rows = rows
            .iter()
            .zip(&claims)
            .filter(|(_, claim)| !self.is_of_group() || (!claim.is_empty() && is_contested(claim)));
        rows.map(|(row, _)| *row).collect()
    }

    /// Returns the row with the name of the submission. Facts of the student in the download fill the empty cells.
    fn completed(&self, row: &RosterLine) -> RosterLine {
        let claimed = self.claimed(row);
        match claimed.as_slice() {
            [only] if self.is_of_group() => self.with_facts(row, only),
            _ => {
                let HandedIn { name, id, login, email, .. } = facts(self.submission);
                self.with_facts(row, &Submitter { name, id, login, email })
            }
        }
    }

    fn with_facts(&self, row: &RosterLine, facts: &Submitter) -> RosterLine {
        let or = |cell: &String, fact: &String| if cell.is_empty() { fact } else { cell }.clone();
        RosterLine {
            submission: self.name().to_owned(),
            name: or(&row.name, &facts.name),
            id: or(&row.id, &facts.id),
            login: or(&row.login, &facts.login),
            email: or(&row.email, &facts.email),
            ..row.clone()
        }
    }

    /// Returns the students of a submission for which no table has a row.
    fn known(&self) -> Vec<RosterLine> {
        let none = RosterLine::default();
        // An older version has not written which facts of a group belong together.
        if facts(self.submission).submitters.len() > 1 {
            self.persons.iter().map(|person| self.with_facts(&none, person)).collect()
        } else {
            vec![self.completed(&none)]
        }
    }
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
        let all = Candidate::all(submissions);
        let mut rows_of: BTreeMap<&str, Vec<&(u64, RosterLine)>> = BTreeMap::new();
        for numbered in &self.rows {
            let (number, row) = numbered;
            match partners(row, &all).as_slice() {
                [] => without.push(numbered),
                [only] => rows_of.entry(only.name()).or_default().push(numbered),
                several => {
                    let names: Vec<_> = several.iter().map(|it| it.name()).collect();
                    matched.open.push(self.open(*number, row, "fits", &names));
                }
            }
        }
        for it in &all {
            let rows = rows_of.get(it.name()).map_or(&[][..], Vec::as_slice);
            let contested = if rows.len() > 1 { it.contested(rows) } else { Vec::new() };
            for (number, row) in &contested {
                let what = "is one of several rows for";
                matched.open.push(self.open(*number, row, what, &[it.name()]));
            }
            let is_clear =
                |row: &&&(u64, RosterLine)| !contested.iter().any(|it| std::ptr::eq(*it, **row));
            let clear = rows.iter().filter(is_clear).map(|(_, row)| it.completed(row));
            let clear: Vec<RosterLine> = clear.collect();
            if !clear.is_empty() {
                matched.students.insert(it.name().to_owned(), clear);
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
        for it in &all {
            if !matched.students.contains_key(it.name()) {
                if !self.path.is_empty() {
                    let (path, name) = (&self.path, excerpt(it.name()));
                    matched.unmatched.push(format!("{path}: there is no row for `{name}`"));
                }
                matched.students.insert(it.name().to_owned(), it.known());
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

fn facts(submission: &SubmissionFolder) -> HandedIn {
    submission.prepared.as_ref().map(|it| it.handed_in.clone()).unwrap_or_default()
}

/// Returns true if a cell of a row has this word.
fn is_called(cell: &str, word: &str) -> bool {
    !cell.is_empty() && fold(cell) == fold(word)
}

/// Returns those of `all` that the cells of a row fit, one function for each cell, the cell that tells most
/// first. If a cell fits several, another cell that fits one of them decides. If cells fit different ones, all of
/// these are returned.
fn decided<'a, T>(all: &'a [T], cells: &[&dyn Fn(&T) -> bool]) -> Vec<&'a T> {
    let mut found: Vec<&T> = Vec::new();
    let mut is_open = false;
    let is_in = |known: &[&T], it: &T| known.iter().any(|other| std::ptr::eq(*other, it));
    for cell in cells {
        let fits: Vec<&T> = all.iter().filter(|it| cell(it)).collect();
        let new: Vec<&T> = fits.iter().copied().filter(|it| !is_in(&found, it)).collect();
        if found.is_empty() || is_open {
            found.extend(new);
        } else if !fits.is_empty() && new.len() == fits.len() {
            is_open = true;
            found.extend(new);
        } else if !fits.is_empty() {
            found.retain(|it| is_in(&fits, it));
        }
    }
    found
}

/// Returns the submissions that a row may be about.
fn partners<'a, 's>(row: &RosterLine, all: &'a [Candidate<'s>]) -> Vec<&'a Candidate<'s>> {
    if !row.submission.is_empty() {
        // A row that names its submission fits no other.
        return all.iter().filter(|it| is_called(&row.submission, it.name())).collect();
    }
    let any = |it: &Candidate<'_>, fits: &dyn Fn(&Submitter) -> bool| it.persons.iter().any(fits);
    let by_name = |it: &Candidate<'_>| has_name(&row.name, it);
    let mut found = decided(
        all,
        &[
            &|it| any(it, &|person| is_called(&row.id, &person.id)),
            &|it| any(it, &|person| is_called(&row.login, &person.login)),
            &|it| any(it, &|person| is_called(&row.email, &person.email)),
            &by_name,
        ],
    );
    // Students choose the names of folders that no platform has named, so these names decide
    // nothing.
    let is_settled = !found.is_empty();
    let by_folder = |it: &Candidate<'_>| {
        [&row.login, &row.id, &row.sis_id].into_iter().any(|cell| is_called(cell, it.name()))
    };
    for it in all.iter().filter(|it| by_folder(it) || by_name(it)) {
        let is_new = found.iter().all(|known| known.name() != it.name());
        if is_new && !(is_settled && !it.persons.is_empty()) {
            found.push(it);
        }
    }
    found
}

/// Returns true if a submission is from a student of this name. The words of the name may be in any
/// order, or in one word with the family name first, as Canvas writes names.
fn has_name(name: &str, candidate: &Candidate<'_>) -> bool {
    let wanted = words(name);
    if wanted.is_empty() {
        return false;
    }
    let is_it = |other: &str| words(other) == wanted;
    if is_it(candidate.name()) || candidate.persons.iter().any(|person| is_it(&person.name)) {
        return true;
    }
    let letters =
        |text: &str| fold(text).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let turned = match name.trim().rsplit_once(' ') {
        Some((first, last)) if !name.contains(',') => format!("{last}{first}"),
        _ => name.to_owned(),
    };
    letters(&turned) == fold(candidate.name())
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
    use plyground_host::external::AND;

    use super::*;
    use crate::grade::roster::reader::tests::{roster, submission};

    /// Returns a submission of these persons, each with a name and a number.
    fn of_persons(persons: &[[&str; 2]]) -> SubmissionFolder {
        let submitters = persons.iter().map(|[name, id]| Submitter {
            name: (*name).to_owned(),
            id: (*id).to_owned(),
            email: format!("{id}@b.edu"),
            ..Submitter::default()
        });
        let facts = HandedIn { submitters: submitters.collect(), ..HandedIn::default() };
        let joined = |fact: fn(&Submitter) -> &str| {
            facts.submitters.iter().map(fact).collect::<Vec<_>>().join(AND)
        };
        let (name, id) = (joined(|it| &it.name), joined(|it| &it.id));
        submission(&name.clone(), HandedIn { name, id, ..facts })
    }

    #[test]
    fn name_with_the_word_between_names_is_one_person() -> Result<(), String> {
        let class = [of_persons(&[["Eve Low & Ann Lee", "003"]])];
        let table = roster("name,id\nAnn Lee,001\nEve Low,003\n")?;
        let matched = table.matched(&class);
        assert_eq!(matched.students["Eve Low & Ann Lee"][0].name, "Eve Low");
        assert_eq!(matched.students["Eve Low & Ann Lee"].len(), 1);
        assert!(matched.absent.len() == 1 && matched.absent[0].id == "001", "{matched:?}");
        // In a group, a person who takes another's name has two rows; the others have their grade.
        let class = [of_persons(&[["Bob Ray", "002"], ["Ann Lee", "003"]])];
        let table = roster("name,id\nAnn Lee,001\nBob Ray,002\nEve Low,003\n")?;
        let matched = table.matched(&class);
        assert_eq!(matched.students["Bob Ray & Ann Lee"].len(), 1);
        assert_eq!(matched.students["Bob Ray & Ann Lee"][0].email, "002@b.edu");
        assert_eq!(matched.open.len(), 2, "{matched:?}");
        assert!(matched.open[1].contains(":4: `Eve Low` is one of several rows for"));
        Ok(())
    }

    #[test]
    fn students_of_a_group_have_their_own_facts() -> Result<(), String> {
        let class = [of_persons(&[["Ann Lee", "001"], ["Bob Ray", "002"]])];
        let facts = |matched: Matched| -> Vec<[String; 3]> {
            let lines = matched.students.into_values().flatten();
            lines.map(|line| [line.name, line.id, line.email]).collect()
        };
        let own = [["Ann Lee", "001", "001@b.edu"], ["Bob Ray", "002", "002@b.edu"]];
        assert_eq!(facts(Roster::default().matched(&class)), own);
        assert_eq!(facts(roster("name\nAnn Lee\nRay Bob\n")?.matched(&class))[0], own[0]);
        // An older version has written no list.
        let mut class = class;
        class[0].prepared.iter_mut().for_each(|it| it.handed_in.submitters.clear());
        let known = facts(Roster::default().matched(&class));
        assert_eq!(known, [["Ann Lee & Bob Ray", "001 & 002", ""]]);
        let found = facts(roster("name,id\nBob Ray,\nA. Lee,001\n")?.matched(&class));
        assert_eq!(found, [["Bob Ray", "", ""], ["A. Lee", "001", ""]]);
        Ok(())
    }

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
