//! The match between the rows of a roster and submissions, and the times of the submissions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use plyground_arena::class_folder::SubmissionFolder;
use plyground_durable::excerpt;
use plyground_host::external::{HandedIn, Platform, Submitter};

use super::reader::{Roster, RosterError, RosterLine, TEST_STUDENT, fold, time_in, words};

/// A roster beside the submissions of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// The students of each submission, by its name: one student, or those of a group.
    pub students: BTreeMap<String, Vec<RosterLine>>,
    /// The students without a submission.
    pub absent: Vec<RosterLine>,
    /// The rows and submissions without a match, and facts that are missing, one line each.
    pub unmatched: Vec<String>,
    /// The rows that may be about several submissions, or share one with others, one line each.
    pub open: Vec<String>,
}

/// The points that a person gave a student, and the comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManualPoints {
    /// The points, if any.
    pub points: Option<f64>,
    /// The comment; may be empty.
    pub comment: String,
}

/// A submission beside the persons who have handed it in.
struct Candidate<'s> {
    submission: &'s SubmissionFolder,
    facts: HandedIn,
    persons: Vec<Submitter>,
    /// The group of the roster that the platform named the submission after, [without blanks](spaceless). Its number
    /// is of the group, or of one of its students.
    group: Option<String>,
}

impl<'s> Candidate<'s> {
    fn all(submissions: &'s [SubmissionFolder], roster: &Roster) -> Vec<Candidate<'s>> {
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in roster.lines().filter(|line| !line.group.is_empty()) {
            groups.entry(letters(&line.group)).or_default().insert(spaceless(&line.group));
        }
        let of = |submission: &'s SubmissionFolder| {
            let facts = submission.prepared.as_ref().map(|it| it.handed_in.clone());
            let facts = facts.unwrap_or_default();
            let persons = facts.persons();
            let own = spaceless(&submission.name);
            let alike = groups.get(&letters(&own)).filter(|_| !persons.is_empty());
            // Canvas leaves signs out, so that two groups may have the same name there.
            let only =
                |names: &BTreeSet<String>| names.first().filter(|_| names.len() == 1).cloned();
            let group = alike.and_then(|names| match facts.platform {
                Some(Platform::Canvas) => only(names),
                None | Some(Platform::Moodle) => names.get(&own).cloned().or_else(|| only(names)),
                Some(_) => None,
            });
            let alone = Candidate { submission, facts, persons, group: None };
            // A group may call itself like a student of another one.
            let is_of = |row: &RosterLine| {
                Some(spaceless(&row.group)) != group && has_name(&row.name, &alone)
            };
            let group = group.clone().filter(|_| !roster.lines().any(is_of));
            Candidate { group, ..alone }
        };
        submissions.iter().map(of).collect()
    }

    /// Returns true if the number in a row is a person's. That of Moodle is of a participant, or of a group.
    fn has_number(&self, row: &RosterLine, person: &Submitter) -> bool {
        let is_plain =
            !matches!(self.platform(), None | Some(Platform::Moodle)) || row.participant.is_empty();
        // The number of the school is that of Gradescope, too.
        let is_school =
            matches!(self.platform(), Some(Platform::Blackboard | Platform::Gradescope));
        self.group.is_none()
            && (is_called(if is_plain { &row.id } else { &row.participant }, &person.id)
                || is_school && is_called(&row.sis_id, &person.id))
    }

    /// Returns true if a row fits by a number of Moodle that may be a group's, because the names have no word in
    /// common.
    fn is_doubtful(&self, row: &RosterLine) -> bool {
        let wanted = words(&row.name);
        let is_shared = |person: &Submitter| {
            let own = words(&person.name);
            own == ["participant"] || own.iter().any(|word| wanted.contains(word))
        };
        let is_numbered = !row.participant.is_empty() || self.platform() == Some(Platform::Moodle);
        let mut persons = self.persons.iter().filter(|it| !it.name.is_empty());
        is_numbered
            && !wanted.is_empty()
            && row.submission.is_empty()
            && persons.any(|it| self.has_number(row, it) && !is_shared(it))
    }

