//! What came out of grading, as Gradescope reads it.

use serde::Serialize;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All points.
    Passed,
    /// Fewer.
    Failed,
}

/// A check that was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Test {
    /// What it is called.
    pub name: String,
    /// The points earned.
    pub score: f64,
    /// The points there were.
    pub max_score: f64,
    /// Whether these are the same.
    pub status: Status,
    /// What the student is told.
    pub output: String,
    /// Who may see it.
    pub visibility: &'static str,
}

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leader {
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
pub struct Results {
    /// The points earned.
    pub score: f64,
    /// What is said about the whole.
    pub output: String,
    /// Who may see it.
    pub visibility: &'static str,
    /// The checks.
    pub tests: Vec<Test>,
    /// What is compared with other submissions.
    pub leaderboard: Vec<Leader>,
}

/// Everybody whose submission it is.
pub(super) const VISIBLE: &str = "visible";

/// Points are not counted more finely.
const FRACTION: f64 = 100.0;

impl Test {
    /// A check in which `share` of the points were earned, from 0 to 1.
    pub(super) fn new(name: &str, points: f64, share: f64, output: String) -> Test {
        let score = (share.clamp(0.0, 1.0) * points * FRACTION).round() / FRACTION;
        let status = if share >= 1.0 { Status::Passed } else { Status::Failed };
        let visibility = VISIBLE;
        Test { name: name.to_owned(), score, max_score: points, status, output, visibility }
    }
}

impl Results {
    /// The points that there were.
    #[must_use]
    pub fn max_score(&self) -> f64 {
        self.tests.iter().map(|test| test.max_score).sum()
    }

    /// The text of `results.json`.
    ///
    /// # Errors
    ///
    /// Only if JSON cannot hold it, which does not happen.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
