//! What came out of grading.

use plyground_durable::excerpt;
use serde::{Deserialize, Serialize};

use super::check::{Check, Visibility};
use super::verdict::Graded;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// What it is called.
    pub name: String,
    /// The points earned.
    pub score: f64,
    /// The points there were.
    pub max_score: f64,
    /// Who may see it.
    pub visibility: Visibility,
    /// Whether students are shown the expected moves.
    pub shows_expected: bool,
    /// What was asked.
    pub asks: String,
    /// Why.
    pub why: String,
    /// By which sentence of the assignment.
    pub sentence: String,
    /// How it went, in one line.
    pub summary: String,
    /// What went wrong.
    pub findings: Vec<Finding>,
}

/// Something that went wrong in a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The position as a state file with `/` for the line ends; empty where there is none.
    pub state: String,
    /// The position as people look at it.
    pub board: String,
    /// What is wrong, in lines.
    pub said: String,
    /// What was played, if that was a legal move.
    pub played: Option<String>,
    /// The moves that were expected.
    pub expected: Vec<String>,
    /// The end of what the program printed to standard error.
    pub stderr: String,
}

/// A line of the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaderboardLine {
    /// What is compared.
    pub name: String,
    /// The number.
    pub value: f64,
    /// `asc` where less is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
}

/// The results of a submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradeResults {
    /// The checks.
    pub checks: Vec<CheckResult>,
    /// What is said about the whole, a line each.
    pub notes: Vec<String>,
    /// What is compared with other submissions.
    pub leaderboard: Vec<LeaderboardLine>,
    /// Why the player could not even be started, if that is so.
    pub not_started: Option<String>,
    /// What a person should look at, in a few words each: it may need a judgment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// What its build has printed, if it was built; empty otherwise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build_log: String,
}

/// Points are not counted more finely.
const FRACTION: f64 = 100.0;

impl CheckResult {
    /// A check that was made.
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

    /// Whether all points were earned.
    #[must_use]
    pub fn status(&self) -> CheckStatus {
        if self.score >= self.max_score && (self.max_score > 0.0 || self.findings.is_empty()) {
            CheckStatus::Passed
        } else {
            CheckStatus::Failed
        }
    }
}

/// What is said of the checks that are not for such players.
pub(super) fn not_counted(names: &[&str]) -> Option<String> {
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    Some(format!("Not for players of this kind, and not counted: {names}"))
}

/// A number of points. Sums are rounded too: those of decimal fractions are not decimal fractions.
pub(super) fn rounded(points: f64) -> f64 {
    (points * FRACTION).round() / FRACTION
}

impl GradeResults {
    /// The points earned.
    #[must_use]
    pub fn score(&self) -> f64 {
        // The empty sum of floating-point numbers is a negative zero.
        rounded(self.checks.iter().fold(0.0, |sum, check| sum + check.score))
    }

    /// Refuses points that no check can give: fewer than none, or more than there are.
    ///
    /// # Errors
    ///
    /// The first check with such points.
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

    /// The points that there were.
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
