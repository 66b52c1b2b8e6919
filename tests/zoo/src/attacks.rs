//! Every attack against a cage, as a table.

use std::process::ExitCode;

use plyground_cage::{AttackOutcome, CageLevel, check};

/// Prints what comes of each attack at a level. Fails if one succeeds.
pub fn run(level: &str, build: bool) -> ExitCode {
    let Ok(level) = level.parse::<CageLevel>() else { return ExitCode::from(2) };
    let mut succeeded = 0;
    let result = check(level, None, build, |report| {
        succeeded += u32::from(matches!(report.outcome, AttackOutcome::Succeeded(_)));
        println!("{:<18} {}", report.name, report.outcome);
    });
    match result {
        Ok(()) if succeeded == 0 => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(3)
        }
    }
}
