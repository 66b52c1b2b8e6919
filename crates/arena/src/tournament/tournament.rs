//! A tournament, and all that has been played of it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use plyground::Game;
use plyground::book::{Book, Shard};
use plyground_durable::output::WriteError;
use plyground_host::record::{GameRecord, PlayerRecord, RecordError};
use plyground_host::referee::Conduct;
use plyground_host::{MoveText, SharedGame};

use super::plan::TournamentPlan;
use super::report::{ReportGame, TournamentReport};
use super::result::GameResult;
use super::run::FixtureConditions;
use super::schedule::{Fixture, Ranking, Schedule};
use super::standings::Standings;
use super::store::{GameStore, StoreError};
use super::{GameNumber, TournamentError};
use crate::programs::{check_given_moves, tie_break_opening};
use crate::seat::check_unattended;
use crate::submissions::check_outside;

/// A tournament, and all that has been played of it.
#[derive(Debug)]
pub struct Tournament {
    pub(super) game: SharedGame,
    pub(super) plan: TournamentPlan,
    /// The plan as the store knows it.
    pub(super) plan_text: String,
    ranking: Ranking,
    pub(super) schedule: Schedule,
    pub(super) conditions: FixtureConditions,
    pub(super) book: Option<Book>,
    pub(super) store: GameStore,
    pub(super) results: BTreeMap<GameNumber, GameResult>,
    pub(super) games: BTreeMap<GameNumber, ReportGame>,
    /// Why players cannot play, by their indices.
    pub(super) absent: BTreeMap<usize, String>,
    /// What is wrong with games that are not as they were written. They count as not played.
    damaged: BTreeMap<GameNumber, StoreError>,
}

impl Tournament {
    /// Opens the tournament whose games are kept in `folder`, or begins one. Those that are there
    /// are taken up by [`Tournament::load`]. They may be those of a plan with fewer rounds or players, or
    /// fewer pairings: what is new is played, and what has been played stays.
    ///
    /// # Errors
    ///
    /// When the plan does not fit the game, or the folder does not fit the plan.
    pub fn open(
        game: &SharedGame,
        plan: TournamentPlan,
        folder: &Path,
    ) -> Result<Tournament, TournamentError> {
        Tournament::with_store(game, plan, folder, |plan| GameStore::open(folder, plan))
    }

    /// Makes the tournament with the store that `open` opens for the text of the plan.
    pub(super) fn with_store(
        game: &SharedGame,
        mut plan: TournamentPlan,
        folder: &Path,
        open: impl FnOnce(&str) -> Result<GameStore, StoreError>,
    ) -> Result<Tournament, TournamentError> {
        let start = game.start();
        plan.keep_order_of(folder);
        if let Some(class) = &plan.class {
            check_outside(folder, class)?;
        }
        let openings = check_plan(game, &plan)
            .map_err(|why| TournamentError::Plan { path: plan.file.clone(), why: Box::new(why) })?;
        let ranking = if start.points().is_some() { Ranking::Matchups } else { Ranking::Wins };
        let specs: Vec<_> = plan.players.iter().map(|player| &player.player).collect();
        let tie_break = tie_break_opening(&**game, &specs);
        let has_tie_break = !game.tie_break_opening().is_empty();
        let plan_text = plan.to_json(&**game);
        let store = open(&plan_text)?;
        let (wall_limit, ply_cap) = (plan.wall_limit(), plan.ply_cap);
        let conduct = Conduct { wall_limit, ply_cap, opening: Vec::new() };
        let jobs = NonZeroUsize::MIN;
        Ok(Tournament {
            game: game.clone(),
            ranking,
            schedule: Schedule::new(&plan, ranking, has_tie_break),
            conditions: FixtureConditions { start, openings, tie_break, conduct, jobs },
            book: game.book()?,
            store,
            plan,
            plan_text,
            results: BTreeMap::new(),
            games: BTreeMap::new(),
            absent: BTreeMap::new(),
            damaged: BTreeMap::new(),
        })
    }

    /// Takes up which players were absent, and the games of the store.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or has a game that the plan has not.
    pub fn load(&mut self) -> Result<(), StoreError> {
        let absent = self.store.absent()?;
        let names = self.plan.players.iter().map(|player| &player.name);
        let known = (0..).zip(names).filter_map(|(index, name)| Some((index, absent.get(name)?)));
        self.absent = known.map(|(index, why)| (index, why.clone())).collect();
        self.schedule.set_absent(self.absent.keys().copied());
        self.load_games()
    }

