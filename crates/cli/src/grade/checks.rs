//! The checks of a game, and what grades by them.

use plyground_arena::grade::{Check, Grader, draw_checks, parse_checks, read_points};
use plyground_host::SharedGame;

use super::args::GradeArgs;
use crate::failure::Failure;

/// What grades by these checks, whose positions are drawn by this seed.
pub(super) fn grader(
    game: &SharedGame,
    checks: &[Check],
    args: &GradeArgs,
    seed: u64,
) -> Result<Grader, Failure> {
    let checks = draw_checks(&**game, checks, seed)
        .map_err(|fault| Failure::Run(anyhow::anyhow!("the checks of the game: {fault}")))?;
    Ok(Grader {
        game: SharedGame::clone(game),
        checks,
        programs: args.programs.options(),
        seed,
        total: args.total,
    })
}

/// The checks of the assignment, with what they are worth.
pub(super) fn checks(game: &SharedGame, args: &GradeArgs) -> Result<Vec<Check>, Failure> {
    let mut checks = parse_checks(game.checks())
        .map_err(|fault| Failure::Run(anyhow::anyhow!("the checks of the game: {fault}")))?;
    if checks.is_empty() {
        let fault = format!("{} has no assignment, and so nothing to check", game.name());
        return Err(Failure::Usage(fault));
    }
    if let Some(path) = &args.points {
        read_points(path, &mut checks)?;
    }
    Ok(checks)
}
