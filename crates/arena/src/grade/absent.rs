//! The results of a player that cannot be graded.

use super::check::{Check, CheckKind};
use super::results::{CheckResult, GradeResults};
use super::session::not_counted;

/// What is said of a check when there is nobody to check.
const ABSENT: &str = "not done: the submission cannot be started";

/// The results of a player that cannot be started, for this reason: no check is made, and those
/// that are for such players have failed.
pub(super) fn grade_absent(exchanges_files: bool, checks: &[Check], why: String) -> GradeResults {
    let (made, skipped): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| match check.kind {
            // Programs that exchange files are never asked what they think of a move.
            CheckKind::AcceptsLegal { .. } | CheckKind::RefusesIllegal { .. } => !exchanges_files,
            CheckKind::FileFormat { .. }
            | CheckKind::PrintsScore { .. }
            | CheckKind::StopsWhenOver { .. } => exchanges_files,
            CheckKind::Sees { .. }
            | CheckKind::Faultless { .. }
            | CheckKind::BeatsRandom { .. }
            | CheckKind::Time { .. } => true,
        });
    let failed =
        |check: &&Check| CheckResult::new(&check.name, check.points, 0.0, ABSENT.to_owned());
    let names: Vec<_> = skipped.iter().map(|check| check.name.as_str()).collect();
    let output = [format!("It cannot be started: {why}"), not_counted(&names)].join("\n");
    let tests = made.iter().map(failed).collect();
    let results = GradeResults::new(tests, output.trim_end().to_owned(), Vec::new());
    GradeResults { not_started: Some(why), ..results }
}
