//! `grade`, which checks players against the assignment: its arguments, and the grader that they describe.

pub(crate) mod class;
mod gradescope;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use jiff::Zoned;
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::{PlayerTemplate, check_unattended};
use plyground_durable::output::{check_writable, write_whole};
use plyground_durable::{parse_duration, whole_number};
use plyground_grading::grade::{
    Check, Examinee, Grader, LateRule, Reader, draw_checks, leave_out_worthless, new_checks,
    parse_checks, parse_time, read_checks, read_points, results_json, results_text, select_checks,
};
use plyground_host::SharedGame;
use plyground_sandbox::{ProcessLimits, SandboxLevel};

use crate::failure::{Failure, print, refuse};
use crate::programs::{PolicyArgs, prepare, prepare_system};
use crate::progress;

/// The arguments of `grade`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct GradeArgs {
    /// Whom to grade.
    #[command(flatten)]
    pub whom: Whom,

    /// The subcommand, if not a player or a class is to be graded.
    #[command(subcommand)]
    pub command: Option<GradeCommand>,
}

/// The commands of `grade`.
#[derive(Clone, Debug, Subcommand)]
pub enum GradeCommand {
    /// Make an autograder for Gradescope: one zip to upload
    ///
    /// The zip has this program, the checks and the options. The autograder prepares a student's
    /// work as `plyground submissions prepare` does, grades it, and always writes results.json.
    #[command(after_help = GRADESCOPE_EXAMPLES)]
    Gradescope(Box<GradescopeArgs>),
    /// Write a file with checks to begin with, made from the game's state files and random games
    NewChecks {
        /// The file, which must not be there yet; without it, standard output
        #[arg(long, value_name = "FILE.toml")]
        out: Option<PathBuf>,
    },
    /// Grade the submission in the folders of Gradescope; its autograder runs this
    #[command(hide = true)]
    Autograde {
        /// The folder with the folders source, submission and results
        #[arg(long, value_name = "FOLDER", default_value = "/autograder")]
        root: PathBuf,
    },
}

const GRADESCOPE_EXAMPLES: &str = "\
Examples:
  grade gradescope --player 'file:{start} one-move {in} {out} {depth}' --out autograder.zip
  grade gradescope --player 'file:{start} one-move {in} {out} {depth}' --points points.toml \\
      --seed 20261120 --total 6m --out autograder.zip";

/// The player or the class to grade; `None` if a subcommand takes its place.
// clap flattens an `Option` only if its arguments have no others flattened into them.
#[derive(Clone, Debug)]
pub struct Whom(pub Option<GradeRunArgs>);

