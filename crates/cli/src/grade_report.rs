//! What `grade` prints and writes.

use plyground_arena::grade::{Check, CheckStatus, GradeResults};
use plyground_host::csv_text::csv_text;

/// The results of one player for people: a line for each check, and what went wrong behind it.
pub(super) fn results_text(name: &str, results: &GradeResults) -> String {
    let width = results.tests.iter().map(|test| test.name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{name}\n\n");
    for test in &results.tests {
        let mark = match test.status {
            CheckStatus::Passed => "ok  ",
            CheckStatus::Failed => "FAIL",
        };
        let first = test.output.lines().next().unwrap_or_default();
        let line = format!(
            "{mark}  {:width$}  {:>6} of {:>3}  {first}",
            test.name, test.score, test.max_score
        );
        text += line.trim_end();
        text += "\n";
        if test.status == CheckStatus::Failed {
            for line in test.output.lines().skip(1) {
                text += format!("        {line}").trim_end();
                text += "\n";
            }
        }
    }
    text += &format!("\nScore: {} of {}\n", results.score, results.max_score());
    if !results.output.is_empty() {
        text += &format!("{}\n", results.output);
    }
    text
}

/// The results of a class for people, a line for each submission.
pub(super) fn class_text(graded: &[(&str, &GradeResults)]) -> String {
    let width = graded.iter().map(|(name, _)| name.chars().count()).chain([10]).max().unwrap_or(0);
    let mut text = format!("{:width$}   score  of   failed\n", "submission");
    for (name, results) in graded {
        let failed = results.tests.iter().filter(|test| test.status == CheckStatus::Failed);
        let failed: Vec<_> = failed.map(|test| test.name.as_str()).collect();
        let failed = match &results.not_started {
            Some(why) => format!("all: it cannot be started, {why}"),
            None => failed.join(", "),
        };
        let line =
            format!("{name:width$}  {:>6}  {:>3}  {}", results.score, results.max_score(), failed);
        text += line.trim_end();
        text += "\n";
    }
    text
}

/// The results of a class as CSV: a column for each check, empty where it did not apply.
pub(super) fn class_csv(checks: &[Check], graded: &[(&str, &GradeResults)]) -> String {
    let names = checks.iter().map(|check| check.name.clone());
    let header = ["submission", "score", "max_score"].map(str::to_owned).into_iter().chain(names);
    let rows = graded.iter().map(|(name, results)| {
        let of = |check: &Check| {
            let test = results.tests.iter().find(|test| test.name == check.name);
            test.map(|test| test.score.to_string()).unwrap_or_default()
        };
        let total =
            [(*name).to_owned(), results.score.to_string(), results.max_score().to_string()];
        total.into_iter().chain(checks.iter().map(of)).collect::<Vec<_>>()
    });
    csv_text([header.collect()].into_iter().chain(rows))
}