    /// In a knockout, some games make others known.
    pub(super) fn load_games(&mut self) -> Result<(), StoreError> {
        let stored = self.store.numbers()?;
        loop {
            let fixtures = self.schedule.fixtures(&self.results);
            let is_new = |fixture: &&Fixture| {
                stored.binary_search(&fixture.number).is_ok()
                    && !self.results.contains_key(&fixture.number)
                    && !self.damaged.contains_key(&fixture.number)
            };
            let new: Vec<Fixture> = fixtures.iter().filter(is_new).copied().collect();
            if new.is_empty() {
                return Ok(());
            }
            for fixture in new {
                match self.store.load(fixture.number) {
                    Ok(record) => self
                        .take(&fixture, &record)
                        .map_err(|fault| self.store.wrong_game(fixture.number, fault))?,
                    Err(why @ StoreError::Damaged { .. }) => {
                        self.damaged.insert(fixture.number, why);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Counts a game, after a look at whether it is the one that the plan asks for.
    pub(super) fn take(
        &mut self,
        fixture: &Fixture,
        record: &GameRecord,
    ) -> Result<(), RecordError> {
        let players = [&record.header.first, &record.header.second];
        let is_planned = record.header.game == self.game.name()
            && record.header.rules == self.game.rules()
            && players == self.players(fixture).each_ref();
        if !is_planned {
            return Err(RecordError::new(1, "not the game that the plan has here"));
        }
        let game = record.check_from(&self.conditions.start)?;
        let opening = game.moves.iter().take_while(|played| played.forced).map(|played| played.mv);
        if !opening.eq(self.conditions.opening(fixture).iter().copied()) {
            return Err(RecordError::new(1, "not the opening that the plan has here"));
        }
        let result = GameResult::new(fixture, &game, self.plan.forfeit_points);
        self.games.insert(fixture.number, ReportGame::new(&result, &game));
        self.results.insert(fixture.number, result);
        Ok(())
    }

    /// What is wrong with games that are not as they were written. They count as not played, and
    /// are played again.
    pub fn damaged(&self) -> impl Iterator<Item = &StoreError> {
        self.damaged.values()
    }

    /// Takes in the games in the folder of another share of the tournament; they count after
    /// [`Tournament::load`]. Returns what is wrong with those that are damaged.
    ///
    /// # Errors
    ///
    /// When it is that of another plan, or when a file cannot be read or written.
    pub fn take_in(&self, folder: &Path) -> Result<Vec<StoreError>, StoreError> {
        Ok(self.store.take_in(folder, &self.plan_text)?.1)
    }

    /// Refuses a folder that [`take_in`](Tournament::take_in) cannot take in.
    ///
    /// # Errors
    ///
    /// When it is that of another plan, or cannot be read.
    pub fn check_share(&self, folder: &Path) -> Result<(), StoreError> {
        self.store.check_share(folder, &self.plan_text).map(drop)
    }

    /// The players of a game as its record has them.
    pub(super) fn players(&self, fixture: &Fixture) -> [PlayerRecord; 2] {
        fixture.seats.map(|player| {
            let player = &self.plan.players[player];
            PlayerRecord { name: player.name.clone(), player: player.player.to_string() }
        })
    }

    /// The folder with its games and reports.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// How many games there are to be, without those that decide even meetings.
    #[must_use]
    pub fn scheduled(&self) -> usize {
        self.schedule.total()
    }

    /// How many have been played.
    #[must_use]
    pub fn played(&self) -> usize {
        self.results.len()
    }

    /// The games of a share that have not been played.
    pub(super) fn missing_games(&self, shard: Shard) -> Vec<Fixture> {
        let fixtures = (0..).zip(self.schedule.fixtures(&self.results));
        let missing = fixtures.filter(|(index, fixture)| {
            shard.has_number(*index) && !self.results.contains_key(&fixture.number)
        });
        missing.map(|(_, fixture)| fixture).collect()
    }

    /// All that is known of it.
    #[must_use]
    pub fn report(&self) -> TournamentReport {
        let progress = self.schedule.progress(&self.results);
        let standings = Standings::new(&progress, self.ranking, &self.results, &self.missed());
        let mut report = TournamentReport::new(
            &*self.game,
            &self.plan,
            &self.schedule,
            self.ranking,
            &standings,
        );
        for game in self.games.values() {
            report.add(&standings, game);
        }
        report
    }

    /// Writes all reports into the [folder](Tournament::folder).
    ///
    /// # Errors
    ///
    /// When the OS refuses.
    pub fn write_report(&self) -> Result<TournamentReport, WriteError> {
        let report = self.report();
        report.save(self.folder())?;
        Ok(report)
    }

    /// Why players have games that were not played. A player that was absent, and is no more, has
    /// none.
    fn missed(&self) -> BTreeMap<usize, String> {
        let open = self.missing_games(Shard::WHOLE);
        let is_missed = |player: &usize| {
            self.schedule.needs_all() || open.iter().any(|fixture| fixture.seats.contains(player))
        };
        let missed = self.absent.iter().filter(|(player, _)| is_missed(player));
        missed.map(|(player, why)| (*player, why.clone())).collect()
    }
}

/// The openings of the plan, if the game has its players and they can play them.
fn check_plan(
    game: &SharedGame,
    plan: &TournamentPlan,
) -> Result<Vec<Vec<MoveText>>, TournamentError> {
    for player in &plan.players {
        check_unattended(&**game, &player.player)
            .map_err(|why| TournamentError::Player { name: player.name.clone(), why })?;
    }
    let openings = plan.openings.draw(&game.start(), plan.seed)?;
    if openings.iter().any(|opening| !opening.is_empty()) {
        let specs: Vec<_> = plan.players.iter().map(|player| &player.player).collect();
        check_given_moves(&**game, &specs, "leave out `openings`")?;
    }
    Ok(openings)
}
