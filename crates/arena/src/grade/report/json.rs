//! Reports as Gradescope reads them.

use serde::Serialize;

use super::text::{build_text, check_text};
use super::{Reader, notes};
use crate::grade::check::Visibility;
use crate::grade::results::{CheckStatus, GradeResults, LeaderboardLine};

/// The fields of Gradescope's `results.json`.
#[derive(Serialize)]
struct Results<'a> {
    score: f64,
    output: String,
    visibility: Visibility,
    tests: Vec<Test<'a>>,
    leaderboard: &'a [LeaderboardLine],
}

#[derive(Serialize)]
struct Test<'a> {
    name: &'a str,
    score: f64,
    max_score: f64,
    status: CheckStatus,
    output: String,
    visibility: Visibility,
}

/// The text of `results.json`, for students. Gradescope shows hidden checks to the instructor alone;
/// because the file may be handed to a student as it is, no more than their points is in it.
#[must_use]
pub fn results_json(results: &GradeResults) -> String {
    let reader = Reader::Student;
    let tests = results.checks.iter().map(|check| Test {
        name: &check.name,
        score: check.score,
        max_score: check.max_score,
        status: check.status(),
        output: if reader.may_see(check) {
            format!("{}\n{}", check.summary, check_text(check, reader))
        } else {
            String::new()
        },
        visibility: check.visibility,
    });
    let results = Results {
        score: results.score(),
        output: notes(results, reader).join("\n") + &build_text(results),
        visibility: Visibility::Visible,
        tests: tests.collect(),
        leaderboard: &results.leaderboard,
    };
    // Strings, numbers and lists of these always have a JSON text.
    serde_json::to_string_pretty(&results).unwrap_or_default() + "\n"
}
