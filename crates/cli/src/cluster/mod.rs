//! `cluster`: work that many tasks share, on one machine or many. Its commands prepare the work, do its pieces, merge
//! the results and show the progress.

mod grade;
mod job;
mod jobs;
pub(crate) mod slurm;

use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use clap::FromArgMatches;
use plyground_durable::work::{
    TaskName, WorkError, WorkEvent, WorkFolder, WorkOptions, WorkStatus, Workload, one_at_a_time,
    work_through,
};
use plyground_host::SharedGame;

use self::job::{Pinned, job, job_name, machine_name, needed_features, own_content, unfit};
use crate::book::BookCommand;
use crate::commands::{Command, SharedCommand, SolvingCommand, args_of, program};
use crate::failure::{Failure, exit, listen, print, refuse, warn};
use crate::progress;

pub use self::job::{ClusterCommands, Job, Order, Prepared};
pub use self::slurm::{ClusterCommand, JobArray, SharedCommandArgs};

/// The least patience. With less, tasks would take each other for dead all the time.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

/// Runs `cluster` for a game and these commands, whose work can be shared.
pub fn cluster(
    game: &SharedGame,
    command: &ClusterCommand,
    commands: &dyn ClusterCommands,
) -> Result<(), Failure> {
    let given = |folder: &Path| Given::read(game, commands, folder);
    match command {
        ClusterCommand::Slurm(args) => {
            let job = job(commands, game, &args.shared.command, None)?;
            let options = slurm::check(&args.sbatch, args.dry_run, "cluster run")?;
            let (work, _) = prepare(game, &args.shared, &job)?;
            slurm::submit(&work, args, &options)
        }
        ClusterCommand::Run(args) => {
            let job = job(commands, game, &args.shared.command, None)?;
            let (path, order) = prepare(game, &args.shared, &job)?;
            let given = Given { game: given_game(game, &order)?, commands, path, order };
            let stop = listen()?;
            given.work(args.jobs, &stop)?;
            given.merge(&stop)
        }
        ClusterCommand::Work { folder, jobs } => given(folder)?.work(*jobs, &listen()?),
        ClusterCommand::Merge { folder } => given(folder)?.merge(&listen()?),
        ClusterCommand::Status { folder, look } => show(&given(folder)?, *look),
    }
}

/// Prepares the work of a command. Returns the folder with the work, and the order in it.
fn prepare(
    game: &SharedGame,
    args: &SharedCommandArgs,
    job: &Job,
) -> Result<(PathBuf, Order), Failure> {
    if args.patience < LEAST_PATIENCE {
        return refuse("--patience: expected a second or more: a busy task is not dead");
    }
    let path = args.work.clone().unwrap_or_else(|| job.usual_folder());
    // Preparation comes before the folder is made, so that a failure leaves no folder.
    let prepared = (job.prepare)()?;
    let work = WorkFolder::open(&path, &job.title)?;
    let here = |error| Failure::Run(anyhow!("the current folder: {error}"));
    let level = job.level;
    let order = Order {
        command: args.command.clone(),
        folder: env::current_dir().map_err(here)?,
        game: game.name().to_owned(),
        rules: game.rules(),
        machine: machine_name(),
        program: own_content().map_err(|error| Failure::Run(anyhow!("this program: {error}")))?,
        features: needed_features(level.is_some()),
        level,
        contents: prepared.contents,
        absent: prepared.absent,
        patience_ms: u64::try_from(args.patience.as_millis()).unwrap_or(u64::MAX),
    };
    match Order::read(work.path())? {
        Some(before) if before == order => {}
        Some(before) => {
            if !job.is_by_content {
                check_same_programs(work.path(), &before, &order)?;
            }
            order.write(work.path())?;
        }
        None => order.write(work.path())?,
    }
    let path = absolute(work.path()).map_err(here)?;
    Ok((path, order))
}

/// Returns an error if a program has changed since the work was begun: the results would mix two programs.
fn check_same_programs(path: &Path, before: &Order, now: &Order) -> Result<(), Failure> {
    let is_other = |(player, content): &(&String, &String)| {
        before.contents.get(*player).is_some_and(|old| old != *content)
    };
    match now.contents.iter().find(is_other) {
        None => Ok(()),
        Some((player, _)) => Err(Failure::of_file(
            path,
            format_args!(
                "{player}: its program has changed since the work was begun; choose another folder \
                 with --work, or remove this one"
            ),
        )),
    }
}

/// The template of the progress line.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} pieces  {eta_precise} left";

