//! `grade`: whether players do what the assignment asks for.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;

use super::failure::Failure;
use super::grade_report::{class_csv, class_text, results_text};
use super::opponents::{check, check_outside, spec_at};
use super::program::Program;
use super::programs::ProgramArgs;
use super::progress;
use super::seats::{Equipment, computer};
use crate::affinity::{cores, pin_to_core};
use crate::duration::parse_duration;
use crate::external::{Exchange, exchange};
use crate::game::Game;
use crate::grade::{
    Candidate, Check, Results, Subject, grade, grade_absent, parse_checks, read_points,
};
use crate::output::{check_folder, make_folder, write_whole};
use crate::perfect::Alarm;
use crate::player::{Absent, Fault, NotReady, Player, PlayerSpec};
use crate::referee::Interrupted;
use crate::search::Options;
use crate::submissions::{FOLDER, in_folder, submissions};
use crate::whole_number::whole_number;

/// What the progress line shows.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} submissions  {eta_precise} left";

/// The file with the points of a class.
const GRADES: &str = "grades.csv";

/// Memory for the table of one of our own machines in MiB.
const TABLE: usize = 16;

/// The arguments of `grade`.
#[derive(Clone, Debug, Args)]
pub struct GradeArgs {
    /// The player, with {depth} for the number of moves that a check wants it to look ahead, and,
    /// with --class, {folder} for the folder of a submission
    #[arg(long, value_name = "PLAYER")]
    pub player: String,

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

pub(super) fn run<P: Program>(program: &P, args: &GradeArgs) -> Result<(), Failure> {
    let mut checks = parse_checks(program.checks())
        .map_err(|fault| Failure::Run(anyhow::anyhow!("the checks of the game: {fault}")))?;
    if checks.is_empty() {
        let fault = format!("{} has no assignment, and so nothing to check", P::Game::NAME);
        return Err(Failure::Usage(fault));
    }
    if let Some(path) = &args.points {
        read_points(path, &mut checks)?;
    }
    match (&args.class, &args.out) {
        (Some(class), Some(out)) => grade_class(program, args, &checks, class, out),
        _ => grade_one(program, args, &checks),
    }
}

fn grade_one<P: Program>(program: &P, args: &GradeArgs, checks: &[Check]) -> Result<(), Failure> {
    if args.player.contains(FOLDER) {
        let fault = "expected --class, for the player has {folder} in it";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let spec = spec_at(&args.player, None)?;
    check(program, &spec)?;
    match &args.json {
        None => args.programs.prepare(program, &[&spec], Some(1))?,
        Some(path) => {
            check_folder(path)?;
            // Whoever reads the file is to read why a program cannot be started, too.
            args.programs.prepare_system_for(&spec)?;
        }
    }
    let results = Examinee::new(program, args, &args.player, "grade.log").grade(checks)?;
    if let Some(path) = &args.json {
        write_whole(path, results.to_json().map_err(io::Error::from)?)?;
    }
    let mut out = io::stdout().lock();
    write!(out, "{}", results_text(&args.player, &results))?;
    Ok(out.flush()?)
}

/// The submissions of a class with their players, after a look at whether they can be graded.
fn class_players(
    args: &GradeArgs,
    class: &Path,
    out: &Path,
) -> Result<Vec<(String, String)>, Failure> {
    if !args.player.contains(FOLDER) {
        let fault = "expected a player with {folder} in it, for the folder of a submission";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let of_class = |fault: String| Failure::Usage(format!("{}: {fault}", class.display()));
    let found = submissions(class).map_err(|error| of_class(error.to_string()))?;
    if found.iter().any(|(name, _)| name == GRADES) {
        let fault = format!("expected no submission of the name {GRADES}, which the table has");
        return Err(of_class(fault));
    }
    for folder in [Some(out), args.programs.logs.as_deref()].into_iter().flatten() {
        check_outside(folder, class)?;
    }
    let player = |folder: &str| in_folder(&args.player, folder);
    Ok(found.into_iter().map(|(name, folder)| (name, player(&folder))).collect())
}

fn grade_class<P: Program>(
    program: &P,
    args: &GradeArgs,
    checks: &[Check],
    class: &Path,
    out: &Path,
) -> Result<(), Failure> {
    let found = class_players(args, class, out)?;
    let first = spec_at(&found[0].1, None)?;
    check(program, &first)?;
    make_folder(out)?;
    // Programs that are missing are a matter of their grade, so only the system is looked at.
    args.programs.prepare_system_for(&first)?;
    let progress = progress::bar(found.len() as u64, progress::style(PROGRESS));
    let class = Class { program, args, checks, players: &found, next: AtomicUsize::new(0) };
    let (sender, finished) = channel();
    let mut graded: Vec<Option<Results>> = vec![None; found.len()];
    thread::scope(|scope| -> Result<(), Failure> {
        let jobs = args.jobs.min(cores());
        for job in 0..jobs.get() {
            let (sender, class) = (sender.clone(), &class);
            let work = move || {
                if jobs > NonZeroUsize::MIN {
                    pin_to_core(job);
                }
                class.grade_submissions(&sender);
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                class.begin_no_more();
                return Err(Interrupted::no_thread(&error).into());
            }
        }
        drop(sender);
        for (index, results) in finished {
            let results = results?;
            save(out, &found[index].0, &results)?;
            graded[index] = Some(results);
            let rows = named(&found, &graded);
            write_whole(&out.join(GRADES), class_csv(checks, &rows))?;
            progress.inc(1);
        }
        Ok(())
    })?;
    progress.finish_and_clear();
    let mut stdout = io::stdout().lock();
    write!(stdout, "{}", class_text(&named(&found, &graded)))?;
    Ok(stdout.flush()?)
}

/// What the threads share that grade a class.
struct Class<'a, P> {
    program: &'a P,
    args: &'a GradeArgs,
    checks: &'a [Check],
    /// The names of the submissions, and what plays.
    players: &'a [(String, String)],
    /// The submission that nobody grades yet.
    next: AtomicUsize,
}

impl<P: Program> Class<'_, P> {
    /// Grades submissions that nobody else grades.
    fn grade_submissions(&self, graded: &Sender<(usize, Result<Results, Failure>)>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((name, player)) = self.players.get(index) else { return };
            let log = format!("{name}.log");
            let examinee = Examinee::new(self.program, self.args, player, &log);
            let results = examinee.grade(self.checks);
            if results.is_err() {
                self.begin_no_more();
            }
            if graded.send((index, results)).is_err() {
                return;
            }
        }
    }