    fn name(&self) -> &'s str {
        &self.submission.name
    }

    fn platform(&self) -> Option<Platform> {
        self.facts.platform
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
                &|it| self.has_number(row, it),
                &|it| is_called(&row.login, &it.login),
                &|it| is_called(&row.email, &it.email),
                &|it| !wanted.is_empty() && words(&it.name) == wanted,
            ],
        )
    }

    /// Returns the rows of several for this submission that are for more students than it has: a person who
    /// took the name of another may be the one whom both rows fit.
    fn contested<'r>(&self, rows: &[&'r (u64, RosterLine)]) -> Vec<&'r (u64, RosterLine)> {
        if self.group.is_some() {
            return Vec::new();
        }
        let claims: Vec<_> = rows.iter().map(|(_, row)| self.claimed(row)).collect();
        let is_in = |part: &[&Submitter], whole: &[&Submitter]| {
            part.iter().all(|person| is_among(whole, person))
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
            _ if self.group.is_some() => self.with_facts(row, &Submitter::default()),
            [only] if self.is_of_group() => self.with_facts(row, only),
            _ => {
                let HandedIn { name, id, login, email, .. } = self.facts.clone();
                self.with_facts(row, &Submitter { name, id, login, email })
            }
        }
    }

    fn with_facts(&self, row: &RosterLine, facts: &Submitter) -> RosterLine {
        let or = |cell: &String, fact: &String| if cell.is_empty() { fact } else { cell }.clone();
        // The numbers of Moodle are of participants, and those of Brightspace are of no use outside of it.
        let none = String::new();
        let (id, participant) = match self.platform() {
            Some(Platform::Moodle) => (&none, &facts.id),
            Some(Platform::Brightspace) => (&none, &none),
            _ => (&facts.id, &none),
        };
        RosterLine {
            submission: self.name().to_owned(),
            name: or(&row.name, &facts.name),
            id: or(&row.id, id),
            participant: or(&row.participant, participant),
            login: or(&row.login, &facts.login),
            email: or(&row.email, &facts.email),
            ..row.clone()
        }
    }

    /// Returns the students of a submission for which no table has a row.
    fn known(&self) -> Vec<RosterLine> {
        let none = RosterLine::default();
        // An older version has not written which facts of a group belong together.
        if self.facts.submitters.len() > 1 {
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
        let all = Candidate::all(submissions, self);
        matched.unmatched.extend(self.unread());
        let has_ids = self.lines().any(|row| !row.id.is_empty());
        if !has_ids && all.iter().any(|it| it.platform() == Some(Platform::Brightspace)) {
            let why = "brightspace.csv: the column `OrgDefinedId` is empty, because the download of Brightspace has \
                only numbers of its own: expected a --roster with that column";
            matched.unmatched.push(why.to_owned());
        }
        let mut rows_of: BTreeMap<&str, Vec<&(u64, RosterLine)>> = BTreeMap::new();
        for numbered in &self.rows {
            let (number, row) = numbered;
            match partners(row, &all).as_slice() {
                [] => without.push(numbered),
                [only] if only.is_doubtful(row) => {
                    let what = "has the number, and another name, of";
                    matched.open.push(self.open(*number, row, what, &[only.name()]));
                }
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
            let is_clear = |row: &&&(u64, RosterLine)| !is_among(&contested, row);
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
                    let said = format!(
                        "{path}:{number}: `{said}` has no submission: 0 points for the checks"
                    );
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
                let is_test =
                    it.platform() == Some(Platform::Canvas) && letters(TEST_STUDENT) == it.name();
                if !self.path.is_empty() && !is_test {
                    let (path, name) = (&self.path, excerpt(it.name()));
                    matched.unmatched.push(format!("{path}: there is no row for `{name}`"));
                }
                let mut known = it.known();
                // A worksheet of Moodle has every participant, so that another number is a group's.
                if self.lines().any(|row| !row.participant.is_empty()) {
                    known.iter_mut().for_each(|line| line.participant.clear());
                }
                matched.students.insert(it.name().to_owned(), known);
            }
        }
        matched
    }

    /// Returns the points that a person gave in this table, by the students of a class as `roster` names them, those
    /// without a submission among them. A row is about one student, or, if it names nothing but a submission, about all
    /// its students.
    ///
    /// # Errors
    ///
    /// Returns the first row that fits no student or several, or that differs from another row for its student.
    pub fn manual(
        &self,
        roster: &Roster,
        submissions: &[SubmissionFolder],
    ) -> Result<BTreeMap<RosterLine, ManualPoints>, RosterError> {
        let Matched { students, absent, .. } = roster.matched(submissions);
        let mut students: Vec<RosterLine> =
            students.into_values().flatten().chain(absent).collect();
        students.sort();
        students.dedup();
        let all = Candidate::all(submissions, roster);
        let mut given: BTreeMap<&RosterLine, (u64, ManualPoints)> = BTreeMap::new();
        let with_points =
            |(_, row): &&(u64, RosterLine)| !(row.points.is_empty() && row.comment.is_empty());
        for (number, row) in self.rows.iter().filter(with_points) {
            let fault = |fault: String| RosterError::Fault {
                path: self.path.clone(),
                line: *number,
                fault,
            };
            let own = ManualPoints { points: row.given(), comment: row.comment.clone() };
            for student in meant(row, &students, &all).map_err(fault)? {
                let (line, known) = given.entry(student).or_insert((*number, own.clone()));
                if *known != own {
                    let who = excerpt(called(student));
                    let why = format!(
                        "line {line} gives `{who}` other points or another comment: expected one row for a \
                         student"
                    );
                    return Err(fault(why));
                }
            }
        }
        Ok(given.into_iter().map(|(student, (_, points))| (student.clone(), points)).collect())
    }

    /// Returns the line about the times of Moodle that cannot be read, if there are any.
    fn unread(&self) -> Option<String> {
        let (path, (number, time)) = (&self.path, self.unread.first()?);
        let (time, more) = (excerpt(time), self.unread.len() - 1);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        Some(format!(
            "{path}:{number}: the time `{time}`{more} cannot be read, and makes no submission late: expected one \
             such as `Friday, November 20, 2026, 11:59 PM`, or a column `submitted`"
        ))
    }

    /// Returns the line about a row that is left open.
    fn open(&self, number: u64, row: &RosterLine, what: &str, names: &[&str]) -> String {
        let (path, shown, names) = (&self.path, excerpt(shown(row)), quoted(names));
        format!(
            "{path}:{number}: `{shown}` {what} {names}, and has no grade: expected a column \
             `submission` that names one"
        )
    }
}

