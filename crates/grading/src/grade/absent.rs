//! The results of a player that cannot be started.

use super::draw::DrawnCheck;
use super::results::{CheckResult, GradeResults, not_counted};
use super::verdict::Shares;

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
        let kind = &drawn.check.kind;
        // Programs that exchange files are never asked what they think of a move.
        if exchanges_files { !kind.is_about_opinions() } else { !kind.is_about_files() }
    });
    let failed = |drawn: &&DrawnCheck| {
        CheckResult::new(&drawn.check, Shares::default().graded(0.0, ABSENT.to_owned()))
    };
    let names: Vec<_> = skipped.iter().map(|drawn| drawn.check.name.as_str()).collect();
    let notes = [Some(format!("It cannot be started: {why}")), not_counted(&names)];
    GradeResults {
        checks: made.iter().map(failed).collect(),
        notes: notes.into_iter().flatten().collect(),
        leaderboard: Vec::new(),
        not_started: Some(why),
        marks: Vec::new(),
        build_log: String::new(),
    }
}
