//! `grade`: whether players do what the assignment asks for.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use plyground_arena::grade::{Check, Examinee, GradeResults, Grader, parse_checks, read_points};
use plyground_arena::seat::check_unattended;
use plyground_arena::submissions::{check_outside, submissions};
use plyground_arena::template::PlayerTemplate;
use plyground_cage::{CageLevel, parse_duration, whole_number};
use plyground_host::SharedGame;
use plyground_host::output::{check_writable, make_folder, write_whole};

use super::failure::Failure;
use super::grade_report::{class_csv, class_text, results_text};
use super::programs::{ProgramArgs, prepare, prepare_system};
use super::progress;

/// What the progress line shows.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} submissions  {eta_precise} left";

/// The file with the points of a class.
const GRADES: &str = "grades.csv";

/// The arguments of `grade`.
#[derive(Clone, Debug, Args)]
pub struct GradeArgs {
    /// The player, with {depth} for the number of moves that a check wants it to look ahead, and,
    /// with --class, {folder} for the folder of a submission
    #[arg(long, value_name = "PLAYER")]
    pub player: PlayerTemplate,

    /// Grade every folder in this folder
    #[arg(long, value_name = "FOLDER", requires = "out")]
    pub class: Option<PathBuf>,

    /// Write the results of a class into this folder: NAME/results.json and grades.csv; it is made
    /// if there is none
    #[arg(long, value_name = "FOLDER", requires = "class")]
    pub out: Option<PathBuf>,

    /// Write the results of one player into this file, as Gradescope reads them
    #[arg(long, value_name = "results.json", conflicts_with = "class")]
    pub json: Option<PathBuf>,

    /// Take what checks are worth from this file, - for standard input; 0 leaves a check out
    #[arg(long, value_name = "FILE.toml")]
    pub points: Option<PathBuf>,

    /// The time for all checks of a submission; what is not done by then has failed
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub total: Duration,

    /// Let chance in games depend on this number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number(0..=u64::MAX))]
    pub seed: u64,

    /// How many submissions to grade at a time, each on a processor core of its own: as many as
    /// there are cores, at most
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    pub jobs: NonZeroUsize,

    /// How to treat other people's programs.
    #[command(flatten)]
    pub programs: ProgramArgs,
}

pub(super) fn run(game: &SharedGame, args: &GradeArgs) -> Result<(), Failure> {
    let grader = Grader {
        game: SharedGame::clone(game),
        checks: checks(game, args)?,
        programs: args.programs.options(),
        seed: args.seed,
        total: args.total,
    };
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => grade_class(&grader, args, class, out),
        _ => grade_one(&grader, args),
    }
}

/// The checks of the assignment, with what they are worth.
fn checks(game: &SharedGame, args: &GradeArgs) -> Result<Vec<Check>, Failure> {
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

fn grade_one(grader: &Grader, args: &GradeArgs) -> Result<(), Failure> {
    if args.player.has_folder() {
        let fault = "expected --class, for the player has {folder} in it";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let spec = args.player.at(None)?;
    check_unattended(&*grader.game, &spec)?;
    match &args.json {
        None => prepare(&*grader.game, &grader.programs, &[&spec], Some(1), CageLevel::User)?,
        Some(path) => {
            check_writable(path)?;
            // The file is to say why a program cannot be started, too.
            if spec.is_external() {
                prepare_system(&grader.programs, CageLevel::User)?;
            }
        }
    }
    let examinee = Examinee { player: args.player.clone(), log: "grade.log".to_owned() };
    let results = grader.grade(&examinee)?;
    if let Some(path) = &args.json {
        write_whole(path, results.to_json())?;
    }
    let mut out = io::stdout().lock();
    write!(out, "{}", results_text(&args.player.to_string(), &results))?;
    Ok(out.flush()?)
}

fn grade_class(grader: &Grader, args: &GradeArgs, class: &Path, out: &Path) -> Result<(), Failure> {
    let (names, examinees) = class_players(args, class, out)?;
    let first = examinees[0].player.at(None)?;
    check_unattended(&*grader.game, &first)?;
    make_folder(out)?;
    // A program that is missing is a matter of its grade, so only the OS is looked at.
    if first.is_external() {
        prepare_system(&grader.programs, CageLevel::User)?;
    }
    let progress = progress::bar(names.len() as u64, progress::style(PROGRESS));
    let mut graded: Vec<Option<GradeResults>> = vec![None; names.len()];
    grader.grade_all(&examinees, args.jobs, |index, results| -> Result<(), Failure> {
        save(out, &names[index], &results)?;
        graded[index] = Some(results);
        write_whole(&out.join(GRADES), class_csv(&grader.checks, &named(&names, &graded)))?;
        progress.inc(1);
        Ok(())
    })?;
    progress.finish_and_clear();
    let mut stdout = io::stdout().lock();
    write!(stdout, "{}", class_text(&named(&names, &graded)))?;
    Ok(stdout.flush()?)
}

/// The names of the submissions of a class and their players, after a look at whether they can be
/// graded.
fn class_players(
    args: &GradeArgs,
    class: &Path,
    out: &Path,
) -> Result<(Vec<String>, Vec<Examinee>), Failure> {
    if !args.player.has_folder() {
        let fault = "expected a player with {folder} in it, for the folder of a submission";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let of_class = |fault: String| Failure::Usage(format!("{}: {fault}", class.display()));
    let found = submissions(class).map_err(|error| of_class(error.to_string()))?;
    if found.iter().any(|submission| submission.name == GRADES) {
        let fault = format!("expected no submission of the name {GRADES}, which the table has");
        return Err(of_class(fault));
    }
    for folder in [Some(out), args.programs.cage.logs.as_deref()].into_iter().flatten() {
        check_outside(folder, class)?;
    }
    let examinees = found.iter().map(|submission| Examinee {
        player: args.player.in_folder(&submission.path),
        log: format!("{}.log", submission.name),
    });
    let examinees = examinees.collect();
    Ok((found.into_iter().map(|submission| submission.name).collect(), examinees))
}

/// The results that are there, by the names of the submissions.
fn named<'a>(
    names: &'a [String],
    graded: &'a [Option<GradeResults>],
) -> Vec<(&'a str, &'a GradeResults)> {
    let pairs = names.iter().zip(graded);
    pairs.filter_map(|(name, results)| Some((name.as_str(), results.as_ref()?))).collect()
}

fn save(out: &Path, name: &str, results: &GradeResults) -> Result<(), Failure> {
    let folder = out.join(name);
    make_folder(&folder)?;
    write_whole(&folder.join("results.json"), results.to_json())?;
    Ok(write_whole(&folder.join("results.txt"), results_text(name, results))?)
}
