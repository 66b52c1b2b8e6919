//! Reports of a class: tables, for people and for other programs; and a page for a browser.

use std::collections::BTreeSet;

use maud::{Markup, html};
use plyground_durable::shown;
use plyground_durable::text::csv_text;
use plyground_host::HostedGame;
use plyground_host::external::NOTHING_HANDED_IN;

use super::submission::STYLE;
use crate::grade::draw::DrawnCheck;
use crate::grade::results::{CheckStatus, GradeResults, rounded};
use crate::grade::roster::reader::RosterLine;
use crate::html_page;

/// A class with its grades.
#[derive(Clone, Copy, Debug)]
pub struct ClassReport<'a> {
    /// The game.
    pub game: &'a dyn HostedGame,
    /// The seed by which the positions of the checks were drawn.
    pub seed: u64,
    /// The checks.
    pub checks: &'a [DrawnCheck],
    /// The title of the column for learning platforms.
    pub title: &'a str,
    /// The submissions; those of a group once for each student.
    pub lines: &'a [ClassLine],
    /// The names of the submissions that have no grade, or an earlier one alone, each with the reason.
    pub ungraded: &'a [(String, String)],
    /// The name of the file with the page of a submission, in its folder.
    pub page: &'a str,
}

/// Writes the content of a file.
type Content = fn(&ClassReport<'_>) -> String;

/// The files with the tables of a class.
const TABLES: [(&str, Content); 6] = [
    ("grades.csv", |class| class_csv(class.checks, class.lines)),
    ("canvas.csv", |class| canvas_csv(class.title, class.lines)),
    ("moodle.csv", |class| moodle_csv(class.title, class.lines)),
    ("blackboard.csv", |class| blackboard_csv(class.title, class.lines)),
    ("brightspace.csv", |class| brightspace_csv(class.title, class.lines)),
    ("class.html", class_page),
];

impl ClassReport<'_> {
    /// Returns the names of the files, which submissions may not have.
    pub fn names() -> [&'static str; 6] {
        TABLES.map(|(name, _)| name)
    }

    /// Returns the contents of the files, with their names.
    #[must_use]
    pub fn files(&self) -> [(&'static str, String); 6] {
        TABLES.map(|(name, content)| (name, content(self)))
    }
}

/// A submission of a class, with its grade.
#[derive(Clone, Debug, Default)]
pub struct ClassLine {
    /// The student, or one student of the group.
    pub student: RosterLine,
    /// The grade.
    pub results: GradeResults,
    /// The points before the submission was graded again, if they differ.
    pub before: Option<f64>,
    /// The time when the submission was handed in, if known.
    pub submitted: Option<jiff::Timestamp>,
    /// The duration by which the submission is late; `None` if it is not late, or there is no
    /// deadline.
    pub late: Option<String>,
    /// The part of the points that lateness costs, in percent, if there is a rule.
    pub penalty: Option<f64>,
    /// The points that a person gave, if any.
    pub manual: Option<f64>,
    /// The comment of that person.
    pub comment: String,
    /// If true, there is no submission, and therefore no page.
    pub is_absent: bool,
    /// The submissions that share more with this one than chance explains, each with the part
    /// shared.
    pub alike: Vec<String>,
    /// The doubt about the choice of the program among several, if there is one.
    pub doubt: String,
}

impl ClassLine {
    /// Returns the name of the submission.
    #[must_use]
    pub fn submission(&self) -> &str {
        &self.student.submission
    }

    /// Returns the sum of the points of the checks and the points that a person gave.
    #[must_use]
    pub fn total(&self) -> f64 {
        rounded(self.results.score() + self.manual.unwrap_or_default())
    }

    /// Returns the rest of the [total](ClassLine::total) after the penalty for lateness, if there
    /// is a rule.
    #[must_use]
    pub fn after_penalty(&self) -> Option<f64> {
        self.penalty.map(|percent| rounded(self.total() * (1.0 - percent / 100.0)))
    }

    /// Returns the name of the student, or else the fact that tells the student from others of a group.
    fn student_name(&self) -> &str {
        let RosterLine { name, id, participant, sis_id, login, email, .. } = &self.student;
        let facts = [name, id, participant, sis_id, login, email].into_iter();
        facts.map(String::as_str).find(|fact| !fact.is_empty()).unwrap_or_default()
    }

    /// Returns the things that a person should look at, in words.
    pub(super) fn marks(&self) -> Vec<String> {
        let not_started = self.results.not_started.as_ref();
        let before = self.before.map(|before| format!("had {before} before"));
        let alike = (!self.alike.is_empty()).then(|| format!("like {}", self.alike.join(", ")));
        let stuck = self.results.never_moved.as_ref().map(|why| format!("never moved: {why}"));
        // A program that earns points is the right one.
        let is_doubted = self.results.score() == 0.0 && !self.doubt.is_empty();
        let doubt = is_doubted.then(|| self.doubt.clone());
        let marks = self.results.marks.iter().chain(not_started).cloned();
        marks.chain(stuck).chain(doubt).chain(before).chain(alike).collect()
    }

    /// Returns the names of the failed checks, or the reason why nothing was checked, in one line.
    pub(super) fn failed(&self) -> String {
        // A check without points appears only in the report.
        let counted = self.results.checks.iter().filter(|check| check.max_score > 0.0);
        let failed = counted.filter(|check| check.status() == CheckStatus::Failed);
        let failed: Vec<_> = failed.map(|check| check.name.as_str()).collect();
        match &self.results.not_started {
            Some(why) if why == NOTHING_HANDED_IN => why.clone(),
            Some(why) => format!("all: it cannot be started, {why}"),
            None => match &self.results.never_moved {
                Some(why) if self.results.score() == 0.0 => format!("all: it never moved, {why}"),
                _ => failed.join(", "),
            },
        }
    }
}

/// Returns the lines of one student of each group, without those of students that have no submission.
fn submissions(lines: &[ClassLine]) -> impl Iterator<Item = &ClassLine> {
    let mut seen = BTreeSet::new();
    lines.iter().filter(move |line| !line.is_absent && seen.insert(line.submission()))
}

/// Returns the results of a class for people, a line for each submission.
#[must_use]
pub fn class_text(lines: &[ClassLine]) -> String {
    // The name of a student without a submission may be any text, and a terminal would obey some characters.
    let name_of = |line: &ClassLine| shown(line.submission()).into_owned();
    let width = lines.iter().map(|line| name_of(line).chars().count()).chain([10]).max();
    let width = width.unwrap_or_default();
    let mut text = format!("{:width$}   score  of   failed\n", "submission");
    for line in lines {
        let (name, score, max) = (name_of(line), line.results.score(), line.results.max_score());
        let before = line.before.map(|before| format!("was {before}"));
        let late = line.late.as_ref().map(|late| format!("{late} late"));
        let manual = line.manual.map(|points| format!("{points} by hand: {}", line.total()));
        let off = line.penalty.filter(|percent| *percent > 0.0).zip(line.after_penalty());
        let off = off.map(|(percent, left)| format!("{percent} % off: {left}"));
        let notes: Vec<_> = before.into_iter().chain(manual).chain(late).chain(off).collect();
        let notes =
            if notes.is_empty() { String::new() } else { format!("({}) ", notes.join(", ")) };
        let failed = line.failed();
        let row = format!("{name:width$}  {score:>6}  {max:>3}  {notes}{failed}");
        // The students of a group have the same row, unless a person gave one of them points.
        if line.is_absent || text.lines().next_back() != Some(row.trim_end()) {
            text += row.trim_end();
            text += "\n";
        }
    }
    text
}

/// Returns the results of a class as CSV, with a column for each check, empty where the check does
/// not apply, and the things that a person should look at. Points that a person gave and penalties
/// for lateness have columns of their own, if there are any.
fn class_csv(checks: &[DrawnCheck], lines: &[ClassLine]) -> String {
    let (has_manual, has_rule) = (has_manual(lines), has_rule(lines));
    let mut header = vec!["submission", "name", "score", "max_score", "submitted", "late"];
    header.extend(if has_manual { &["manual", "comment", "total"][..] } else { &[] });
    header.extend(if has_rule { &["penalty_percent", "after_penalty"][..] } else { &[] });
    let names = checks.iter().map(|drawn| drawn.check.name.clone()).chain(["marks".to_owned()]);
    let header = header.into_iter().map(str::to_owned);
    let rows = lines.iter().map(|line| {
        let of = |drawn: &DrawnCheck| {
            let mut checks = line.results.checks.iter();
            let check = checks.find(|check| check.name == drawn.check.name);
            check.map(|check| check.score.to_string()).unwrap_or_default()
        };
        let number =
            |points: Option<f64>| points.map(|points| points.to_string()).unwrap_or_default();
        let mut cells = vec![
            line.submission().to_owned(),
            line.student_name().to_owned(),
            line.results.score().to_string(),
            line.results.max_score().to_string(),
            line.submitted.map(|time| format!("{time:.0}")).unwrap_or_default(),
            line.late.clone().unwrap_or_default(),
        ];
        if has_manual {
            cells.extend([number(line.manual), line.comment.clone(), line.total().to_string()]);
        }
        if has_rule {
            cells.extend([number(line.penalty), number(line.after_penalty())]);
        }
        cells.extend(checks.iter().map(of));
        cells.push(line.marks().join("; "));
        cells
    });
    csv_text(header.chain(names), rows)
}

fn has_manual(lines: &[ClassLine]) -> bool {
    lines.iter().any(|line| line.manual.is_some() || !line.comment.is_empty())
}

fn has_rule(lines: &[ClassLine]) -> bool {
    lines.iter().any(|line| line.penalty.is_some())
}

/// Returns the titles of the columns with points in a table for a platform: the points, and, if
/// there is a rule, the points after the penalty.
fn titles(title: &str, lines: &[ClassLine]) -> Vec<String> {
    let left = has_rule(lines).then(|| format!("{title} after late penalty"));
    [title.to_owned()].into_iter().chain(left).collect()
}

/// Returns the cells with points of a row.
fn points(line: &ClassLine) -> Vec<String> {
    [line.total()]
        .into_iter()
        .chain(line.after_penalty())
        .map(|points| points.to_string())
        .collect()
}

/// Returns a table with the columns of `header`, the points, and the columns of `behind`.
fn upload(
    header: &[&str],
    titles: Vec<String>,
    behind: &[&str],
    rows: impl Iterator<Item = (Vec<String>, Vec<String>, Vec<String>)>,
) -> String {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let header = [words(header), titles, words(behind)].concat();
    let rows = rows.map(|(front, points, behind)| [front, points, behind].concat());
    csv_text(header, rows)
}

/// Returns the grades as Canvas imports them, in a column with this title.
fn canvas_csv(title: &str, lines: &[ClassLine]) -> String {
    let header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"];
    let most = lines.iter().map(|line| line.results.max_score()).fold(0.0, f64::max);
    let titles = titles(title, lines);
    let front = ["    Points Possible", "", "", "", ""].map(str::to_owned).to_vec();
    let possible = (front, vec![most.to_string(); titles.len()], Vec::new());
    let rows = lines.iter().map(|line| {
        let RosterLine { id, sis_id, login, section, .. } = &line.student;
        let cells = [line.name(), id, sis_id, login, section].map(str::to_owned);
        (cells.to_vec(), points(line), Vec::new())
    });
    upload(&header, titles, &[], [possible].into_iter().chain(rows))
}

/// Returns the grades as Moodle imports them, in a column with this title, with the failed checks. `ID number` is that
/// of the roster, because Moodle takes any number there for the student with this number.
fn moodle_csv(title: &str, lines: &[ClassLine]) -> String {
    let header = ["Identifier", "Email address", "ID number", "Full name"];
    let rows = lines.iter().map(|line| {
        let RosterLine { participant, sis_id, email, .. } = &line.student;
        let word = if participant.is_empty() { "" } else { "Participant " };
        let identifier = format!("{word}{participant}");
        let cells = [identifier.as_str(), email, sis_id, line.name()].map(str::to_owned);
        (cells.to_vec(), points(line), vec![line.feedback()])
    });
    upload(&header, titles(title, lines), &["Feedback comments"], rows)
}

/// Returns the grades as Blackboard imports them, in a column with this title.
fn blackboard_csv(title: &str, lines: &[ClassLine]) -> String {
    let rows = lines.iter().map(|line| {
        let RosterLine { id, login, .. } = &line.student;
        let (first, last) = line.names();
        (vec![last, first, login.clone(), id.clone()], points(line), vec![line.feedback()])
    });
    let header = ["Last Name", "First Name", "Username", "Student ID"];
    upload(&header, titles(title, lines), &["Feedback to Learner"], rows)
}

/// Returns the grades as Brightspace imports them, in a column with this title.
fn brightspace_csv(title: &str, lines: &[ClassLine]) -> String {
    let titles = titles(title, lines).into_iter().map(|title| format!("{title} Points Grade"));
    // No other cell tells whom a row is about.
    let is_known =
        |line: &&ClassLine| !line.student.id.is_empty() || !line.student.login.is_empty();
    let rows = lines.iter().filter(is_known).map(|line| {
        let RosterLine { id, login, .. } = &line.student;
        (vec![id.clone(), login.clone()], points(line), vec!["#".to_owned()])
    });
    upload(&["OrgDefinedId", "Username"], titles.collect(), &["End-of-Line Indicator"], rows)
}

impl ClassLine {
    /// Returns the student's name, or the name of the submission if the student's name is not
    /// known.
    fn name(&self) -> &str {
        let RosterLine { submission, name, .. } = &self.student;
        if name.is_empty() { submission } else { name }
    }

    /// Returns the student's first names and last name: those of the roster, or else parts of the name.
    fn names(&self) -> (String, String) {
        let RosterLine { first, last, .. } = &self.student;
        let name = self.name().trim();
        if !last.is_empty() {
            let rest = name.strip_suffix(last.as_str()).filter(|_| first.is_empty());
            return (rest.unwrap_or(first).trim().to_owned(), last.clone());
        }
        let (first, last) = match (name.split_once(','), name.rsplit_once(' ')) {
            (Some((last, first)), _) => (first, last),
            (None, Some((first, last))) => (first, last),
            (None, None) => ("", name),
        };
        (first.trim().to_owned(), last.trim().to_owned())
    }

    /// Returns the feedback for the student: the failed checks and a person's comment.
    fn feedback(&self) -> String {
        let failed = self.failed();
        let is_said = failed.is_empty() || failed == NOTHING_HANDED_IN;
        let failed = if is_said { failed } else { format!("failed: {failed}") };
        let parts = [failed.as_str(), self.comment.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ")
    }
}

/// Returns the page of a class, with a link to the page of every submission.
fn class_page(class: &ClassReport<'_>) -> String {
    let ClassReport { game, seed, lines, ungraded, page: file, .. } = *class;
    let has_late = lines.iter().any(|line| line.late.is_some());
    let (has_rule, has_manual) = (has_rule(lines), has_manual(lines));
    let body = html! {
        h1 { (game.title()) ": grades" }
        p { "For the instructor. The positions were drawn with --seed " (seed) "." }
        (distribution(lines))
        (losses(lines))
        (to_look_at(lines, ungraded, file))
        div class="scroll" tabindex="0" role="region" aria-label="Grades" {
            table {
                thead { tr {
                    th scope="col" { "Submission" } th scope="col" { "Name" }
                    th scope="col" { "Score" } th scope="col" { "Of" }
                    @if has_late { th scope="col" { "Late" } }
                    @if has_rule { th scope="col" { "After penalty" } }
                    @if has_manual { th scope="col" { "By hand" } th scope="col" { "Total" } }
                    th scope="col" { "Failed" }
                } }
                tbody { @for line in lines { tr {
                    th scope="row" {
                        @if line.is_absent { (line.submission()) }
                        @else { a href=(link(line.submission(), file)) { (line.submission()) } }
                    }
                    td { (line.student.name) }
                    td class="number" {
                        (line.results.score())
                        @if let Some(before) = line.before { " (was " (before) ")" }
                    }
                    td class="number" { (line.results.max_score()) }
                    @if has_late { td { (line.late.as_deref().unwrap_or_default()) } }
                    @if has_rule { td class="number" { @if let Some(left) = line.after_penalty() { (left) } } }
                    @if has_manual {
                        td class="number" { @if let Some(points) = line.manual { (points) } }
                        td class="number" { (line.total()) }
                    }
                    td { (line.failed()) }
                } } }
            }
        }
    };
    html_page(&format!("{}: grades", game.title()), STYLE, &body)
}

/// The number of equal parts into which scores are grouped.
const PARTS: usize = 10;

/// Returns a table of the number of submissions with scores in each part.
fn distribution(lines: &[ClassLine]) -> Markup {
    let mut counts = [0_usize; PARTS];
    for line in submissions(lines) {
        let part = line.results.score() / line.results.max_score().max(f64::MIN_POSITIVE);
        counts[((part * PARTS as f64) as usize).min(PARTS - 1)] += 1;
    }
    let most = counts.into_iter().max().unwrap_or_default().max(1);
    html! {
        h2 { "Scores" }
        table {
            thead { tr { th scope="col" { "Percent" } th scope="col" { "Submissions" } } }
            tbody { @for (part, count) in counts.iter().enumerate().rev() { tr {
                th scope="row" class="number" { (part * 100 / PARTS) "–" ((part + 1) * 100 / PARTS) }
                td {
                    span class="bar" style={ "width: " (count * 20 * 10 / most / 10) "rem" } {}
                    " " (count)
                }
            } } }
        }
    }
}

/// Returns a table of the checks with lost points, sorted by the points that the class lost, the
/// most first.
fn losses(lines: &[ClassLine]) -> Markup {
    let mut losses: Vec<(&str, usize, f64)> = Vec::new();
    let started = submissions(lines).filter(|line| line.results.not_started.is_none());
    for check in started.flat_map(|line| &line.results.checks) {
        let lost = check.max_score - check.score;
        if lost <= 0.0 {
            continue;
        }
        match losses.iter_mut().find(|(name, ..)| *name == check.name) {
            Some((_, count, points)) => (*count, *points) = (*count + 1, *points + lost),
            None => losses.push((&check.name, 1, lost)),
        }
    }
    losses.sort_by(|one, other| other.2.total_cmp(&one.2));
    html! { @if !losses.is_empty() {
        h2 { "Checks that cost the most points" }
        table {
            thead { tr {
                th scope="col" { "Check" } th scope="col" { "Submissions" }
                th scope="col" { "Points lost by each" }
            } }
            tbody { @for (name, count, points) in losses { tr {
                th scope="row" { (name) }
                td class="number" { (count) }
                td class="number" { (format!("{:.1}", points / count as f64)) }
            } } }
        }
    } }
}

/// Returns a list of the submissions that may need a person's decision.
fn to_look_at(lines: &[ClassLine], ungraded: &[(String, String)], file: &str) -> Markup {
    let marked: Vec<(&ClassLine, Vec<String>)> = submissions(lines)
        .map(|line| (line, line.marks()))
        .filter(|(_, marks)| !marks.is_empty())
        .collect();
    html! {
        @if !marked.is_empty() || !ungraded.is_empty() {
            h2 { "Submissions to look at" }
            ul {
                @for (name, why) in ungraded { li { (shown(name)) ": " (why) } }
                @for (line, marks) in marked { li {
                    a href=(link(line.submission(), file)) { (line.submission()) }
                    (members(lines, line.submission())) ": " (marks.join("; "))
                } }
            }
        }
        h2 { "Grades" }
    }
}

/// Returns the names of the students of a group in parentheses; empty for a submission of one student.
fn members(lines: &[ClassLine], submission: &str) -> String {
    let of_group = lines.iter().filter(|line| !line.is_absent && line.submission() == submission);
    let names: Vec<&str> = of_group.map(ClassLine::student_name).collect();
    if names.len() > 1 { format!(" ({})", names.join(", ")) } else { String::new() }
}

/// Returns the address of a file in the folder of a submission.
fn link(name: &str, file: &str) -> String {
    let encoded = name.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    format!("{}/{file}", encoded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use plyground_durable::text::csv_records;
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::report::submission::tests::results;

    fn page(lines: &[ClassLine], ungraded: &[(String, String)]) -> String {
        let game = &*toy();
        let (checks, title, page) = (&[][..], "HW", "page.html");
        class_page(&ClassReport { game, seed: 1, checks, title, lines, ungraded, page })
    }

    /// Returns the line of a submission with this score in its only check.
    fn graded(submission: &str, score: f64) -> ClassLine {
        let mut results = results();
        results.checks.truncate(1);
        results.checks[0].score = score;
        let student = RosterLine { submission: submission.to_owned(), ..RosterLine::default() };
        ClassLine { student, results, ..ClassLine::default() }
    }

    #[test]
    fn what_a_person_gave_and_a_rule_stand_beside_the_points() {
        let [submission, name, login, id, participant] =
            ["ann", "Lee, Ann", "alee", "7", "301"].map(str::to_owned);
        let facts = RosterLine { id, participant, ..RosterLine::default() };
        let line = ClassLine {
            student: RosterLine { submission, name, login, ..facts },
            late: Some("1day".to_owned()),
            penalty: Some(10.0),
            manual: Some(20.0),
            comment: "good report".to_owned(),
            ..ClassLine::default()
        };
        let lines = [line];
        let header = "submission,name,score,max_score,submitted,late,manual,comment,total,penalty_percent,\
            after_penalty,marks\n";
        let row = "ann,\"Lee, Ann\",0,0,,1day,20,good report,20,10,18,\n";
        assert_eq!(class_csv(&[], &lines), format!("{header}{row}"));
        assert!(class_text(&lines).contains("(20 by hand: 20, 1day late, 10 % off: 18)"));
        let canvas = canvas_csv("HW", &lines);
        assert!(canvas.contains(",HW,HW after late penalty\n") && canvas.ends_with(",20,18\n"));
        let moodle = moodle_csv("HW", &lines);
        assert!(moodle.starts_with("Identifier,Email address,ID number,Full name,HW,"), "{moodle}");
        assert!(moodle.contains("\nParticipant 301,,,\"Lee, Ann\",20,18,"), "{moodle}");
        let blackboard = blackboard_csv("HW", &lines);
        assert!(blackboard.ends_with("Feedback to Learner\nLee,Ann,alee,7,20,18,good report\n"));
        let brightspace = brightspace_csv("HW", &lines);
        assert!(brightspace.ends_with(",End-of-Line Indicator\n7,alee,20,18,#\n"), "{brightspace}");
        // No platform can match a row without a key to a student.
        assert_eq!(brightspace_csv("HW", &[ClassLine::default()]).lines().count(), 1);
    }

    #[test]
    fn last_name_may_have_several_words() {
        let [name, first, last] = ["Ana de Lee", "Ana", "de Lee"].map(str::to_owned);
        let student = RosterLine { name, first, last, ..RosterLine::default() };
        let lines = [ClassLine { student, ..ClassLine::default() }];
        let table = blackboard_csv("HW", &lines);
        assert!(table.ends_with("Feedback to Learner\nde Lee,Ana,,,0,\n"), "{table}");
    }

    #[test]
    fn no_cell_is_a_formula() {
        let submission = "=cmd|' /C calc'!A0".to_owned();
        let student = RosterLine { submission, ..RosterLine::default() };
        let lines = [ClassLine { student, ..ClassLine::default() }];
        let makers = [canvas_csv, moodle_csv, blackboard_csv, brightspace_csv];
        let tables = makers.map(|make| make("=t", &lines));
        for table in [class_csv(&[], &lines)].into_iter().chain(tables) {
            for record in csv_records(&table, b',').expect("a table") {
                let is_formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']);
                assert!(!record.iter().any(is_formula), "{record:?}");
            }
        }
    }

    #[test]
    fn page_of_a_class_shows_where_to_look() {
        let mut lines = [("ann", 1.0), ("bob", 2.0), ("dan", 2.0)].map(|it| graded(it.0, it.1));
        lines[0].results.marks = vec!["made again".to_owned()];
        lines[1].alike = vec!["<carl> (90 %)".to_owned()];
        let ungraded = [("eve".to_owned(), "not graded yet".to_owned())];
        let page = page(&lines, &ungraded);
        for part in [
            ">90–100</th><td><span class=\"bar\" style=\"width: 20rem\"></span> 2<",
            ">50–60</th><td><span class=\"bar\" style=\"width: 10rem\"></span> 1<",
            "<th scope=\"row\">a check</th><td class=\"number\">1</td><td class=\"number\">1.0<",
            "<a href=\"ann/page.html\">ann</a>: made again",
            "bob</a>: like &lt;carl&gt; (90 %)",
            "<li>eve: not graded yet</li>",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("dan</a>: ") && !page.contains("By hand"), "{page}");
        let csv = class_csv(&[], &lines);
        assert!(csv.starts_with("submission,name,score,max_score,submitted,late,marks\n"), "{csv}");
        assert!(csv.contains("\nann,,1,2,,,made again\n"), "{csv}");
    }

    #[test]
    fn student_without_a_submission_is_told_in_the_tables() {
        let student = RosterLine { submission: "ann".to_owned(), ..RosterLine::default() };
        let not_started = Some(NOTHING_HANDED_IN.to_owned());
        let results = GradeResults { not_started, ..GradeResults::default() };
        let lines = [ClassLine { student, results, is_absent: true, ..ClassLine::default() }];
        let csv = class_csv(&[], &lines);
        assert!(csv.ends_with("\nann,,0,0,,,nothing handed in\n"), "{csv}");
        for table in [moodle_csv("HW", &lines), blackboard_csv("HW", &lines)] {
            assert!(table.ends_with(",0,nothing handed in\n"), "{table}");
        }
        // It is no submission to look at.
        let page = page(&lines, &[]);
        assert!(!page.contains("Submissions to look at"), "{page}");
    }

    #[test]
    fn students_of_a_group_have_rows_of_their_own() {
        let line = |name: &str, login: &str| {
            let [submission, name, login] = ["ann", name, login].map(str::to_owned);
            let student = RosterLine { submission, name, login, ..RosterLine::default() };
            ClassLine { student, ..ClassLine::default() }
        };
        let csv = class_csv(&[], &[line("Ann Lee", "alee"), line("", "bray")]);
        assert!(csv.ends_with("\nann,Ann Lee,0,0,,,\nann,bray,0,0,,,\n"), "{csv}");
    }

    #[test]
    fn group_is_one_submission() {
        let line = |submission: &str, name: &str, score: f64| {
            let mut line = graded(submission, score);
            line.student.name = name.to_owned();
            line.results.marks = vec!["made again".to_owned()];
            line
        };
        let absent = ClassLine { is_absent: true, ..line("eve", "Eve", 0.0) };
        let mut lines = [line("ab", "Ann", 1.0), line("ab", "Bob", 1.0), absent];
        let html = page(&lines, &[]);
        for part in [
            ">50–60</th><td><span class=\"bar\" style=\"width: 20rem\"></span> 1<",
            ">0–10</th><td><span class=\"bar\" style=\"width: 0rem\"></span> 0<",
            "<th scope=\"row\">a check</th><td class=\"number\">1</td>",
            "<li><a href=\"ab/page.html\">ab</a> (Ann, Bob): made again</li></ul>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert_eq!(html.matches("made again").count(), 1, "{html}");
        assert_eq!(class_text(&lines).matches("\nab ").count(), 1);
        lines[1].manual = Some(5.0);
        assert_eq!(class_text(&lines).matches("\nab ").count(), 2);
    }

    #[test]
    fn player_that_never_moves_fails_all_checks_for_one_reason() {
        let mut line = graded("ann", 0.0);
        line.results.never_moved = Some("crash: no board".to_owned());
        assert_eq!(line.failed(), "all: it never moved, crash: no board");
        assert_eq!(line.marks(), ["never moved: crash: no board"]);
    }

    #[test]
    fn names_are_addresses() {
        assert_eq!(link("ann lee/#1", "page.html"), "ann%20lee%2F%231/page.html");
    }
}
