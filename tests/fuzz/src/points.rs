//! Points files, and the checks of a game that they are about.

use std::sync::LazyLock;

use plyground_arena::grade::{Check, parse_checks, read_points};

use crate::games::GAMES;
use crate::scratch;
use crate::source::Source;
use crate::told::assert_told;

/// The checks of every game that has some.
static CHECKS: LazyLock<Vec<Vec<Check>>> = LazyLock::new(|| {
    let checks = GAMES.iter().map(|game| parse_checks(game.checks()).expect("checks"));
    checks.filter(|checks| !checks.is_empty()).collect()
});

/// Points are finite and not negative; a fault is told with its place.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.below(CHECKS.len() + 1).checked_sub(1) {
        None => match parse_checks(&source.text()) {
            Ok(checks) => {
                let mut names: Vec<_> = checks.iter().map(|check| &check.name).collect();
                names.sort();
                assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
            }
            // Games come with their checks: what is wrong with these, nobody else reads.
            Err(fault) => assert!(!fault.to_string().is_empty()),
        },
        Some(index) => {
            let mut checks = CHECKS[index].clone();
            match read_points(&scratch::file("points.toml", source.0), &mut checks) {
                Ok(()) => assert!(checks.iter().all(|c| c.points.is_finite() && c.points >= 0.0)),
                Err(fault) => assert_told(&fault),
            }
        }
    }
}
