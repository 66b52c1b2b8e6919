//! Reports as JSON, in the format of Gradescope.

use serde::Serialize;

use super::text::{Reader, build_text, check_text, notes};
use crate::grade::check::Visibility;
use crate::grade::results::{CheckStatus, GradeResults, LeaderboardLine};

/// The message of results without a score, which sends the student to the instructor.
const FAILED: &str = "The autograder has failed. This says nothing of the submission: tell the \
    instructor, who can run it again.";

/// The facts that an autograder adds to the results.
#[derive(Clone, Debug, PartialEq)]
pub struct AutograderFacts {
    /// The time that grading took, in seconds.
    pub execution_time: f64,
    /// The status of the submission's preparation.
    pub status: String,
}

/// The format of a text.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Text,
}

/// The fields of Gradescope's `results.json`.
#[derive(Serialize)]
struct Results<'a> {
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_time: Option<f64>,
    output: String,
    output_format: Format,
    test_output_format: Format,
    test_name_format: Format,
    visibility: Visibility,
    /// The visibility of the autograder's own output, which is for the instructor.
    stdout_visibility: Visibility,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_data: Option<ExtraData<'a>>,
    tests: Vec<Test<'a>>,
    leaderboard: &'a [LeaderboardLine],
}

/// The data for other programs.
#[derive(Serialize)]
struct ExtraData<'a> {
    status: &'a str,
}

#[derive(Serialize)]
struct Test<'a> {
    name: &'a str,
    number: String,
    score: f64,
    max_score: f64,
    status: CheckStatus,
    output: String,
    visibility: Visibility,
}

/// Returns the text of `results.json`, for students. Gradescope shows hidden checks to the
/// instructor alone; because a student may get the file as it is, it has only the points of hidden
/// checks.
#[must_use]
pub fn results_json(results: &GradeResults) -> String {
    json(&fields(results))
}

/// Returns the text of `results.json` with the facts that an autograder adds.
#[must_use]
pub fn autograder_json(results: &GradeResults, facts: &AutograderFacts) -> String {
    let execution_time = Some((facts.execution_time * MILLISECONDS).round() / MILLISECONDS);
    let extra_data = Some(ExtraData { status: &facts.status });
    json(&Results { execution_time, extra_data, ..fields(results) })
}

/// The number of milliseconds in a second.
const MILLISECONDS: f64 = 1e3;

/// Returns the results for an autograder that failed for a reason that is no submission's fault.
#[must_use]
pub fn failed_json() -> String {
    let results = GradeResults { notes: vec![FAILED.to_owned()], ..GradeResults::default() };
    json(&fields(&results))
}

fn fields(results: &GradeResults) -> Results<'_> {
    let reader = Reader::Student;
    let tests = results.checks.iter().enumerate().map(|(index, check)| Test {
        name: &check.name,
        number: (index + 1).to_string(),
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
    Results {
        score: results.score(),
        execution_time: None,
        output: notes(results, reader).join("\n") + &build_text(results),
        output_format: Format::Text,
        test_output_format: Format::Text,
        test_name_format: Format::Text,
        visibility: Visibility::Visible,
        stdout_visibility: Visibility::Hidden,
        extra_data: None,
        tests: tests.collect(),
        leaderboard: &results.leaderboard,
    }
}

fn json(results: &Results<'_>) -> String {
    // Strings, numbers and lists of these always have a JSON text.
    serde_json::to_string_pretty(results).unwrap_or_default() + "\n"
}
