//! `cluster`: work that many tasks share, on one machine or many.

use std::env;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use anyhow::anyhow;
use plyground_durable::work::WorkFolder;
use plyground_host::SharedGame;

use self::job::{job, machine_name, needed_features, own_content};
use self::work::{Given, given_game};
use super::failure::{Failure, listen};

pub use self::commands::{SharedCommands, read_command, shared_job};
pub use self::job::{ClusterCommands, Job, Order, Prepared};
pub use self::slurm::{
    ClusterArgs, ClusterCommand, ClusterMergeArgs, ClusterRunArgs, ClusterSlurmArgs,
    ClusterStatusArgs, ClusterWorkArgs, JobArray, SharedCommandArgs,
};

mod commands;
mod grade;
mod job;
mod jobs;
mod slurm;
mod work;

/// With less, tasks would take each other for dead all the time.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

/// Shares the work of one of these commands of a game.
pub fn cluster(
    game: &SharedGame,
    args: &ClusterArgs,
    commands: &dyn ClusterCommands,
) -> Result<(), Failure> {
    let given = |folder: &Path| Given::read(game, commands, folder);
    match &args.command {
        ClusterCommand::Slurm(args) => {
            let job = job(commands, game, &args.shared.command, None)?;
            let options = slurm::check(args)?;
            let (work, _) = prepare(game, &args.shared, &*job)?;
            slurm::submit(&work, args, options)
        }
        ClusterCommand::Run(args) => {
            let job = job(commands, game, &args.shared.command, None)?;
            let (path, order) = prepare(game, &args.shared, &*job)?;
            let given = Given { game: given_game(game, &order)?, commands, path, order };
            let stop = listen()?;
            given.work(args.jobs, &stop)?;
            given.merge(&stop)
        }
        ClusterCommand::Work(args) => given(&args.folder)?.work(args.jobs, &listen()?),
        ClusterCommand::Merge(args) => given(&args.folder)?.merge(&listen()?),
        ClusterCommand::Status(args) => work::show(&given(&args.folder)?, args.look),
    }
}

/// Prepares the work of a command: the folder with it, and the order in it.
fn prepare(
    game: &SharedGame,
    args: &SharedCommandArgs,
    job: &dyn Job,
) -> Result<(PathBuf, Order), Failure> {
    if args.patience < LEAST_PATIENCE {
        let fault = "--patience: expected a second or more, for who is busy is not dead";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let path = args.work.clone().unwrap_or_else(|| job.usual_folder());
    // Before anything is made, so that what cannot be done leaves nothing.
    let prepared = job.prepare()?;
    let work = WorkFolder::open(&path, &job.title())?;
    let here = |error| Failure::Run(anyhow!("the current folder: {error}"));
    let level = job.level();
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
            if !job.is_by_content() {
                check_same_programs(work.path(), &before, &order)?;
            }
            order.write(work.path())?;
        }
        None => order.write(work.path())?,
    }
    let path = absolute(work.path()).map_err(here)?;
    Ok((path, order))
}

/// Refuses to go on with programs that are not what they were: half of the results would be of others.
fn check_same_programs(path: &Path, before: &Order, now: &Order) -> Result<(), Failure> {
    let is_other = |(player, content): &(&String, &String)| {
        before.contents.get(*player).is_some_and(|old| old != *content)
    };
    match now.contents.iter().find(is_other) {
        None => Ok(()),
        Some((player, _)) => Err(Failure::Usage(format!(
            "{}: {player}: its program has changed since the work was begun; choose another folder \
             with --work, or remove this one",
            path.display()
        ))),
    }
}
