//! Reports as text.

use std::fmt::Write;

use super::{Reader, closing_lines, finding_lines, reason_lines};
use crate::grade::draw::{DrawnCheck, Task};
use crate::grade::results::{CheckResult, CheckStatus, GradeResults};

/// Returns the results of one player: a line for each check, followed by its requirement and its
/// failures.
#[must_use]
pub fn results_text(name: &str, results: &GradeResults, reader: Reader) -> String {
    let widths = reader.checks(results).map(|check| check.name.chars().count());
    let width = widths.max().unwrap_or(0);
    let mut text = format!("{name}\n\n");
    for check in reader.checks(results) {
        let mark = match check.status() {
            CheckStatus::Passed => "ok  ",
            CheckStatus::Failed => "FAIL",
        };
        let (name, score, max, summary) =
            (&check.name, check.score, check.max_score, &check.summary);
        let line = format!("{mark}  {name:width$}  {score:>6} of {max:>3}  {summary}");
        text += line.trim_end();
        text += "\n";
        for line in check_text(check, reader).lines() {
            text += format!("        {line}").trim_end();
            text += "\n";
        }
    }
    text += "\n";
    for line in closing_lines(results, reader) {
        text += &line;
        text += "\n";
    }
    text + &build_text(results)
}

/// Returns the output of the build for the end of a report, or an empty text.
pub(super) fn build_text(results: &GradeResults) -> String {
    let log = results.build_log.trim_end();
    if log.is_empty() { String::new() } else { format!("\nThe build:\n\n{log}\n") }
}

/// Returns the requirement and the failures of a check.
pub(super) fn check_text(check: &CheckResult, reader: Reader) -> String {
    let mut text = reason_lines(check).join("\n") + "\n";
    for finding in &check.findings {
        text += "\n";
        text += &finding.board;
        for line in finding_lines(check, finding, reader) {
            text += &line;
            text += "\n";
        }
    }
    text
}

/// Returns the instructor's record of the drawn positions: the seed to draw them again, and each
/// position by its moves, with the right moves.
#[must_use]
pub fn answers_text(checks: &[DrawnCheck], seed: u64) -> String {
    let mut text = format!("--seed {seed}\n");
    for DrawnCheck { check, tasks } in checks.iter().filter(|drawn| !drawn.tasks.is_empty()) {
        let _ = writeln!(text, "\n{}", check.name);
        for Task { moves, right, .. } in tasks {
            let words = |moves: &[_]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
            let moves: String = words(moves).join(" ");
            text += &format!("  after {}", if moves.is_empty() { "no moves" } else { &moves });
            if !right.is_empty() {
                text += &format!(": {}", words(right).join(" or "));
            }
            text += "\n";
        }
    }
    text
}
