//! The rule for late submissions, and students who have handed in nothing.

use std::str::FromStr;
use std::time::Duration;

use plyground_durable::excerpt;

use super::check::Players;
use super::draw::DrawnCheck;
use super::results::{CheckResult, GradeResults, not_counted};
use super::verdict::Shares;

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;

/// A rule for late submissions, such as `10% a day, 2 free days`.
///
/// ```
/// # use std::time::Duration;
/// # use plyground_grading::grade::LateRule;
/// let rule: LateRule = "10% a day, 2 free days".parse()?;
/// let days = |days: u64| Duration::from_secs(days * 86_400);
/// assert_eq!(rule.percent(days(2)), 0.0);
/// // A day that has begun counts.
/// assert_eq!(rule.percent(days(3) + Duration::from_secs(60)), 20.0);
/// assert_eq!(rule.percent(days(30)), 100.0);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateRule {
    /// The part of the points that a unit of time costs, in percent.
    percent: f64,
    /// The unit, in seconds.
    unit: u64,
    /// The time that costs nothing, in seconds.
    free: u64,
}

impl LateRule {
    /// Returns the part of the points that this much lateness costs, in percent: at most 100.
    pub fn percent(&self, late: Duration) -> f64 {
        let seconds = late.as_secs() + u64::from(late.subsec_nanos() > 0);
        let units = seconds.saturating_sub(self.free).div_ceil(self.unit);
        (self.percent * units as f64).min(100.0)
    }
}

impl FromStr for LateRule {
    type Err = String;

    fn from_str(text: &str) -> Result<LateRule, String> {
        let wrong = || {
            let found = excerpt(text);
            format!("expected a rule such as `10% a day, 2 free days`, found `{found}`")
        };
        let (cost, free) =
            text.split_once(',').map_or((text, None), |(cost, free)| (cost, Some(free)));
        let (percent, unit) = cost.split_once('%').ok_or_else(wrong)?;
        let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
        let [article, unit] = words(unit).ok_or_else(wrong)?;
        let is_article = ["a", "an", "per", "each", "every"].contains(&article);
        let unit = seconds(unit).filter(|_| is_article).ok_or_else(wrong)?;
        let free = match free {
            None => 0,
            Some(free) => {
                let [count, word, unit] = words(free).ok_or_else(wrong)?;
                let count: u64 = count.parse().map_err(|_| wrong())?;
                let unit = seconds(unit).filter(|_| word == "free").ok_or_else(wrong)?;
                count.checked_mul(unit).ok_or_else(wrong)?
            }
        };
        if !(0.0..=100.0).contains(&percent) {
            return Err(wrong());
        }
        Ok(LateRule { percent, unit, free })
    }
}

/// Splits a text into exactly `N` words.
fn words<const N: usize>(text: &str) -> Option<[&str; N]> {
    text.split_whitespace().collect::<Vec<_>>().try_into().ok()
}

fn seconds(unit: &str) -> Option<u64> {
    match unit {
        "hour" | "hours" => Some(HOUR),
        "day" | "days" => Some(DAY),
        _ => None,
    }
}

/// The summary of each check when the player cannot be started.
const ABSENT: &str = "not done: the submission cannot be started";

/// Returns the results of a player that cannot be started, for the reason `why`. No check is made;
/// all checks that apply to such a player have failed.
pub(super) fn grade_absent(
    exchanges_files: bool,
    checks: &[DrawnCheck],
    why: String,
) -> GradeResults {
    let (made, skipped): (Vec<&DrawnCheck>, Vec<&DrawnCheck>) = checks.iter().partition(|drawn| {
        // Programs that exchange files are never asked what they think of a move.
        let others = if exchanges_files { Players::Judges } else { Players::FileExchange };
        drawn.check.kind.row().players != others
    });
    let failed = |drawn: &&DrawnCheck| {
        CheckResult::new(&drawn.check, Shares::default().graded(0.0, ABSENT.to_owned()))
    };
    let names: Vec<_> = skipped.iter().map(|drawn| drawn.check.name.as_str()).collect();
    let notes = [Some(format!("It cannot be started: {why}")), not_counted(&names)];
    GradeResults {
        checks: made.iter().map(failed).collect(),
        notes: notes.into_iter().flatten().collect(),
        not_started: Some(why),
        ..GradeResults::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let percent = |rule: &str, hours: u64| {
            rule.parse::<LateRule>().expect(rule).percent(Duration::from_secs(hours * HOUR))
        };
        assert_eq!(percent("10% a day", 1), 10.0);
        assert_eq!(percent("2.5 % per hour, 1 free hour", 3), 5.0);
        assert_eq!(percent("100% a day, 1 free day", 24), 0.0);
        for rule in [
            "",
            "10",
            "10% day",
            "10% a year",
            "-1% a day",
            "101% a day",
            "5% a day, 2",
            "5% a day, 2 days",
        ] {
            let error = rule.parse::<LateRule>().expect_err(rule);
            assert!(error.contains("such as `10% a day, 2 free days`"), "{error}");
        }
    }
}
