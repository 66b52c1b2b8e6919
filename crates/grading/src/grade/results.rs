//! The results of grading.

use plyground_durable::excerpt;
use serde::{Deserialize, Serialize};

use super::check::{Check, Visibility};
use super::verdict::Graded;

/// The status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// The check earned all points.
    Passed,
    /// The check earned fewer.
    Failed,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The name of the check.
    pub name: String,
    /// The number of points earned.
    pub score: f64,
    /// The greatest number of points.
    pub max_score: f64,
    /// The readers who may see the result.
    pub visibility: Visibility,
    /// If true, students see the expected moves.
    pub shows_expected: bool,
    /// The description of the requirement.
    pub asks: String,
    /// The reason for the requirement.
    pub why: String,
    /// The sentence of the assignment that states the requirement.
    pub sentence: String,
    /// The outcome, in one line.
    pub summary: String,
    /// The failures.
    pub findings: Vec<Finding>,
}

/// A failure in a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The position as a state file with `/` for the line ends; empty if the finding has no
    /// position.
    pub state: String,
    /// The position as people look at it.
    pub board: String,
    /// The description of the failure, in lines.
    pub said: String,
    /// The move that the player made, if it was legal.
    pub played: Option<String>,
    /// The expected moves.
    pub expected: Vec<String>,
    /// The end of the program's standard error.
    pub stderr: String,
}

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaderboardLine {
    /// The quantity that is compared.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The sort order: `asc` if less is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The results of a submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradeResults {
    /// The results of the checks.
    pub checks: Vec<CheckResult>,
    /// The notes on the whole submission, one line each.
    pub notes: Vec<String>,
    /// The quantities that are compared with those of other submissions.
    pub leaderboard: Vec<LeaderboardLine>,
    /// The reason why the player could not be started, if it could not.
    pub not_started: Option<String>,
    /// The things that may need a person's judgment, in a few words each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// The output of the build; empty if there was no build.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build_log: String,
}

/// The number of parts of a point that are counted.
const FRACTION: f64 = 100.0;

impl CheckResult {
    /// Returns the result of a check that was made.
    pub(super) fn new(check: &Check, graded: Graded) -> CheckResult {
        let Graded { share, summary, findings } = graded;
        CheckResult {
            name: check.name.clone(),
            score: rounded(share.clamp(0.0, 1.0) * check.points),
            max_score: check.points,
            visibility: check.visibility,
            shows_expected: check.expected,
            asks: check.asks.clone(),
            why: check.why.clone(),
            sentence: check.sentence.clone(),
            summary,
            findings,
        }
    }

    /// Returns the status: passed if all points were earned.
    #[must_use]
    pub fn status(&self) -> CheckStatus {
        if self.score >= self.max_score && (self.max_score > 0.0 || self.findings.is_empty()) {
            CheckStatus::Passed
        } else {
            CheckStatus::Failed
        }
    }
}

/// Returns the note that names the checks that do not apply to the player.
pub(super) fn not_counted(names: &[&str]) -> Option<String> {
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    Some(format!("Not for players of this kind, and not counted: {names}"))
}

/// Rounds a number of points. Sums are rounded too, because a sum of decimal fractions is not
/// exact.
pub(super) fn rounded(points: f64) -> f64 {
    (points * FRACTION).round() / FRACTION
}

impl GradeResults {
    /// Returns the sum of the points earned.
    #[must_use]
    pub fn score(&self) -> f64 {
        // The empty sum of floating-point numbers is a negative zero.
        rounded(self.checks.iter().fold(0.0, |sum, check| sum + check.score))
    }

    /// Checks that each score is one that its check can give: from 0 to the greatest number of
    /// points.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first check with an impossible score.
    pub fn check_scores(&self) -> Result<(), String> {
        let is_possible =
            |check: &CheckResult| (0.0..=rounded(check.max_score)).contains(&check.score);
        match self.checks.iter().find(|check| !is_possible(check)) {
            None => Ok(()),
            Some(CheckResult { name, score, max_score, .. }) => {
                let name = excerpt(name);
                Err(format!("`{name}`: expected a score from 0 to {max_score}, found {score}"))
            }
        }
    }

    /// Returns the sum of the greatest numbers of points.
    #[must_use]
    pub fn max_score(&self) -> f64 {
        rounded(self.checks.iter().fold(0.0, |sum, check| sum + check.max_score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_numbers_of_points() {
        let check = |score| CheckResult {
            name: "a".to_owned(),
            score,
            max_score: score,
            visibility: Visibility::Visible,
            shows_expected: false,
            asks: String::new(),
            why: String::new(),
            sentence: String::new(),
            summary: String::new(),
            findings: Vec::new(),
        };
        let of = |checks| GradeResults {
            checks,
            notes: Vec::new(),
            leaderboard: Vec::new(),
            not_started: None,
            marks: Vec::new(),
            build_log: String::new(),
        };
        let results = of(vec![check(0.1), check(0.2)]);
        assert_eq!((results.score(), results.max_score()), (0.3, 0.3));
        let none = of(Vec::new());
        assert_eq!(format!("{} of {}", none.score(), none.max_score()), "0 of 0");
    }
}