/// Returns the game of an order, or an error if this program is for another game.
fn given_game(game: &SharedGame, order: &Order) -> Result<SharedGame, Failure> {
    let of_rules = (game.name() == order.game).then(|| game.with_rules(&order.rules)).flatten();
    of_rules.ok_or_else(|| {
        Failure::usage(format!(
            "expected the program of {}, because the work is for that game",
            order.game
        ))
    })
}

/// Work that was prepared.
struct Given<'c> {
    game: SharedGame,
    commands: &'c dyn ClusterCommands,
    path: PathBuf,
    order: Order,
}

impl<'c> Given<'c> {
    fn read(
        game: &SharedGame,
        commands: &'c dyn ClusterCommands,
        path: &Path,
    ) -> Result<Given<'c>, Failure> {
        let work = WorkFolder::existing(path)?;
        let none = || Failure::of_file(path, "expected an order in this folder");
        let order = Order::read(work.path())?.ok_or_else(none)?;
        let path = absolute(path).map_err(Failure::usage)?;
        // The paths in the order are relative to its folder.
        env::set_current_dir(&order.folder).map_err(|error| {
            Failure::Run(anyhow!("{}: not on this machine: {error}", order.folder.display()))
        })?;
        Ok(Given { game: given_game(game, &order)?, commands, path, order })
    }

    fn job(&self) -> Result<(Job, WorkFolder), Failure> {
        let job = job(self.commands, &self.game, &self.order.command, Some(&self.order))?;
        let folder = WorkFolder::existing(&self.path)?;
        folder.check_title(&job.title)?;
        Ok((job, folder))
    }

    fn options(&self, jobs: NonZeroUsize) -> WorkOptions {
        let task = TaskName::new(&machine_name(), job_name().as_deref());
        WorkOptions { task, jobs, patience: self.order.patience() }
    }

    /// Does one piece after the other, until all are done.
    fn work(&self, jobs: NonZeroUsize, stop: &Arc<AtomicBool>) -> Result<(), Failure> {
        let machine = machine_name();
        let refused = |why: String| {
            let kept = WorkFolder::existing(&self.path).and_then(|it| it.refuse(&machine, &why));
            if let Err(error) = kept {
                warn(&error);
            }
            Failure::Run(anyhow!("{machine} is refused: {why}"))
        };
        if let Some(why) = unfit(&self.order) {
            return Err(refused(why));
        }
        let (job, folder) = self.job()?;
        let pinned = Pinned(&*job.workload);
        let pins = jobs > NonZeroUsize::MIN && job.measures_time;
        let workload: &dyn Workload = if pins { &pinned } else { &*job.workload };
        folder.admit(&machine);
        let bar = progress::bar(0, progress::style(PROGRESS));
        let worked =
            work_through(&folder, workload, &self.options(jobs), stop, |event| match event {
                WorkEvent::Done(done, all) => {
                    bar.set_length(all as u64);
                    bar.set_position(done as u64);
                }
                WorkEvent::Failed { piece, why } => {
                    bar.suspend(|| warn(&format_args!("{piece} failed: {why}")));
                }
            });
        bar.finish_and_clear();
        let worked = match worked {
            Err(WorkError::Unfit(why)) => return Err(refused(why)),
            worked => worked?,
        };
        if stop.load(Ordering::Relaxed) {
            let done = worked.done;
            return Err(Failure::Stopped(format!(
                "{done} pieces done; others go on with the rest"
            )));
        }
        Ok(())
    }

    /// Merges the results so far. Returns an error if pieces are missing.
    fn merge(&self, stop: &Arc<AtomicBool>) -> Result<(), Failure> {
        let (job, folder) = self.job()?;
        let options = self.options(NonZeroUsize::MIN);
        let missing = || -> Result<(usize, usize), WorkError> {
            let status = WorkStatus::read(&folder, &*job.workload, Duration::ZERO)?;
            Ok((status.pieces - status.done, status.pieces))
        };
        let before = missing()?;
        let merged = one_at_a_time(&folder, "merge", &options, stop, || (job.merge)(&folder))?;
        if merged.is_none() {
            return Err(Failure::Stopped("nothing merged".to_owned()));
        }
        // A result may come too late for the merge, and only the merge finds damaged results.
        let (missing, pieces) = before.max(missing()?);
        if missing > 0 {
            let place = slurm::shell_word(&self.path.to_string_lossy());
            return Err(Failure::Run(anyhow!(
                "{missing} of {pieces} pieces are not done: `cluster status {place}` shows why, \
                 and the same command again goes on"
            )));
        }
        Ok(())
    }
}

/// The most lines of a kind to show.
const MOST_LINES: usize = 20;