/// Returns the students whom a row of points is about.
///
/// # Errors
///
/// Returns the fault of a row that is about none, or may be about several, without its place.
fn meant<'a>(
    row: &RosterLine,
    students: &'a [RosterLine],
    all: &[Candidate<'_>],
) -> Result<Vec<&'a RosterLine>, String> {
    let said = excerpt(shown(row));
    let of = |submission: &str| -> Vec<&'a RosterLine> {
        called_exactly(submission, students, |it| &it.submission)
    };
    let partners = partners(row, all);
    if let Some(it) = partners.iter().find(|it| it.is_doubtful(row)) {
        let name = excerpt(it.name());
        return Err(format!(
            "`{said}` has the number, and another name, of `{name}`: expected a column `submission`"
        ));
    }
    let beside =
        if row.submission.is_empty() { students.iter().collect() } else { of(&row.submission) };
    let wanted = words(&row.name);
    let cells: [&dyn Fn(&&'a RosterLine) -> bool; 6] = [
        &|it| is_called(&row.id, &it.id),
        &|it| is_called(&row.participant, &it.participant),
        &|it| is_called(&row.sis_id, &it.sis_id),
        &|it| is_called(&row.login, &it.login),
        &|it| is_called(&row.email, &it.email),
        &|it| !wanted.is_empty() && words(&it.name) == wanted,
    ];
    let fits = decided(&beside, &cells);
    // A name may be that of several people.
    let is_sure = |it: &&'a RosterLine| cells[..5].iter().any(|cell| cell(it));
    let several = |names: &[&str]| {
        format!(
            "`{said}` fits {}: expected a column `submission`, or the number, login or address of \
             one student",
            quoted(names)
        )
    };
    match (fits.as_slice(), partners.as_slice()) {
        // The name of a student may be that of another's file.
        ([only], _) if is_sure(only) || partners.iter().all(|it| it.name() == only.submission) => {
            Ok(vec![*only])
        }
        ([], []) => {
            Err(format!("`{said}` is no student of the class: expected a student as in the roster"))
        }
        ([], [only]) => {
            let own = of(only.name());
            let HandedIn { name, id, .. } = &only.facts;
            let is_whole = |it: &RosterLine| is_called(&it.name, name) || is_called(&it.id, id);
            let [_, cells @ ..] = row.facts();
            let is_alone = cells.iter().all(|cell| cell.is_empty()) || is_whole(row);
            let is_one = own.len() == 1 && (!only.is_of_group() || is_whole(own[0]));
            if is_alone || is_one {
                return Ok(own);
            }
            let name = excerpt(only.name());
            Err(format!("`{said}` fits `{name}` and none of its students: expected one of them"))
        }
        ([], partners) => Err(several(&partners.iter().map(|it| it.name()).collect::<Vec<_>>())),
        (fits, partners) => {
            let places = fits.iter().map(|it| it.submission.as_str());
            let mut places: Vec<&str> = places.chain(partners.iter().map(|it| it.name())).collect();
            places.sort_unstable();
            places.dedup();
            let names = fits.iter().map(|it| called(it)).collect();
            Err(several(&if places.len() == 1 { names } else { places }))
        }
    }
}

