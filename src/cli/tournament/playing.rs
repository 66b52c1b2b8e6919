//! How the games of a tournament are played, and by whom not.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use indicatif::ProgressBar;

use super::Tournament;
use super::attendance::Attendance;
use crate::book::Shard;
use crate::cli::failure::Failure;
use crate::cli::play::record;
use crate::cli::program::Program;
use crate::cli::programs::ProgramArgs;
use crate::cli::progress;
use crate::cli::seats::{Equipment, computer};
use crate::cli::tournament_report::write_reports;
use crate::player::NotReady;
use crate::referee::{Conduct, PlayedGame};
use crate::search::Options;
use crate::tournament::{self, Contestant, Fixture, GameNumber, Plan, Stage};

/// What the progress line shows.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos}/{len} games  {eta_precise} left";

/// While games are played, the reports are written anew no more often than this.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// The folder for what programs print to standard error.
const LOGS: &str = "logs";

impl<P: Program> Tournament<'_, P> {
    /// Plays all games of a share that have not been played, in a knockout round after round.
    pub(super) fn play(
        &mut self,
        shard: Shard,
        jobs: NonZeroUsize,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), Failure> {
        let stage = self.stage(jobs);
        let programs = self.programs()?;
        let (program, book, plan) = (self.program, self.book.clone(), self.plan.clone());
        let table_mib = usize::try_from(plan.table).unwrap_or(usize::MAX);
        let seat = |number: GameNumber, player: usize, chance| {
            let options = Options { table_mib, ..Options::default() };
            let stop = Some(Arc::clone(stop));
            let log = format!("{number}-{}.log", player + 1);
            let treatment = programs.treatment(None, stop.clone(), &log);
            let depth = plan.players[player].depth;
            let (own_book, quiet) = (true, true);
            let equipment =
                Equipment { options, book: &book, own_book, quiet, stop, treatment, depth };
            computer(program, &plan.players[player].player, equipment, chance)
        };
        let mut attendance = Attendance::default();
        let progress = progress::bar(self.schedule.total() as u64, progress::style(PROGRESS));
        let mut reported = Instant::now();
        loop {
            let open = self.open_games(shard, &programs, &mut attendance, stop)?;
            if open.is_empty() || stop.load(Ordering::Relaxed) {
                progress.finish_and_clear();
                return Ok(());
            }
            progress.set_position(self.results.len() as u64);
            tournament::run(&stage, &open, seat, stop, |fixture, game| {
                self.add(fixture, &game, &progress, &mut reported)
            })?;
        }
    }

    /// Leaves nothing of a run that failed before the first game.
    pub(super) fn discard_if_empty(&self) {
        // Only if nobody has complained, or the folder is somewhere else.
        let _ = fs::remove_dir(self.store.folder().join(LOGS));
        self.store.discard_if_empty();
    }

    fn stage(&self, jobs: NonZeroUsize) -> Stage<P::Game> {
        let conduct = Conduct {
            wall_limit: self.plan.limits.wall,
            ply_cap: self.plan.ply_cap,
            opening: Vec::new(),
        };
        Stage {
            start: self.program.start(),
            openings: self.openings.clone(),
            tie_break: self.tie_break.clone(),
            conduct,
            jobs,
            pin: jobs > NonZeroUsize::MIN,
        }
    }

    /// How other people's programs are treated. What they print to standard error is kept beside
    /// the games, by the number of the game and of the player.
    fn programs(&self) -> Result<ProgramArgs, Failure> {
        let Plan { limits, lenient, sandbox, players, .. } = &self.plan;
        let programs = ProgramArgs {
            limits: limits.clone(),
            lenient: *lenient,
            no_sandbox: !sandbox,
            logs: Some(self.store.folder().join(LOGS)),
        };
        if players.iter().any(|player| player.player.is_external()) {
            programs.prepare_system()?;
        }
        Ok(programs)
    }

    /// The games of a share that are still to be played and can be, after a look at whether the
    /// programs of their players can be started.
    fn open_games(
        &mut self,
        shard: Shard,
        programs: &ProgramArgs,
        attendance: &mut Attendance,
        stop: &AtomicBool,
    ) -> Result<Vec<Fixture>, Failure> {
        loop {
            let mut open = self.missing_games(shard);
            // Who is out of a knockout stays out: others have gone on in his place.
            if self.schedule.unfolds() {
                open.retain(|fixture| self.schedule.can_be_played(fixture));
            }
            let newcomers = attendance.newcomers(&open);
            if newcomers.is_empty() {
                open.retain(|fixture| self.schedule.can_be_played(fixture));
                return Ok(open);
            }
            for player in newcomers {
                let Contestant { player: spec, depth, .. } = &self.plan.players[player];
                let ready = programs.make_ready(self.program, spec, *depth);
                if stop.load(Ordering::Relaxed) {
                    // A compiler that was interrupted says nothing of the program.
                    return Ok(Vec::new());
                }
                let ready = match ready {
                    Ok(()) => Ok(()),
                    Err(NotReady::Program(why)) => Err(why),
                    Err(NotReady::System(why)) => return Err(Failure::Run(anyhow!(why))),
                };
                attendance.add(player, ready);
            }
            self.set_absent(attendance)?;
        }
    }

    /// The games of a share that have not been played.
    pub(super) fn missing_games(&self, shard: Shard) -> Vec<Fixture> {
        let fixtures = (0..).zip(self.schedule.fixtures(&self.results));
        let missing = fixtures.filter(|(index, fixture)| {
            shard.has_number(*index) && !self.results.contains_key(&fixture.number)
        });
        missing.map(|(_, fixture)| fixture).collect()
    }

    /// Goes on without those who cannot play, and says so. The games of others are taken up which
    /// that makes known.
    fn set_absent(&mut self, attendance: &mut Attendance) -> Result<(), Failure> {
        let names: Vec<_> = self.plan.players.iter().map(|player| player.name.clone()).collect();
        attendance.warn(&names);
        if !self.schedule.unfolds() {
            self.absent.clear();
        }
        self.absent.extend(attendance.absent());
        self.schedule.set_absent(self.absent.keys().copied());
        let by_name = self.absent.iter().map(|(player, why)| (names[*player].clone(), why.clone()));
        self.store.set_absent(&by_name.collect())?;
        self.load_games()?;
        let whole = self.missing_games(Shard::WHOLE);
        let can_play = whole.iter().any(|fixture| self.schedule.can_be_played(fixture));
        match self.absent.iter().next() {
            Some((player, why)) if self.results.is_empty() && !can_play => {
                Err(Failure::Usage(format!("no game can be played: {}: {why}", names[*player])))
            }
            _ => Ok(()),
        }
    }

    /// Keeps a game that has just ended, and counts it.
    fn add(
        &mut self,
        fixture: &Fixture,
        game: &PlayedGame<P::Game>,
        progress: &ProgressBar,
        reported: &mut Instant,
    ) -> Result<(), Failure> {
        let record = record(self.program, game, self.players(fixture));
        self.store.save(fixture.number, &record)?;
        // From the record, as after a resumption, so that both count the same.
        self.take(fixture, &record).map_err(|fault| self.store.damaged(fixture.number, fault))?;
        progress.inc(1);
        if reported.elapsed() >= REPORT_INTERVAL {
            write_reports(&self.report()?, self.store.folder())?;
            *reported = Instant::now();
        }
        Ok(())
    }
}