    fn begin_no_more(&self) {
        self.next.store(self.players.len(), Ordering::Relaxed);
    }
}

/// The results that are there, by the names of the submissions.
fn named<'a>(
    found: &'a [(String, String)],
    graded: &'a [Option<Results>],
) -> Vec<(&'a str, &'a Results)> {
    let pairs = found.iter().zip(graded);
    pairs.filter_map(|((name, _), results)| Some((name.as_str(), results.as_ref()?))).collect()
}

fn save(out: &Path, name: &str, results: &Results) -> Result<(), Failure> {
    let folder = out.join(name);
    make_folder(&folder)?;
    write_whole(&folder.join("results.json"), results.to_json().map_err(io::Error::from)?)?;
    Ok(write_whole(&folder.join("results.txt"), results_text(name, results))?)
}

/// A player who is graded.
struct Examinee<'a, P> {
    program: &'a P,
    args: &'a GradeArgs,
    /// What plays, with `{depth}` in it perhaps.
    player: &'a str,
    /// The name of the log.
    log: &'a str,
    /// Raises its flag when the time for the submission is over.
    alarm: Alarm,
}

impl<'a, P: Program> Examinee<'a, P> {
    /// The time for the submission begins to run.
    fn new(program: &'a P, args: &'a GradeArgs, player: &'a str, log: &'a str) -> Examinee<'a, P> {
        Examinee { program, args, player, log, alarm: Alarm::after(args.total) }
    }

    fn grade(&self, checks: &[Check]) -> Result<Results, Failure> {
        let ready = spec_at(self.player, None)
            .map_err(|failure| NotReady::Program(failure.to_string()))
            .and_then(|spec| self.args.programs.make_ready(self.program, &spec, Some(1)));
        match ready {
            Ok(()) => {}
            Err(NotReady::Program(why)) => return Ok(grade_absent(self, checks, why)),
            Err(NotReady::System(why)) => return Err(Failure::Run(anyhow!(why))),
        }
        let subject = Subject {
            start: self.program.start(),
            show: &|position| self.program.board(position),
            state: &|position| self.program.format_state(position),
            seed: self.args.seed,
            wall: self.args.programs.limits.wall,
            late: &self.alarm.flag(),
        };
        Ok(grade(&subject, self, checks)?)
    }
}

impl<P: Program> Candidate<P::Game> for Examinee<'_, P> {
    fn seat(&self, depth: Option<u32>, chance: u64) -> Box<dyn Player<P::Game> + '_> {
        match spec_at(self.player, depth) {
            Ok(spec) => {
                let options = Options { table_mib: TABLE, ..Options::default() };
                let stop = Some(self.alarm.flag());
                let treatment = self.args.programs.treatment(None, stop.clone(), self.log);
                let (book, own_book, quiet) = (&None, false, true);
                let equipment =
                    Equipment { options, book, own_book, quiet, stop, treatment, depth };
                computer(self.program, &spec, equipment, chance)
            }
            Err(failure) => Box::new(Absent::new(NotReady::Program(failure.to_string()))),
        }
    }

    fn exchanges_files(&self) -> bool {
        matches!(spec_at(self.player, None), Ok(PlayerSpec::File(_)))
    }

    fn exchange(&self, depth: u32, input: &str) -> Result<Exchange, Fault> {
        let Ok(PlayerSpec::File(command)) = spec_at(self.player, Some(depth)) else {
            return Err(Fault::NoMove);
        };
        let stop = Some(self.alarm.flag());
        let treatment = self.args.programs.treatment(None, stop, self.log);
        exchange(&command.words(Some(depth)), input, &treatment)
    }
}