/// Returns names for a message.
fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", excerpt(name))).collect();
    names.join(" and ")
}

/// Returns the name of a student, or of the submission if the student's name is not known.
fn called(student: &RosterLine) -> &str {
    if student.name.is_empty() { &student.submission } else { &student.name }
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
    row.facts().into_iter().find(|fact| !fact.is_empty()).unwrap_or_default()
}

/// Returns the name of a group without blanks.
fn spaceless(group: &str) -> String {
    fold(group).chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns a name in lowercase, without blanks and signs. Canvas leaves these out.
fn letters(name: &str) -> String {
    fold(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns true if a cell of a row has this word.
fn is_called(cell: &str, word: &str) -> bool {
    !cell.is_empty() && fold(cell) == fold(word)
}

/// Returns those of `all` with this name, by letter if there are some, or else without regard to case and accents.
fn called_exactly<'a, T>(cell: &str, all: &'a [T], name: impl Fn(&T) -> &str) -> Vec<&'a T> {
    let called: Vec<&T> = all.iter().filter(|it| is_called(cell, name(it))).collect();
    let exact: Vec<&T> = called.iter().copied().filter(|it| name(it) == cell).collect();
    if exact.is_empty() { called } else { exact }
}

/// Returns those of `all` that the cells of a row fit, one function for each cell, the cell that tells most
/// first. If a cell fits several, another cell that fits one of them decides. If cells fit different ones, all of
/// these are returned.
fn decided<'a, T>(all: &'a [T], cells: &[&dyn Fn(&T) -> bool]) -> Vec<&'a T> {
    let mut found: Vec<&T> = Vec::new();
    let mut is_open = false;
    for cell in cells {
        let fits: Vec<&T> = all.iter().filter(|it| cell(it)).collect();
        let new: Vec<&T> = fits.iter().copied().filter(|it| !is_among(&found, it)).collect();
        if found.is_empty() || is_open {
            found.extend(new);
        } else if !fits.is_empty() && new.len() == fits.len() {
            is_open = true;
            found.extend(new);
        } else if !fits.is_empty() {
            found.retain(|it| is_among(&fits, it));
        }
    }
    found
}

