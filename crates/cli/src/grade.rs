//! `grade`: whether players do what the assignment asks for.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use plyground_arena::grade::{
    Check, Examinee, Grader, Reader, draw_checks, parse_checks, parse_time, read_points,
    results_json, results_text,
};
use plyground_arena::seat::check_unattended;
use plyground_arena::template::PlayerTemplate;
use plyground_cage::{CageLevel, parse_duration, whole_number};
use plyground_host::SharedGame;
use plyground_host::output::{check_writable, write_whole};

use super::failure::Failure;
use super::grade_class::grade_class;
use super::programs::{ProgramArgs, prepare, prepare_system};

/// The seed of a player that is graded alone: everybody may know its positions.
const PRACTICE: u64 = 1;

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

    /// Write the results of a class into this folder: NAME/results.txt, .json and page.html, tables,
    /// and what is for the instructor alone; it is made if there is none, and no grade in it is
    /// ever overwritten
    #[arg(long, value_name = "FOLDER", requires = "class")]
    pub out: Option<PathBuf>,

    /// Grade this submission of the class alone; may be given several times
    #[arg(long, value_name = "NAME", requires = "class")]
    pub only: Vec<String>,

    /// Grade again what has not changed, too
    #[arg(long, requires = "class")]
    pub again: bool,

    /// Say how late submissions are: 2026-11-20T23:59 by this machine's clock, with -06:00 or
    /// [America/Chicago] behind it elsewhere
    #[arg(long, value_name = "TIME", requires = "class", value_parser = parse_time)]
    pub deadline: Option<Timestamp>,

    /// Take names, numbers and times of submissions from this table, with the columns submission,
    /// name, id, sis_id, login, section, email and submitted, or some of them; without a time,
    /// that of the newest file of the submission counts
    #[arg(long, value_name = "FILE.csv", requires = "class")]
    pub roster: Option<PathBuf>,

    /// The title of the column for Canvas and Moodle; the name of the game without it
    #[arg(long, value_name = "TEXT", requires = "class")]
    pub title: Option<String>,

    /// Write the results of one player into this file, as Gradescope reads them
    #[arg(long, value_name = "results.json", conflicts_with = "class")]
    pub json: Option<PathBuf>,

    /// Take what checks are worth, and who may see them, from this file, - for standard input; 0
    /// leaves a check out
    #[arg(long, value_name = "FILE.toml")]
    pub points: Option<PathBuf>,

    /// The time for all checks of a submission; what is not done by then has failed
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub total: Duration,

    /// Draw positions, and let chance in games depend on this number; without it, 1 for one player,
    /// and for a class a secret number that is kept in its folder
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

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
    let checks = checks(game, args)?;
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => grade_class(game, &checks, args, class, out),
        _ => grade_one(game, &checks, args),
    }
}

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

fn grade_one(game: &SharedGame, checks: &[Check], args: &GradeArgs) -> Result<(), Failure> {
    if args.player.has_folder() {
        let fault = "expected --class, for the player has {folder} in it";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let spec = args.player.at(None)?;
    check_unattended(&**game, &spec)?;
    let programs = args.programs.options();
    match &args.json {
        None => prepare(&**game, &programs, &[&spec], Some(1), CageLevel::User)?,
        Some(path) => {
            check_writable(path)?;
            // The file is to say why a program cannot be started, too.
            if spec.is_external() {
                prepare_system(&programs, CageLevel::User)?;
            }
        }
    }
    let grader = grader(game, checks, args, args.seed.unwrap_or(PRACTICE))?;
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
