//! The results of somebody who cannot be graded.

use super::check::{Check, Kind};
use super::results::{Results, Test};
use super::run::{Candidate, not_counted};
use crate::game::Game;

/// What is said of a check when there is nobody to check.
const ABSENT: &str = "not done: the submission cannot be started";

/// The results of a candidate that cannot be started, for this reason: no check is made, and those
/// that are for such players have failed.
pub fn grade_absent<G: Game>(
    candidate: &dyn Candidate<G>,
    checks: &[Check],
    why: String,
) -> Results {
    let exchanges = candidate.exchanges_files();
    let (made, skipped): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| match check.kind {
            // Programs that exchange files are never asked what they think of a move.
            Kind::AcceptsLegal { .. } | Kind::RefusesIllegal { .. } => !exchanges,
            Kind::FileFormat { .. } | Kind::PrintsScore { .. } | Kind::StopsWhenOver { .. } => {
                exchanges
            }
            Kind::Sees { .. }
            | Kind::Faultless { .. }
            | Kind::BeatsRandom { .. }
            | Kind::Time { .. } => true,
        });
    let failed = |check: &&Check| Test::new(&check.name, check.points, 0.0, ABSENT.to_owned());
    let names: Vec<_> = skipped.iter().map(|check| check.name.as_str()).collect();
    let output = [format!("It cannot be started: {why}"), not_counted(&names)].join("\n");
    let tests = made.iter().map(failed).collect();
    let results = Results::new(tests, output.trim_end().to_owned(), Vec::new());
    Results { not_started: Some(why), ..results }
}
