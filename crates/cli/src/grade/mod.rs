//! `grade`: whether players do what the assignment asks for.

use std::io::{self, Write};

use plyground_arena::seat::check_unattended;
use plyground_durable::output::{check_writable, write_whole};
use plyground_grading::grade::{
    Check, Examinee, Reader, new_checks, results_json, results_text, select_checks,
};
use plyground_host::SharedGame;

use crate::failure::Failure;
use crate::programs::{prepare, prepare_system};
use crate::progress;

pub use args::{
    AutogradeArgs, GradeArgs, GradeCommand, GradeRunArgs, GradescopeArgs, NewChecksArgs, Whom,
};
pub(crate) use args::{checks, grader};

/// The template of the progress line of `new-checks`.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} checks  {msg}";

mod args;
pub(crate) mod class;
mod gradescope;

pub(super) fn run(game: &SharedGame, args: &GradeArgs) -> Result<(), Failure> {
    let args = match (&args.whom.0, &args.command) {
        (_, Some(GradeCommand::Gradescope(args))) => return gradescope::gradescope(game, args),
        (_, Some(GradeCommand::NewChecks(args))) => return begin_checks(game, args),
        (_, Some(GradeCommand::Autograde(args))) => return gradescope::autograde(game, args),
        (Some(args), None) => args,
        (None, None) => return Err(Failure::Usage("expected --player".to_owned())),
    };
    let mut checks = checks(game, args.checks.as_deref(), args.points.as_deref())?;
    if !args.selected.is_empty() {
        let fault = |error| Failure::Usage(format!("--check: {error}"));
        select_checks(&mut checks, &args.selected).map_err(fault)?;
    }
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => class::grade_class(game, &checks, args, class, out),
        _ => grade_one(game, &checks, args),
    }
}

/// Writes a file with checks to begin with. A file that a person may have changed is not overwritten.
fn begin_checks(game: &SharedGame, args: &NewChecksArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let Some(path) = &args.out else {
        write!(out, "{}", begun(game))?;
        return Ok(out.flush()?);
    };
    if path.exists() {
        let fault = format!("{}: expected the name of a new file, found one", path.display());
        return Err(Failure::Usage(fault));
    }
    check_writable(path)?;
    write_whole(path, begun(game))?;
    writeln!(
        out,
        "{}: checks for grade --checks; change them as your assignment asks",
        path.display()
    )?;
    Ok(out.flush()?)
}

/// Returns the checks to begin with. Standard error tells how far the work is.
fn begun(game: &SharedGame) -> String {
    let progress = progress::bar(0, progress::style(PROGRESS));
    let text = new_checks(&**game, &mut |done, all, name| {
        progress.set_length(all as u64);
        progress.set_position(done as u64);
        progress.set_message(name.to_owned());
        if progress.is_hidden() {
            progress::say(format_args!("{} of {all}: {name}", done + 1));
        }
    });
    progress.finish_and_clear();
    text
}

/// The seed of a player that is graded alone: everybody may know its positions.
const PRACTICE: u64 = 1;

fn grade_one(game: &SharedGame, checks: &[Check], args: &GradeRunArgs) -> Result<(), Failure> {
    if args.player.has_folder() || args.player.has_start() {
        let fault = "expected --class, for {folder} and {start} stand for what belongs to a submission; \
            {start:FOLDER} is that of one";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let spec = args.player.at(None)?;
    check_unattended(&**game, &spec)?;
    let programs = args.programs.options();
    match &args.json {
        None => prepare(&**game, &programs, &[&spec], Some(1))?,
        Some(path) => {
            check_writable(path)?;
            // The file is to say why a program cannot be started, too.
            if spec.is_external() {
                prepare_system(&programs)?;
            }
        }
    }
    let grader =
        grader(game, checks, args.programs.options(), args.total, args.seed.unwrap_or(PRACTICE))?;
    let examinee = Examinee { player: args.player.clone(), log: "grade.log".to_owned() };
    let results = grader.grade(&examinee)?;
    if let Some(path) = &args.json {
        write_whole(path, results_json(&results))?;
    }
    let mut out = io::stdout().lock();
    // Whoever can choose the seed can know all of it.
    write!(out, "{}", results_text(&args.player.to_string(), &results, Reader::Instructor))?;
    writeln!(out, "Positions: --seed {}", grader.seed)?;
    Ok(out.flush()?)
}
