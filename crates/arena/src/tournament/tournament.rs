//! A tournament, with all games that have been played.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use plyground::Game;
use plyground::book::{Book, Shard};
use plyground_durable::FileError;
use plyground_host::record::{GameRecord, PlayerRecord, RecordError};
use plyground_host::referee::Conduct;
use plyground_host::{MoveText, SharedGame};

use super::error::TournamentError;
use super::fixture::{Fixture, FixtureConditions, GameNumber};
use super::plan::TournamentPlan;
use super::report::{ReportGame, TournamentReport};
use super::result::GameResult;
use super::schedule::{Ranking, Schedule};
use super::standings::Standings;
use super::store::{GameStore, StoreError};
use crate::programs::{check_given_moves, tie_break_opening};
use crate::seat::check_unattended;
use crate::submissions::check_outside;

/// A tournament, with all games that have been played.
#[derive(Debug)]
pub struct Tournament {
    pub(super) game: SharedGame,
    pub(super) plan: TournamentPlan,
    /// The text of the plan in the store.
    pub(super) plan_text: String,
    ranking: Ranking,
    pub(super) schedule: Schedule,
    pub(super) conditions: FixtureConditions,
    pub(super) book: Option<Book>,
    pub(super) store: GameStore,
    pub(super) results: BTreeMap<GameNumber, GameResult>,
    pub(super) games: BTreeMap<GameNumber, ReportGame>,
    /// The reasons why players cannot play, by the indices of the players.
    pub(super) absent: BTreeMap<usize, String>,
    /// The faults of damaged games, which count as not played.
    damaged: BTreeMap<GameNumber, StoreError>,
}

impl Tournament {
    /// Opens the tournament whose games are stored in `folder`, or begins one. [`Tournament::load`]
    /// loads the games that the folder has. They may be those of a plan with fewer rounds, players
    /// or pairings: only the new games are played.
    ///
    /// # Errors
    ///
    /// Returns an error if the plan does not fit the game, or the folder does not fit the plan.
    pub fn open(
        game: &SharedGame,
        plan: TournamentPlan,
        folder: &Path,
    ) -> Result<Tournament, TournamentError> {
        Tournament::with_store(game, plan, folder, |plan| GameStore::open(folder, plan))
    }

    /// Creates the tournament with the store that `open` opens for the text of the plan.
    pub(super) fn with_store(
        game: &SharedGame,
        mut plan: TournamentPlan,
        folder: &Path,
        open: impl FnOnce(&str) -> Result<GameStore, StoreError>,
    ) -> Result<Tournament, TournamentError> {
        let start = game.start();
        plan.continue_from(folder).map_err(|why| TournamentError::Plan {
            path: plan.file.clone(),
            why: Box::new(why.into()),
        })?;
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

    /// Loads the absent players and the games of the store.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be read, or has a game that the plan does not have.
    pub fn load(&mut self) -> Result<(), StoreError> {
        let absent = self.store.absent()?;
        self.be_without(&absent);
        self.load_games()
    }

    /// Continues without the players with these names.
    pub(super) fn be_without(&mut self, absent: &BTreeMap<String, String>) {
        let names = self.plan.players.iter().map(|player| &player.name);
        let known = (0..).zip(names).filter_map(|(index, name)| Some((index, absent.get(name)?)));
        self.absent = known.map(|(index, why)| (index, why.clone())).collect();
        self.schedule.set_absent(self.absent.keys().copied());
    }

    /// Loads the games of the store. In a knockout, some games determine others.
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

    /// Counts a game, after a check that it is the game in the plan.
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

    /// Returns the faults of damaged games. They count as not played, and are played again.
    pub fn damaged(&self) -> impl Iterator<Item = &StoreError> {
        self.damaged.values()
    }

    /// Takes in the games in the folder of another share of the tournament; they count after
    /// [`Tournament::load`]. Returns the faults of the damaged games.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder belongs to another plan, or if a file cannot be read or
    /// written.
    pub fn take_in(&self, folder: &Path) -> Result<Vec<StoreError>, StoreError> {
        Ok(self.store.take_in(folder, &self.plan_text)?.1)
    }

    /// Checks that [`take_in`](Tournament::take_in) can take in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder belongs to another plan or cannot be read.
    pub fn check_share(&self, folder: &Path) -> Result<(), StoreError> {
        self.store.check_share(folder, &self.plan_text).map(drop)
    }

    /// Returns the players of a game as its record names them.
    pub(super) fn players(&self, fixture: &Fixture) -> [PlayerRecord; 2] {
        fixture.seats.map(|player| {
            let player = &self.plan.players[player];
            PlayerRecord { name: player.name.clone(), player: player.player.to_string() }
        })
    }

    /// Returns the folder with the games and reports.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// Returns the number of games in the whole tournament, without those that decide even
    /// meetings.
    pub fn scheduled(&self) -> usize {
        self.schedule.total()
    }

    /// Returns the number of games that have been played.
    pub fn played(&self) -> usize {
        self.results.len()
    }

    /// Returns the games of a share that have not been played.
    pub(super) fn missing_games(&self, shard: Shard) -> Vec<Fixture> {
        let fixtures = (0..).zip(self.schedule.fixtures(&self.results));
        let missing = fixtures.filter(|(index, fixture)| {
            shard.has_number(*index) && !self.results.contains_key(&fixture.number)
        });
        missing.map(|(_, fixture)| fixture).collect()
    }

    /// Returns the report of the tournament.
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
    pub fn write_report(&self) -> Result<TournamentReport, FileError> {
        let report = self.report();
        report.save(self.folder())?;
        Ok(report)
    }

    /// Returns the reasons why players have games that were not played. A player that was absent
    /// and then played all its games has none.
    fn missed(&self) -> BTreeMap<usize, String> {
        let open = self.missing_games(Shard::WHOLE);
        let is_missed = |player: &usize| {
            self.schedule.needs_all() || open.iter().any(|fixture| fixture.seats.contains(player))
        };
        let missed = self.absent.iter().filter(|(player, _)| is_missed(player));
        missed.map(|(player, why)| (*player, why.clone())).collect()
    }
}

/// Draws the openings of the plan, after a check that the game has the players and that they can
/// play the openings.
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
