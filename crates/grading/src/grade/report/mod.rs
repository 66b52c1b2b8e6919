//! Reports about a grade.

mod json;
mod page;
mod tables;
mod text;

pub use json::{AutograderFacts, autograder_json, failed_json, results_json};
pub use page::{class_page, results_page};
pub use tables::{
    ClassLine, blackboard_csv, brightspace_csv, canvas_csv, class_csv, class_text, moodle_csv,
};
pub use text::{answers_text, results_text};

use super::check::Visibility;
use super::results::{CheckResult, Finding, GradeResults};

/// The reader of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A student who handed the submission in. The report omits hidden checks, and has expected
    /// moves only if the check allows it.
    Student,
    /// An instructor. The report has everything.
    Instructor,
}

impl Reader {
    /// Returns the checks that the reader may see.
    fn checks(self, results: &GradeResults) -> impl Iterator<Item = &CheckResult> {
        results.checks.iter().filter(move |check| self.may_see(check))
    }

    fn may_see(self, check: &CheckResult) -> bool {
        self == Reader::Instructor || check.visibility != Visibility::Hidden
    }

    /// Returns the expected moves of a finding, if the reader may see them.
    fn expected(self, check: &CheckResult, finding: &Finding) -> Option<String> {
        let may_see = self == Reader::Instructor || check.shows_expected;
        (may_see && !finding.expected.is_empty()).then(|| finding.expected.join(" or "))
    }
}

/// Returns the lines at the end of a report: the score and the notes.
fn closing_lines(results: &GradeResults, reader: Reader) -> Vec<String> {
    let score = format!("Score: {} of {}", results.score(), results.max_score());
    [score].into_iter().chain(notes(results, reader)).collect()
}

/// Returns the notes on the whole submission.
fn notes(results: &GradeResults, reader: Reader) -> Vec<String> {
    let mut lines = results.notes.clone();
    match results.checks.iter().filter(|check| !reader.may_see(check)).count() {
        0 => {}
        1 => lines.push("One check is not shown here; the score counts it.".to_owned()),
        hidden => {
            lines.push(format!("{hidden} checks are not shown here; the score counts them."));
        }
    }
    lines
}

/// Returns the text of a finding without its board, in lines.
fn finding_lines(check: &CheckResult, finding: &Finding, reader: Reader) -> Vec<String> {
    let mut lines: Vec<String> = finding.said.lines().map(str::to_owned).collect();
    let expected = reader.expected(check, finding).map(|moves| format!("expected: {moves}"));
    let played = finding.played.as_ref().map(|mv| format!("played: {mv}"));
    let moves: Vec<_> = expected.into_iter().chain(played).collect();
    if !moves.is_empty() {
        lines.push(moves.join("; "));
    }
    if !finding.stderr.is_empty() {
        lines.push("standard error ends:".to_owned());
        lines.extend(finding.stderr.lines().map(|line| format!("  {line}")));
    }
    lines
}

/// Returns the reasons for a check, in lines.
fn reason_lines(check: &CheckResult) -> [String; 3] {
    [
        format!("asked: {}", check.asks),
        format!("why: {}", check.why),
        format!("assignment: \"{}\"", check.sentence),
    ]
}
