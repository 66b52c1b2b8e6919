//! A tournament that tasks share.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use plyground_arena::tournament::{SharedTournament, Tournament, TournamentPlan};
use plyground_durable::input::STDIN;
use plyground_durable::work::{WorkFolder, Workload};
use plyground_host::SharedGame;
use plyground_sandbox::SandboxLevel;

use super::job::{Job, Prepared, contents};
use super::order::Order;
use crate::failure::{Failure, warn};
use crate::programs::prepare_system;
use crate::tournament::{TournamentArgs, finish};

struct TournamentJob {
    game: SharedGame,
    plan: TournamentPlan,
    out: PathBuf,
    absent: std::collections::BTreeMap<String, String>,
    work: SharedTournament,
}

/// Shares a tournament.
pub(super) fn job(
    game: &SharedGame,
    args: TournamentArgs,
    order: Option<&Order>,
) -> Result<Box<dyn Job>, Failure> {
    let args = args.run.ok_or_else(|| {
        Failure::Usage("expected the file of a tournament, whose games are shared".to_owned())
    })?;
    if args.file == Path::new(STDIN) || !args.shard.is_whole() || args.jobs.is_some() {
        let fault =
            "expected a tournament from a file, without --shard and --jobs, for tasks share it";
        return Err(Failure::Usage(fault.to_owned()));
    }
    let mut plan = TournamentPlan::read(&args.file)?;
    match order {
        Some(order) => plan.sandbox = order.level,
        None => plan.settle_level()?,
    }
    let out = args.out.unwrap_or_else(|| args.file.with_extension(""));
    if out == args.file {
        return Err(Failure::Usage("expected --out, for the file has no extension".to_owned()));
    }
    let absent = order.map(|order| order.absent.clone()).unwrap_or_default();
    let work = SharedTournament::new(game, plan.clone(), &out, &absent, contents(order))?;
    Ok(Box::new(TournamentJob { game: SharedGame::clone(game), plan, out, absent, work }))
}

impl Job for TournamentJob {
    fn workload(&self) -> &dyn Workload {
        &self.work
    }

    fn title(&self) -> String {
        format!("tournament\n{}", self.work.title())
    }

    fn namesake(&self) -> &Path {
        &self.out
    }

    fn level(&self) -> Option<SandboxLevel> {
        self.plan.sandbox
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        if self.work.has_programs() {
            // The folder for the logs of all.
            prepare_system(self.work.programs())?;
        }
        let absent = self.work.absent()?;
        for (name, why) in &absent {
            warn(&format_args!("{name} not played: {why}"));
        }
        Ok(Prepared { contents: self.work.contents(), absent })
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let tournament = Tournament::open_lockless(&self.game, self.plan.clone(), &self.out);
        let mut tournament = tournament?;
        tournament.take_in_work(folder, &self.absent)?;
        tournament.load()?;
        tournament.damaged().for_each(warn);
        io::stdout().flush()?;
        finish(&tournament)
    }
}