/// Returns true if this very value, and not an equal one, is among those of a list.
fn is_among<T>(all: &[&T], it: &T) -> bool {
    all.iter().any(|other| std::ptr::eq(*other, it))
}

/// Returns the submissions that a row may be about.
fn partners<'a, 's>(row: &RosterLine, all: &'a [Candidate<'s>]) -> Vec<&'a Candidate<'s>> {
    if !row.submission.is_empty() {
        // A row that names its submission fits no other.
        return called_exactly(&row.submission, all, |it| it.name());
    }
    // The group of a student decides, whatever number its submission has.
    let own = Some(spaceless(&row.group)).filter(|group| !group.is_empty());
    let of_group: Vec<_> = all.iter().filter(|it| it.group.is_some() && it.group == own).collect();
    if !of_group.is_empty() {
        return of_group;
    }
    let any = |it: &Candidate<'_>, fits: &dyn Fn(&Submitter) -> bool| it.persons.iter().any(fits);
    let by_name = |it: &Candidate<'_>| has_name(&row.name, it);
    let mut found = decided(
        all,
        &[
            &|it| any(it, &|person| it.has_number(row, person)),
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
        if is_new && (!is_settled || it.persons.is_empty()) {
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
    let turned = match name.trim().rsplit_once(' ') {
        Some((first, last)) if !name.contains(',') => format!("{last}{first}"),
        _ => name.to_owned(),
    };
    letters(&turned) == fold(candidate.name())
}

/// Returns the time of a submission: the time in the row of the student, or else the latest in the rows of the group
/// `students`, or else the time from the platform or of the newest file. A prepared submission keeps the time of the
/// submitted files, because its own files are newer. Learning platforms tell the time of the course, without its zone,
/// which is `zone`.
pub fn submitted(
    line: &RosterLine,
    students: &[RosterLine],
    submission: &SubmissionFolder,
    zone: &TimeZone,
) -> Option<Timestamp> {
    let read = |time: &str| time_in(zone, time).ok().map(|time| time.timestamp());
    let said = |line: &RosterLine| read(&line.submitted).filter(|_| !line.submitted.is_empty());
    let of_group = || students.iter().filter_map(said).max();
    said(line).or_else(of_group).or_else(|| match &submission.prepared {
        Some(prepared) => read(&prepared.submitted),
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
    use crate::fixtures;
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

    /// Returns a submission of a platform, by the name and the number in the name of its file.
    fn on(platform: Platform, name: &str, id: &str) -> SubmissionFolder {
        let known = if platform == Platform::Canvas { "" } else { name };
        let [known, id] = [known, id].map(str::to_owned);
        let platform = Some(platform);
        submission(name, HandedIn { name: known, id, platform, ..HandedIn::default() })
    }

    /// Returns the name, participant and numbers of the students of a submission.
    fn students(matched: &Matched, submission: &str) -> Vec<[String; 4]> {
        let of = |line: &RosterLine| {
            [&line.name, &line.participant, &line.id, &line.sis_id].map(String::clone)
        };
        matched.students[submission].iter().map(of).collect()
    }

    #[test]
    fn number_of_a_group_is_no_participant() -> Result<(), String> {
        let class = ["41", "42"].map(|id| on(Platform::Moodle, &format!("Group {}", &id[1..]), id));
        let table = "Identifier,Full name,Group\nParticipant 41,Eve Fox,Group 2\n\
            Participant 52,Ann Lee,group 1\nParticipant 53,Bob Ray,Group  1\n\
            Participant 54,Cy Young,Default group\n";
        let matched = roster(table)?.matched(&class);
        assert!(matched.open.is_empty() && matched.absent.len() == 1, "{matched:?}");
        assert_eq!(matched.absent[0].name, "Cy Young");
        assert_eq!(students(&matched, "Group 2"), [["Eve Fox", "41", "", ""]]);
        let of_first = [["Ann Lee", "52", "", ""], ["Bob Ray", "53", "", ""]];
        assert_eq!(students(&matched, "Group 1"), of_first);
        let given = "Identifier,Full name,points\nParticipant 41,Eve Fox,5\n";
        assert_eq!(points(given, table, &class)?, ["Eve Fox 5 "]);
        // Without a column of groups, the name tells that the number may not be the student's.
        let table = "Identifier,Full name\nParticipant 41,Eve Fox\nParticipant 43,Ann Lee\n";
        let matched = roster(table)?.matched(&class);
        let [open] = matched.open.as_slice() else { panic!("{matched:?}") };
        assert!(open.contains(":2: `Eve Fox` has the number, and another name, of `Group 1`"));
        assert_eq!(students(&matched, "Group 1"), [["Group 1", "", "", ""]]);
        assert_eq!(students(&matched, "Group 2"), [["Group 2", "", "", ""]]);
        let why = points(given, "", &class).expect_err("the number of a group");
        assert!(why.contains("`Eve Fox` has the number, and another name, of `Group 1`"), "{why}");
        Ok(())
    }

    #[test]
    fn participant_goes_before_the_number_of_the_school() -> Result<(), String> {
        let class = [["Ann Lee", "301"], ["Bob Ray", "302"], ["LEE, Ann", "305"]]
            .map(|[name, id]| on(Platform::Moodle, name, id));
        let rows = "Participant 301,Ann Lee,10001\nParticipant 302,Bob Ray,301\n\
            Participant 305,Ann LEE,10005\n";
        let matched = roster(&format!("Identifier,Full name,ID number\n{rows}"))?.matched(&class);
        assert!(matched.open.is_empty() && matched.unmatched.is_empty(), "{matched:?}");
        assert_eq!(students(&matched, "Ann Lee"), [["Ann Lee", "301", "", "10001"]]);
        assert_eq!(students(&matched, "Bob Ray"), [["Bob Ray", "302", "", "301"]]);
        assert_eq!(students(&matched, "LEE, Ann"), [["Ann LEE", "305", "", "10005"]]);
        // The gradebook has no participants, and its numbers are others.
        let matched = roster("Full name,ID number\nBob Ray,301\n")?.matched(&class);
        assert_eq!(students(&matched, "Bob Ray"), [["Bob Ray", "302", "", "301"]]);
        let blind = [on(Platform::Moodle, "Participant", "501")];
        let matched = roster("Identifier,Full name\nParticipant 501,Ann Lee\n")?.matched(&blind);
        assert_eq!(students(&matched, "Participant"), [["Ann Lee", "501", "", ""]]);
        Ok(())
    }

    #[test]
    fn groups_of_canvas_find_their_submissions() -> Result<(), String> {
        let class = [("projectgroup1", "201"), ("team 1", "1"), ("studenttest", "9")]
            .map(|(name, id)| on(Platform::Canvas, name, id));
        let table = "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id\n\
            Ann Lee,201,u1,alee,CSE,Project Group 1,41\nBob Ray,202,u2,bray,CSE,Project Group 1,41\n\
            Cy Young,205,u5,cy,CSE,team_1,42\nDan Poe,1,u1,dp,CSE,team_9,49\n";
        let matched = roster(table)?.matched(&class);
        let [absent] = matched.unmatched.as_slice() else { panic!("{matched:?}") };
        assert!(absent.contains(":5: `Dan Poe` has no submission") && matched.open.is_empty());
        let of_first = [["Ann Lee", "", "201", "u1"], ["Bob Ray", "", "202", "u2"]];
        assert_eq!(students(&matched, "projectgroup1"), of_first);
        assert_eq!(students(&matched, "team 1"), [["Cy Young", "", "205", "u5"]]);
        // Two groups that Canvas writes alike decide nothing.
        let class = [on(Platform::Canvas, "team1", "9")];
        let matched = roster("name,group\nAnn Lee,team 1\nBob Ray,team-1\n")?.matched(&class);
        assert_eq!(matched.absent.len(), 2, "{matched:?}");
        // A group calls itself like the student of another one.
        let class = [on(Platform::Canvas, "raybob", "9")];
        let matched = roster("name,id,group\nAnn Lee,8,Ray Bob\nBob Ray,9,B\n")?.matched(&class);
        assert_eq!(matched.absent.len(), 1, "{matched:?}");
        assert_eq!(students(&matched, "raybob")[0][0], "Bob Ray");
        Ok(())
    }

    #[test]
    fn number_of_brightspace_is_no_number_of_the_school() -> Result<(), String> {
        let class = [["Ann Lee", "12"], ["Bob Ray", "13"]]
            .map(|[name, id]| on(Platform::Brightspace, name, id));
        let matched = Roster::default().matched(&class);
        assert_eq!(students(&matched, "Ann Lee"), [["Ann Lee", "", "", ""]]);
        let [why] = matched.unmatched.as_slice() else { panic!("{matched:?}") };
        assert!(why.contains("brightspace.csv: the column `OrgDefinedId` is empty"), "{why}");
        let table = roster("OrgDefinedId,Username,Name\n#12,#al,Ann Lee\n#9,#br,Bob Ray\n")?;
        let matched = table.matched(&class);
        assert_eq!(students(&matched, "Ann Lee"), [["Ann Lee", "", "#12", ""]]);
        assert!(matched.unmatched.is_empty(), "{matched:?}");
        Ok(())
    }

    /// On a disk that tells them apart, both folders are there.
    #[test]
    fn names_that_differ_in_case_are_of_different_submissions() -> Result<(), String> {
        let class = ["Ann", "ann"].map(|name| submission(name, HandedIn::default()));
        let matched = roster("submission,section\nann,x\nAnn,y\n")?.matched(&class);
        assert!(matched.open.is_empty(), "{matched:?}");
        let sections = ["Ann", "ann"].map(|name| &*matched.students[name][0].section);
        assert_eq!(sections, ["y", "x"]);
        let matched = roster("submission,section\nANN,x\n")?.matched(&class[..1]);
        assert_eq!(matched.students["Ann"][0].section, "x");
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

    fn points(table: &str, names: &str, class: &[SubmissionFolder]) -> Result<Vec<String>, String> {
        let folder = fixtures::folder(&[("points.csv", table)]);
        let path = folder.path().join("points.csv");
        let names = if names.is_empty() { Roster::default() } else { roster(names)? };
        let given = Roster::read_points(&path).and_then(|table| table.manual(&names, class));
        let given = given.map_err(|error| {
            let error = error.to_string();
            error.rsplit_once("points.csv:").map_or(error.clone(), |(_, fault)| fault.to_owned())
        })?;
        let said = |(line, given): (RosterLine, ManualPoints)| {
            let points = given.points.map(|points| points.to_string()).unwrap_or_default();
            format!("{} {points} {}", called(&line), given.comment)
        };
        Ok(given.into_iter().map(said).collect())
    }

    #[test]
    fn each_student_of_a_group_has_the_own_points() {
        let two = of_persons(&[["Ann Lee", "001"], ["Bob Ray", "002"]]);
        let class = [two, of_persons(&[["Eve Low", "003"]])];
        let names = "Student,ID\nAnn Lee,001\nBob Ray,002\nEve Low,003\n";
        let old = class.clone().map(|mut it| {
            it.prepared.iter_mut().for_each(|it| it.handed_in.submitters.clear());
            it
        });
        let of = |lines: &[&str]| Ok(lines.iter().map(|&line| line.to_owned()).collect());
        let all =
            "Name,ID,points,comment\nBob Ray,002,3,little\nAnn Lee,001,20,all\nEve Low,003,10,\n";
        let some = "Name,points,comment\nAnn Lee,,see me\nLow Eve,7.5,\n";
        for (table, lines) in [
            (all, &["Ann Lee 20 all", "Bob Ray 3 little", "Eve Low 10 "][..]),
            (some, &["Ann Lee  see me", "Eve Low 7.5 "]),
            ("ID,points\n002,0\n001,-5\n", &["Ann Lee -5 ", "Bob Ray 0 "]),
            ("submission,points\nAnn Lee & Bob Ray,4\n", &["Ann Lee 4 ", "Bob Ray 4 "]),
            ("submission,name,points\nAnn Lee & Bob Ray,Bob Ray,4\n", &["Bob Ray 4 "]),
            // The table of `prepare` with a column more.
            (
                "submission,name,id,points\nAnn Lee & Bob Ray,Ann Lee & Bob Ray,001 & 002,4\n",
                &["Ann Lee 4 ", "Bob Ray 4 "],
            ),
            ("id,points\n001,4\n001,4\n", &["Ann Lee 4 "]),
        ] {
            assert_eq!(points(table, names, &class), of(lines), "{table}");
            assert_eq!(points(table, names, &old), of(lines), "{table}");
            assert_eq!(points(table, "", &class), of(lines), "{table}");
        }
        // Without a list and a roster, a group is one line.
        let table = "name,points\nAnn Lee,4\nBob Ray,4\n";
        assert_eq!(points(table, "", &old), of(&["Ann Lee & Bob Ray 4 "]));
        let table = "name,points\nAnn Lee,4\nBob Ray,5\n";
        let why = points(table, "", &old).expect_err("two rows for one line");
        assert!(why.starts_with("3: line 2 gives `Ann Lee & Bob Ray` other points"), "{why}");
        // A student without a submission may have points for something else.
        let names = format!("{names}Dan Ott,009\n");
        assert_eq!(points("Name,points\nDan Ott,10\n", &names, &class), of(&["Dan Ott 10 "]));
        // A group of the roster alone.
        let class = [submission("ann", HandedIn::default())];
        let names = "login,group\nann,A\ncarl,A\n";
        let lines = ["ann 4 ", "ann 5 "];
        assert_eq!(points("login,points\ncarl,5\nann,4\n", names, &class), of(&lines));
    }

    #[test]
    fn points_that_fit_no_student_are_told() {
        let class =
            [[["Ann Lee", "001"], ["Bob Ray", "002"]], [["Jo Po", "005"], ["Jo Po", "006"]]]
                .map(|persons| of_persons(&persons));
        let names = "name,id\nAnn Lee,001\nJo Po,005\nJo Po,006\nDan Ott,009\n";
        for (table, why) in [
            ("id,points\n001,4\n\n001,5\n", "line 2 gives `Ann Lee` other points or another"),
            ("id,points,comment\n001,4,a\n001,4,b\n", "3: line 2 gives `Ann Lee` other points"),
            (
                "submission,id,points\nAnn Lee & Bob Ray,,4\n,001,5\n",
                "3: line 2 gives `Ann Lee` other points",
            ),
            ("name,points\nBob Ray,4\n", "2: `Bob Ray` fits `Ann Lee & Bob Ray` and none of its"),
            ("name,points\nJo Po,4\n", "2: `Jo Po` fits `Jo Po` and `Jo Po`: expected a column"),
            ("name,points\nMax Fox,4\n", "2: `Max Fox` is no student of the class"),
            ("id,points\n001,1e7\n", "2: expected points from -1000000 to 1000000, found `1e7`"),
            ("id,points\n001,NaN\n", "2: expected points from"),
            ("ID,Points (of)\n001,4\n", "1: expected a column `points`, found `ID`, `Points (of)`"),
        ] {
            let found = points(table, names, &class).expect_err(table);
            assert!(found.contains(why) && found.lines().count() == 1, "{found}");
        }
    }

    #[test]
    fn lateness_is_in_minutes_that_have_begun() {
        let at = |text: &str| -> Timestamp { text.parse().expect(text) };
        for (time, late) in [
            ("2026-11-20T12:00:00Z", None),
            ("2026-11-20T11:00:00Z", None),
            ("2026-11-20T12:00:01Z", Some("1m")),
            ("2026-11-21T15:10:00Z", Some("1day 3h 10m")),
        ] {
            assert_eq!(lateness(at(time), at("2026-11-20T12:00:00Z")).as_deref(), late, "{time}");
        }
    }
}
