//! What came out of grading, as Gradescope reads it.

use serde::Serialize;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// All points.
    Passed,
    /// Fewer.
    Failed,
}

/// A check that was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckResult {
    /// What it is called.
    pub name: String,
    /// The points earned.
    pub score: f64,
    /// The points there were.
    pub max_score: f64,
    /// Whether these are the same.
    pub status: CheckStatus,
    /// What the student is told.
    pub output: String,
    /// Who may see it.
    pub visibility: &'static str,
}

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaderboardLine {
    /// What is compared.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// `asc` where less is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<&'static str>,
}

/// The results of a submission: the fields of Gradescope's `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GradeResults {
    /// The points earned.
    pub score: f64,
    /// What is said about the whole.
    pub output: String,
    /// Who may see it.
    pub visibility: &'static str,
    /// The checks.
    pub tests: Vec<CheckResult>,
    /// What is compared with other submissions.
    pub leaderboard: Vec<LeaderboardLine>,
    /// Why the player could not even be started, if that is so.
    #[serde(skip)]
    pub not_started: Option<String>,
}

/// All whose submission it is.
const VISIBLE: &str = "visible";

/// Points are not counted more finely.
const FRACTION: f64 = 100.0;

impl CheckResult {
    /// A check in which `share` of the points were earned, from 0 to 1.
    pub(super) fn new(name: &str, points: f64, share: f64, output: String) -> CheckResult {
        let score = rounded(share.clamp(0.0, 1.0) * points);
        let status = if share >= 1.0 { CheckStatus::Passed } else { CheckStatus::Failed };
        let visibility = VISIBLE;
        CheckResult { name: name.to_owned(), score, max_score: points, status, output, visibility }
    }
}

/// A number of points. Sums are rounded too: those of decimal fractions are not decimal fractions.
fn rounded(points: f64) -> f64 {
    (points * FRACTION).round() / FRACTION
}

impl GradeResults {
    /// The results of these checks, with something to say about the whole.
    pub(super) fn new(
        tests: Vec<CheckResult>,
        output: String,
        leaderboard: Vec<LeaderboardLine>,
    ) -> GradeResults {
        // The empty sum of floating-point numbers is a negative zero.
        let score = rounded(tests.iter().fold(0.0, |sum, test| sum + test.score));
        GradeResults { score, output, visibility: VISIBLE, tests, leaderboard, not_started: None }
    }

    /// The points that there were.
    #[must_use]
    pub fn max_score(&self) -> f64 {
        rounded(self.tests.iter().fold(0.0, |sum, test| sum + test.max_score))
    }

    /// The text of `results.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of these always have a JSON text.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_numbers_of_points() {
        let test = |points| CheckResult::new("a", points, 1.0, String::new());
        let results = GradeResults::new(vec![test(0.1), test(0.2)], String::new(), Vec::new());
        assert_eq!((results.score, results.max_score()), (0.3, 0.3));
        let none = GradeResults::new(Vec::new(), String::new(), Vec::new());
        assert_eq!(format!("{} of {}", none.score, none.max_score()), "0 of 0");
    }
}
