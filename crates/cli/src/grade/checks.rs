//! The checks of a game, and what grades by them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plyground_arena::grade::{Check, Grader, draw_checks, parse_checks, read_points};
use plyground_arena::programs::ProgramOptions;
use plyground_host::SharedGame;

use crate::failure::Failure;

/// Returns the grader by these checks, whose positions are drawn by this seed.
pub(crate) fn grader(
    game: &SharedGame,
    checks: &[Check],
    programs: ProgramOptions,
    total: Duration,
    seed: u64,
) -> Result<Grader, Failure> {
    let checks = draw_checks(&**game, checks, seed)
        .map_err(|fault| Failure::Run(anyhow::anyhow!("the checks of the game: {fault}")))?;
    Ok(Grader {
        game: SharedGame::clone(game),
        checks,
        programs,
        seed,
        total,
        gate: Arc::default(),
    })
}

/// The checks of the assignment, with what they are worth.
pub(crate) fn checks(game: &SharedGame, points: Option<&Path>) -> Result<Vec<Check>, Failure> {
    let mut checks = parse_checks(game.checks())
        .map_err(|fault| Failure::Run(anyhow::anyhow!("the checks of the game: {fault}")))?;
    if checks.is_empty() {
        let fault = format!("{} has no assignment, and so nothing to check", game.name());
        return Err(Failure::Usage(fault));
    }
    if let Some(path) = points {
        read_points(path, &mut checks)?;
    }
    Ok(checks)
}
