//! Tables of a class: for people, and for other programs.

use plyground_durable::csv_text::csv_text;
use plyground_host::external::NOTHING_HANDED_IN;

use crate::grade::draw::DrawnCheck;
use crate::grade::results::{CheckStatus, GradeResults};
use crate::grade::roster::RosterLine;

/// A submission of a class, with its grade.
#[derive(Clone, Debug)]
pub struct ClassLine {
    /// Whose it is.
    pub student: RosterLine,
    /// The grade.
    pub results: GradeResults,
    /// The points before it was graded again, if they were others.
    pub before: Option<f64>,
    /// When it was handed in.
    pub submitted: Option<jiff::Timestamp>,
    /// By how long it is late, if there is a deadline and it is.
    pub late: Option<String>,
    /// If true, there is no submission, and so no page.
    pub is_absent: bool,
}

impl ClassLine {
    /// The name of the submission.
    #[must_use]
    pub fn submission(&self) -> &str {
        &self.student.submission
    }

    /// What went wrong, in one line.
    pub(super) fn failed(&self) -> String {
        // What costs nothing is said in the report alone.
        let counted = self.results.checks.iter().filter(|check| check.max_score > 0.0);
        let failed = counted.filter(|check| check.status() == CheckStatus::Failed);
        let failed: Vec<_> = failed.map(|check| check.name.as_str()).collect();
        match &self.results.not_started {
            Some(why) if why == NOTHING_HANDED_IN => why.clone(),
            Some(why) => format!("all: it cannot be started, {why}"),
            None => failed.join(", "),
        }
    }
}

/// The results of a class for people, a line for each submission.
#[must_use]
pub fn class_text(lines: &[ClassLine]) -> String {
    let width = lines.iter().map(|line| line.submission().chars().count()).chain([10]).max();
    let width = width.unwrap_or_default();
    let mut text = format!("{:width$}   score  of   failed\n", "submission");
    for line in lines {
        let (name, score, max) =
            (line.submission(), line.results.score(), line.results.max_score());
        let before = line.before.map(|before| format!("was {before}"));
        let late = line.late.as_ref().map(|late| format!("{late} late"));
        let notes: Vec<_> = before.into_iter().chain(late).collect();
        let notes =
            if notes.is_empty() { String::new() } else { format!("({}) ", notes.join(", ")) };
        let failed = line.failed();
        text += format!("{name:width$}  {score:>6}  {max:>3}  {notes}{failed}").trim_end();
        text += "\n";
    }
    text
}

/// The results of a class as CSV: a column for each check, empty where it did not apply.
#[must_use]
pub fn class_csv(checks: &[DrawnCheck], lines: &[ClassLine]) -> String {
    let names = checks.iter().map(|drawn| drawn.check.name.clone());
    let header = ["submission", "score", "max_score", "submitted", "late"].map(str::to_owned);
    let rows = lines.iter().map(|line| {
        let of = |drawn: &DrawnCheck| {
            let mut checks = line.results.checks.iter();
            let check = checks.find(|check| check.name == drawn.check.name);
            check.map(|check| check.score.to_string()).unwrap_or_default()
        };
        let cells = [
            line.submission().to_owned(),
            line.results.score().to_string(),
            line.results.max_score().to_string(),
            line.submitted.map(|time| format!("{time:.0}")).unwrap_or_default(),
            line.late.clone().unwrap_or_default(),
        ];
        cells.into_iter().chain(checks.iter().map(of)).collect::<Vec<_>>()
    });
    csv_text([header.into_iter().chain(names).collect()].into_iter().chain(rows))
}

/// The grades as Canvas imports them, in a column of this title.
#[must_use]
pub fn canvas_csv(title: &str, lines: &[ClassLine]) -> String {
    let header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title];
    let most = lines.iter().map(|line| line.results.max_score()).fold(0.0, f64::max);
    let possible = ["    Points Possible", "", "", "", "", &most.to_string()].map(str::to_owned);
    let rows = lines.iter().map(|line| {
        let RosterLine { submission, name, id, sis_id, login, section, .. } = &line.student;
        let name = if name.is_empty() { submission } else { name };
        let cells = [name, id, sis_id, login, section].map(String::clone);
        cells.into_iter().chain([line.results.score().to_string()]).collect()
    });
    let header = header.map(str::to_owned).to_vec();
    csv_text([header, possible.to_vec()].into_iter().chain(rows))
}

/// The grades as Moodle imports them, in a column of this title, with what went wrong.
#[must_use]
pub fn moodle_csv(title: &str, lines: &[ClassLine]) -> String {
    let header = ["Email address", "ID number", "Full name", title, "Feedback comments"];
    let rows = lines.iter().map(|line| {
        let RosterLine { submission, name, id, email, .. } = &line.student;
        let name = if name.is_empty() { submission } else { name };
        let [email, id, name] = [email, id, name].map(String::clone);
        let failed = line.failed();
        let is_said = failed.is_empty() || failed == NOTHING_HANDED_IN;
        let feedback = if is_said { failed } else { format!("failed: {failed}") };
        vec![email, id, name, line.results.score().to_string(), feedback]
    });
    csv_text([header.map(str::to_owned).to_vec()].into_iter().chain(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        let student =
            RosterLine { submission: "=cmd|' /C calc'!A0".to_owned(), ..RosterLine::default() };
        let results = GradeResults {
            checks: Vec::new(),
            notes: Vec::new(),
            leaderboard: Vec::new(),
            not_started: None,
            build_log: String::new(),
        };
        let line = ClassLine {
            student,
            results,
            before: None,
            submitted: None,
            late: None,
            is_absent: false,
        };
        let lines = [line];
        for table in [class_csv(&[], &lines), canvas_csv("=t", &lines), moodle_csv("=t", &lines)] {
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).from_reader(table.as_bytes());
            for record in reader.records() {
                for cell in record.expect("a record").iter() {
                    assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell}");
                }
            }
        }
    }
}
