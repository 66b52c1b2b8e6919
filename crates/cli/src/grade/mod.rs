//! `grade`: whether players do what the assignment asks for.

mod args;
mod checks;
mod class;
mod one;

use plyground_host::SharedGame;

pub use args::GradeArgs;

use crate::failure::Failure;

pub(super) fn run(game: &SharedGame, args: &GradeArgs) -> Result<(), Failure> {
    let checks = checks::checks(game, args)?;
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => class::grade_class(game, &checks, args, class, out),
        _ => one::grade_one(game, &checks, args),
    }
}