/// Shows the progress of the work, its tasks and its failures.
fn show(given: &Given<'_>, look: Option<Duration>) -> Result<(), Failure> {
    let (job, folder) = given.job()?;
    let look = look.unwrap_or(given.order.patience() / 3);
    let status = WorkStatus::read(&folder, &*job.workload, look)?;
    print(text(&status))?;
    let queue = slurm::queue(&given.path);
    print(section("In the queue of Slurm", queue.lines(), str::to_owned))
}

fn text(status: &WorkStatus) -> String {
    let WorkStatus { pieces, done, failed, tasks, open, refused, .. } = status;
    let in_work: usize = tasks.iter().filter(|task| task.lives).map(|task| task.pieces.len()).sum();
    let left: usize = tasks.iter().filter(|task| !task.lives).map(|task| task.pieces.len()).sum();
    let mut text = format!(
        "{done} of {pieces} pieces done, {in_work} in work, {left} left by tasks that ended, {} failed, \
         {open} not begun\n",
        failed.len()
    );
    text += &section("Tasks", tasks, |task| {
        let state = if task.lives { "lives" } else { "ended" };
        format!("{state}  {}: {}", task.name, task.pieces.join(", "))
    });
    text += &section("Failed", failed, |piece| {
        let times = if piece.times == 1 { "once" } else { &format!("{} times", piece.times) };
        format!("{} {times}: {}", piece.name, piece.why)
    });
    text + &section("Refused", refused, |(machine, why)| format!("{machine}: {why}"))
}

/// Returns a title and a line for each thing; empty without things.
fn section<T>(title: &str, all: impl IntoIterator<Item = T>, line: impl Fn(T) -> String) -> String {
    let all: Vec<T> = all.into_iter().collect();
    if all.is_empty() {
        return String::new();
    }
    let (count, mut text) = (all.len(), format!("\n{title}:\n"));
    text.extend(all.into_iter().take(MOST_LINES).map(|it| format!("  {}\n", line(it))));
    if count > MOST_LINES {
        text += &format!("  and {} more\n", count - MOST_LINES);
    }
    text
}

/// The commands of a program that has the shared commands of a game and no others.
#[derive(Clone, Copy, Debug)]
pub struct SharedCommands;

impl ClusterCommands for SharedCommands {
    fn job(
        &self,
        game: &SharedGame,
        words: &[String],
        order: Option<&Order>,
    ) -> Option<Result<Job, Failure>> {
        match read_command(program(game), words) {
            SharedCommand::Every(command) => shared_job(game, *command, order),
            SharedCommand::Solving(SolvingCommand::Book(BookCommand::Build(args))) => {
                Some(jobs::book(game, args))
            }
            SharedCommand::Solving(SolvingCommand::Book(_)) => None,
            SharedCommand::Solving(SolvingCommand::Solve(args)) => Some(jobs::solve(game, args)),
        }
    }

    fn names(&self) -> &'static str {
        "tournament, grade --class, match, timing, book build or solve"
    }
}

/// Reads the words of a command without the name of its program. Ends the process if the words are
/// not a command, or ask for help.
pub fn read_command<T: FromArgMatches>(program: clap::Command, words: &[String]) -> T {
    let found = program.no_binary_name(true).try_get_matches_from(words);
    args_of(&found.unwrap_or_else(|error| exit(error)))
}

/// Returns the job of a command that every game has; `None` if its work cannot be shared.
pub fn shared_job(
    game: &SharedGame,
    command: Command,
    order: Option<&Order>,
) -> Option<Result<Job, Failure>> {
    match command {
        Command::Tournament(args) => Some(jobs::tournament(game, args, order)),
        Command::Grade(args) => Some(grade::job(game, *args, order)),
        Command::Match(args) => Some(jobs::matches(game, args, order)),
        Command::Timing(args) => Some(jobs::timing(game, args)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use plyground_durable::work::{FailedPiece, TaskStatus};

    use super::*;

    #[test]
    fn status_says_what_failed_and_why() {
        let task = |name: &str, lives| TaskStatus {
            name: name.to_owned(),
            lives,
            pieces: vec!["0003-01".to_owned()],
        };
        let status = WorkStatus {
            pieces: 9,
            done: 5,
            failed: vec![FailedPiece { name: "x".into(), times: 3, why: "n1: full".into() }],
            tasks: vec![task("n1~7_1~a", true), task("n2~7_2~b", false)],
            open: 1,
            refused: [("n3".to_owned(), "no java".to_owned())].into(),
            ..WorkStatus::default()
        };
        let expected = "\
5 of 9 pieces done, 1 in work, 1 left by tasks that ended, 1 failed, 1 not begun

Tasks:
  lives  n1~7_1~a: 0003-01
  ended  n2~7_2~b: 0003-01

Failed:
  x 3 times: n1: full

Refused:
  n3: no java
";
        assert_eq!(text(&status), expected);
    }
}
