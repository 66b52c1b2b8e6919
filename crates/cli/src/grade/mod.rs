//! `grade`: whether players do what the assignment asks for.

mod args;
mod autograde;
mod autograde_args;
mod autograder_file;
pub(crate) mod checks;
pub(crate) mod class;
mod gradescope;
mod one;

use plyground_arena::grade::select_checks;
use plyground_host::SharedGame;

pub use args::{GradeArgs, GradeCommand, GradeRunArgs, Whom};
pub use autograde_args::{AutogradeArgs, GradescopeArgs};

use crate::failure::Failure;

pub(super) fn run(game: &SharedGame, args: &GradeArgs) -> Result<(), Failure> {
    let args = match (&args.whom.0, &args.command) {
        (_, Some(GradeCommand::Gradescope(args))) => return gradescope::gradescope(game, args),
        (_, Some(GradeCommand::Autograde(args))) => return autograde::autograde(game, args),
        (Some(args), None) => args,
        (None, None) => return Err(Failure::Usage("expected --player".to_owned())),
    };
    let mut checks = checks::checks(game, args.points.as_deref())?;
    if !args.selected.is_empty() {
        let fault = |error| Failure::Usage(format!("--check: {error}"));
        select_checks(&mut checks, &args.selected).map_err(fault)?;
    }
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => class::grade_class(game, &checks, args, class, out),
        _ => one::grade_one(game, &checks, args),
    }
}
