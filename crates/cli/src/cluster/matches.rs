//! A match whose pairs of games tasks play.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use plyground_arena::alone::Gate;
use plyground_arena::contents::{ContentCheck, program_content};
use plyground_arena::matches::{Entrant, GamePair, play_pair};
use plyground_arena::programs::settle_level;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload, piece_name};
use plyground_host::SharedGame;
use plyground_host::record::GameRecord;
use plyground_sandbox::SandboxLevel;

use super::job::{Job, Prepared, contents};
use super::machine::Order;
use crate::failure::Failure;
use crate::matches::{MatchArgs, MatchSetup};

struct MatchJob {
    game: SharedGame,
    setup: MatchSetup,
    check: ContentCheck,
    is_external: bool,
}

/// Shares a match.
pub(super) fn job(
    game: &SharedGame,
    mut args: MatchArgs,
    order: Option<&Order>,
) -> Result<Box<dyn Job>, Failure> {
    let Some(seed) = args.seed.filter(|_| args.sprt.is_none() && args.jobs.get() == 1) else {
        let fault = "expected match with --seed, and without --sprt and --jobs, for tasks share it";
        return Err(Failure::Usage(fault.to_owned()));
    };
    let is_external = args.a.is_external() || args.b.is_external();
    let sandbox = &mut args.programs.sandbox;
    sandbox.sandbox = match order {
        Some(order) => order.level,
        None => is_external.then(|| settle_level(sandbox.sandbox)).transpose()?,
    };
    let setup = MatchSetup::new(game, &args, seed)?;
    let check = ContentCheck::new(contents(order), setup.programs.clone());
    Ok(Box::new(MatchJob { game: SharedGame::clone(game), setup, check, is_external }))
}

impl MatchJob {
    /// A pair that is done.
    fn pair(&self, folder: &WorkFolder, index: usize) -> Result<Option<GamePair>, Failure> {
        let piece = piece_name(index, "");
        let Some(text) = folder.result(&piece)? else { return Ok(None) };
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::Run(anyhow!("{}: {why}", folder.result_file(&piece).display()))
        };
        let texts: [String; 2] = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
        let [one, other] = texts.map(|text| {
            let record = GameRecord::parse(&text).map_err(|fault| wrong(&fault))?;
            record.check_from(&self.setup.conditions.start).map_err(|fault| wrong(&fault))
        });
        Ok(Some(GamePair { index, games: [one?, other?] }))
    }
}

impl Workload for MatchJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        Ok((0..self.setup.args.pairs()).map(|index| piece_name(index, "")).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let MatchSetup { args, conditions, .. } = &self.setup;
        for spec in [&args.a, &args.b] {
            self.check.check(&*self.game, spec, args.depth.map(u32::from))?;
        }
        let failed = |why: &dyn ToString| PieceError::Failed(why.to_string());
        let index = piece.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let index = index.ok_or_else(|| failed(&"there is no such pair"))?;
        let opening = conditions.openings.get(index);
        let opening = opening.ok_or_else(|| failed(&"there is no such pair"))?;
        let seat = |entrant: Entrant, chance| {
            self.setup.player(entrant, chance, &format!("{piece}-{entrant:?}.log"), stop)
        };
        let pair = play_pair(conditions, &seat, stop, &Gate::default(), index, opening);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let pair = pair.map_err(|error| failed(&error))?;
        let mut texts = Vec::new();
        for (played, seats) in pair.games.iter().zip(Entrant::SEATS) {
            let record = GameRecord::of(played, self.setup.records(seats));
            texts.push(record.to_sealed_text().map_err(|error| failed(&error))?);
        }
        serde_json::to_vec(&texts).map(Some).map_err(|error| failed(&error))
    }
}

impl Job for MatchJob {
    fn workload(&self) -> &dyn Workload {
        self
    }

    fn title(&self) -> String {
        let MatchSetup { args, conditions, .. } = &self.setup;
        let lines = [
            "match".to_owned(),
            format!("{} {}", self.game.name(), self.game.rules()),
            format!("A {}", args.a),
            format!("B {}", args.b),
            format!("{} pairs, openings of {} plies", args.pairs(), args.plies.0),
            format!("seed {}", conditions.seed),
            format!(
                "at most {} plies, {:?} for a move, {:?} more",
                args.ply_cap, args.time_limit, args.margin
            ),
            format!(
                "table of {} MiB, {:?}, depth {:?}",
                args.table,
                args.book,
                args.depth.map(u32::from)
            ),
            format!("{:?}", self.setup.programs),
        ];
        lines.map(|line| line + "\n").concat()
    }

    fn namesake(&self) -> &Path {
        Path::new("match")
    }

    fn level(&self) -> Option<SandboxLevel> {
        self.setup.args.programs.sandbox.sandbox.filter(|_| self.is_external)
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        self.setup.prepare()?;
        let players = [&self.setup.args.a, &self.setup.args.b].into_iter();
        let contents = players.filter_map(|spec| Some((spec.to_string(), program_content(spec)?)));
        Ok(Prepared { contents: contents.collect(), ..Prepared::default() })
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let mut pairs = Vec::new();
        for index in 0..self.setup.args.pairs() {
            pairs.extend(self.pair(folder, index)?);
        }
        self.setup.show(&pairs)
    }
}
