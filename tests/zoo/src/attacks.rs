//! Every attack against a sandbox, as a table.

use std::ops::ControlFlow;
use std::process::ExitCode;

use plyground_sandbox::{AttackCheck, AttackOutcome, SandboxLevel};

/// Prints what comes of each attack at a level. Fails if one succeeds.
pub fn run(level: &str, build: bool) -> ExitCode {
    let Ok(level) = level.parse::<SandboxLevel>() else { return ExitCode::from(2) };
    let mut succeeded = 0;
    let check = AttackCheck { level, supervisor: None, build, stop: None };
    let result = check.run(|report| {
        succeeded += u32::from(matches!(report.outcome, AttackOutcome::Succeeded(_)));
        println!("{:<18} {}", report.name, report.outcome);
        ControlFlow::Continue(())
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