impl Args for Whom {
    fn augment_args(command: clap::Command) -> clap::Command {
        GradeRunArgs::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        GradeRunArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for Whom {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Whom, clap::Error> {
        let given = matches.contains_id("player");
        given.then(|| GradeRunArgs::from_arg_matches(matches)).transpose().map(Whom)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Whom::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The arguments of `grade --player`.
#[derive(Clone, Debug, Args)]
pub struct GradeRunArgs {
    /// The player, with {depth} in place of the number of moves to look ahead, and, with --class,
    /// {start} in place of the start command of a prepared submission, or {folder} in place of its
    /// folder
    #[arg(long, value_name = "PLAYER")]
    pub player: PlayerTemplate,

    /// Grade every folder in this folder
    #[arg(long, value_name = "FOLDER", requires = "out")]
    pub class: Option<PathBuf>,

    /// Write the results of a class into this folder: NAME/results.txt, .json and page.html,
    /// tables, and files for the instructor alone; it is created if it does not exist, and no grade
    /// in it is ever overwritten
    #[arg(long, value_name = "FOLDER", requires = "class")]
    pub out: Option<PathBuf>,

    /// Grade this submission of the class alone; may be given several times
    #[arg(long, value_name = "NAME", requires = "class")]
    pub only: Vec<String>,

    /// A file or folder with code that all students were given, which makes no look-alikes; may be
    /// given several times
    #[arg(long, value_name = "PATH", requires = "class")]
    pub starter: Vec<PathBuf>,

    /// Review this many games of each submission against random moves on its page: its losses, the
    /// depth that sees each, and patterns of its mistakes; a new number holds for later grades only
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub review_games: usize,

    /// Grade unchanged submissions again, too
    #[arg(long, requires = "class")]
    pub again: bool,

    /// Show how late submissions are: 2026-11-20T23:59 by this machine's clock, or with -06:00 or
    /// [America/Chicago] appended for the zone of the course, which platforms leave out
    #[arg(long, value_name = "TIME", requires = "class", value_parser = parse_time)]
    pub deadline: Option<Zoned>,

    /// Show the reduced points of late submissions beside their points, by a rule such as '10% a
    /// day, 2 free days'; a day that has begun counts
    #[arg(long, value_name = "RULE", requires = "deadline")]
    pub late: Option<LateRule>,

    /// Add the points that a person gave in this table: it has the columns of the roster that name
    /// the student, points, and comment if you like
    #[arg(long, value_name = "FILE.csv", requires = "class")]
    pub manual: Option<PathBuf>,

    /// Take names, numbers and times of students from this table: the gradebook that Canvas,
    /// Moodle, Blackboard or Gradescope exports, or one with the columns submission, name, id,
    /// sis_id, login, section, email, group and submitted, or some of them; a group shares its
    /// grade; a student of the table without a submission has 0 points
    #[arg(long, value_name = "FILE.csv", requires = "class")]
    pub roster: Option<PathBuf>,

    /// The title of the column for learning platforms; the name of the game without it
    #[arg(long, value_name = "TEXT", requires = "class")]
    pub title: Option<String>,

    /// Write the results of one player into this file, as Gradescope reads them
    #[arg(long, value_name = "results.json", conflicts_with = "class")]
    pub json: Option<PathBuf>,

    /// Take the checks from this file, - for standard input, in place of the game's own checks
    #[arg(long, value_name = "FILE.toml")]
    pub checks: Option<PathBuf>,

    /// Take the points of checks, and their visibility, from this file, - for standard input; 0
    /// leaves a check out
    #[arg(long, value_name = "FILE.toml")]
    pub points: Option<PathBuf>,

    /// Do this check alone; may be given several times
    #[arg(long = "check", value_name = "NAME", conflicts_with = "class")]
    pub selected: Vec<String>,

    /// The time of a submission's program for all checks; checks that are not done by then have
    /// failed
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub total: Duration,

    /// The seed of positions and of chance in games; without it, 1 for one player, and for a class
    /// a secret number that is kept in its folder
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The number of submissions to grade at a time, each on a processor core of its own: as many
    /// as there are cores, at most
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    pub jobs: NonZeroUsize,

    /// The sandbox and the limits of other people's programs.
    #[command(flatten)]
    pub programs: PolicyArgs,
}

/// The name of the only submission.
const NAME: &str = "submission";

/// The packages that autograders install, which build and run submissions.
const PACKAGES: &str = "default-jdk-headless g++ make cmake nodejs python3";

/// The arguments of `grade gradescope`.
#[derive(Clone, Debug, Args)]
pub struct GradescopeArgs {
    /// The player, with {start} in place of the start command of the submission
    #[arg(long, value_name = "PLAYER")]
    pub player: PlayerTemplate,

    /// The zip to upload
    #[arg(long, value_name = "autograder.zip")]
    pub out: PathBuf,

    /// Take the checks from this file, in place of the game's own checks
    #[arg(long, value_name = "FILE.toml")]
    pub checks: Option<PathBuf>,

    /// Take the points of checks, and their visibility, from this file
    #[arg(long, value_name = "FILE.toml")]
    pub points: Option<PathBuf>,

    /// The seed of positions, for all students; without it, a secret number that is kept in the zip
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The time of a submission's program for all checks; with the two minutes of its build, it
    /// must be less than Gradescope allows
    #[arg(long, value_name = "TIME", default_value = "6m", value_parser = parse_duration)]
    pub total: Duration,

    /// Take the commands that build and start submissions, where they cannot be detected, from the
    /// table `class` of this file
    #[arg(long = "override", value_name = "FILE.toml")]
    pub overrides: Option<PathBuf>,

    /// The assignment's name for the program: it selects one of several in a submission
    #[arg(long, value_name = "NAME", default_value = "maxconnect4")]
    pub program: String,

    /// Put this program into the zip in place of the running one: a build for the processors and
    /// the system of Gradescope
    #[arg(long, value_name = "FILE")]
    pub executable: Option<PathBuf>,

    /// The packages to install on Gradescope, by apt-get
    #[arg(long, value_name = "PACKAGES", default_value = PACKAGES)]
    pub packages: String,

    /// The level of the sandbox for submissions: full, user or none; without it, the highest that
    /// Gradescope's system has
    #[arg(long, value_name = "LEVEL")]
    pub sandbox: Option<SandboxLevel>,

    /// The limits of submissions.
    #[command(flatten)]
    pub limits: ProcessLimits,
}

/// Returns a grader with these checks, whose positions are drawn by `seed`.
pub(crate) fn grader(
    game: &SharedGame,
    checks: &[Check],
    programs: ProgramOptions,
    total: Duration,
    seed: u64,
) -> Result<Grader, Failure> {
    let checks = draw_checks(&**game, checks, seed).map_err(Failure::usage)?;
    Ok(Grader {
        game: SharedGame::clone(game),
        checks,
        programs,
        seed,
        total,
        gate: Arc::default(),
        reviewed: 0,
    })
}

/// Returns the checks of the assignment, from a file if there is one, with their points: those that are worth some, or
/// those that are selected.
pub(crate) fn checks(
    game: &SharedGame,
    file: Option<&Path>,
    points: Option<&Path>,
    selected: &[String],
) -> Result<Vec<Check>, Failure> {
    let mut checks = match file {
        Some(path) => read_checks(&**game, path)?,
        None => parse_checks(game.checks())
            .map_err(|fault| Failure::Run(anyhow!("the checks of the game: {fault}")))?,
    };
    if checks.is_empty() {
        return refuse(match file {
            Some(path) => format!("{}: expected a check: begin it with [[check]]", path.display()),
            None => format!(
                "{} comes without checks: expected --checks with a file, as grade new-checks writes one",
                game.name()
            ),
        });
    }
    if let Some(path) = points {
        read_points(path, &mut checks)?;
    }
    if selected.is_empty() {
        leave_out_worthless(&mut checks);
        if checks.is_empty() {
            return refuse("expected a check that is worth points");
        }
    } else {
        let fault = |error| Failure::usage(format!("--check: {error}"));
        select_checks(&mut checks, selected).map_err(fault)?;
    }
    Ok(checks)
}

/// The template of the progress line of `new-checks`.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} checks  {msg}";

pub(super) fn run(game: &SharedGame, args: &GradeArgs) -> Result<(), Failure> {
    let args = match (&args.whom.0, &args.command) {
        (_, Some(GradeCommand::Gradescope(args))) => return gradescope::gradescope(game, args),
        (_, Some(GradeCommand::NewChecks { out })) => return begin_checks(game, out.as_deref()),
        (_, Some(GradeCommand::Autograde { root })) => return gradescope::autograde(game, root),
        (Some(args), None) => args,
        (None, None) => return refuse("expected --player"),
    };
    let checks = checks(game, args.checks.as_deref(), args.points.as_deref(), &args.selected)?;
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => class::grade_class(game, &checks, args, class, out),
        _ => grade_one(game, &checks, args),
    }
}

/// Writes a file with checks to begin with. A file that a person may have changed is not overwritten.
fn begin_checks(game: &SharedGame, out: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = out else { return print(begun(game)) };
    if path.exists() {
        return Err(Failure::of_file(path, "expected the name of a new file: this file exists"));
    }
    check_writable(path)?;
    write_whole(path, begun(game))?;
    let path = path.display();
    print(format_args!("{path}: checks for grade --checks; change them as your assignment asks\n"))
}

/// Returns the checks to begin with. Shows the progress on standard error.
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
        return refuse(
            "expected --class with {folder} or {start}; for a single submission, use \
            {start:FOLDER}",
        );
    }
    let spec = args.player.at(None)?;
    check_unattended(&**game, &spec)?;
    let programs = args.programs.options();
    match &args.json {
        None => prepare(&**game, &programs, &[&spec], Some(1))?,
        Some(path) => {
            check_writable(path)?;
            // The file must also say why a program cannot be started.
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
    // A user who can choose the seed may see all positions.
    let text = results_text(&args.player.to_string(), &results, Reader::Instructor);
    print(format_args!("{text}Positions: --seed {}\n", grader.seed))
}
