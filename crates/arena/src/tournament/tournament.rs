//! A tournament, with all games that have been played, and as work that processes share.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plyground::Game;
use plyground::book::{Book, Shard};
use plyground_durable::FileError;
use plyground_durable::lock::Locking;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};
use plyground_host::external::NotReady;
use plyground_host::record::{GameRecord, PlayerRecord, RecordError};
use plyground_host::referee::Conduct;
use plyground_host::{MoveText, SharedGame};

use super::fixture::{Fixture, FixtureConditions, GameNumber, GameResult};
use super::plan::{TournamentError, TournamentPlan};
use super::report::{ReportGame, TournamentReport};
use super::schedule::{Ranking, Schedule};
use super::standings::Standings;
use super::store::{GameStore, StoreError};
use crate::class_folder::check_outside;
use crate::contents::{ContentCheck, Contents, program_content};
use crate::programs::{ProgramOptions, check_given_moves, tie_break_opening};
use crate::seat::check_unattended;
use crate::second_try::Gate;

/// A tournament, with all games that have been played.
#[derive(Debug)]
pub struct Tournament {
    pub(super) game: SharedGame,
    pub(super) plan: TournamentPlan,
    /// The text of the plan in the store.
    plan_text: String,
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
    /// loads the games that the folder has. These games may belong to a plan with fewer rounds,
    /// players or pairings; only the new games are then played. Without a lock, the caller ensures that no other
    /// process uses the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the plan does not fit the game, or the folder does not fit the plan.
    pub fn open(
        game: &SharedGame,
        plan: TournamentPlan,
        folder: &Path,
        locking: Locking,
    ) -> Result<Tournament, TournamentError> {
        Tournament::with_store(game, plan, folder, Some(locking))
    }

    /// Creates the tournament with the store in `folder`, which is not opened without a `locking`.
    fn with_store(
        game: &SharedGame,
        mut plan: TournamentPlan,
        folder: &Path,
        locking: Option<Locking>,
    ) -> Result<Tournament, TournamentError> {
        let start = game.start();
        let path = plan.file.clone();
        let of_plan = |why| TournamentError::Plan(path.clone(), Box::new(why));
        plan.continue_from(folder).map_err(of_plan)?;
        if let Some(class) = &plan.class {
            check_outside(folder, class)?;
        }
        let openings = check_plan(game, &plan).map_err(of_plan)?;
        let ranking = if start.points().is_some() { Ranking::Matchups } else { Ranking::Wins };
        let specs: Vec<_> = plan.players.iter().map(|player| &player.player).collect();
        let tie_break = tie_break_opening(&**game, &specs);
        let has_tie_break = !game.tie_break_opening().is_empty();
        let plan_text = plan.to_json(&**game);
        let store = match locking {
            Some(locking) => GameStore::open(folder, &plan_text, locking)?,
            None => GameStore::unopened(folder),
        };
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
    fn be_without(&mut self, absent: &BTreeMap<String, String>) {
        let names = self.plan.players.iter().map(|player| &player.name);
        let known = (0..).zip(names).filter_map(|(index, name)| Some((index, absent.get(name)?)));
        self.absent = known.map(|(index, why)| (index, why.clone())).collect();
        self.schedule.set_absent(self.absent.keys().copied());
    }

    pub(super) fn load_games(&mut self) -> Result<(), StoreError> {
        let stored = self.store.numbers()?;
        self.take_all(|tournament, fixture| {
            let number = fixture.number;
            let is_stored = stored.binary_search(&number).is_ok();
            if !is_stored || tournament.damaged.contains_key(&number) {
                return Ok(false);
            }
            match tournament.store.load(number) {
                Ok(record) => tournament
                    .take(fixture, &record)
                    .map(|()| true)
                    .map_err(|fault| tournament.store.wrong_game(number, fault)),
                Err(why @ StoreError::Damaged(..)) => {
                    tournament.damaged.insert(number, why);
                    Ok(false)
                }
                Err(error) => Err(error),
            }
        })
    }

    /// Counts all games of the schedule that `find` finds and counts. In a knockout or a Swiss tournament, some games
    /// determine others.
    fn take_all<E>(
        &mut self,
        mut find: impl FnMut(&mut Tournament, &Fixture) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut has_found = true;
        while has_found {
            has_found = false;
            for fixture in self.missing_games(Shard::WHOLE) {
                has_found |= find(self, &fixture)?;
            }
        }
        Ok(())
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
        self.store.take_in(folder, &self.plan_text)
    }

    /// Checks that [`take_in`](Tournament::take_in) can take in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder belongs to another plan or cannot be read.
    pub fn check_share(&self, folder: &Path) -> Result<(), StoreError> {
        self.store.check_share(folder, &self.plan_text).map(drop)
    }

    /// Returns the players of a game, with the names in the record of the game.
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

    /// Returns the number of games in the whole tournament, without the games that decide even
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
        let mut report =
            TournamentReport::new(&*self.game, &self.plan, &self.schedule, self.ranking, standings);
        for game in self.games.values() {
            report.add(game);
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
    /// and then played all its games has no reason.
    fn missed(&self) -> BTreeMap<usize, String> {
        let open = self.missing_games(Shard::WHOLE);
        let is_missed = |player: &usize| {
            self.schedule.needs_all() || open.iter().any(|fixture| fixture.seats.contains(player))
        };
        let missed = self.absent.iter().filter(|(player, _)| is_missed(player));
        missed.map(|(player, why)| (*player, why.clone())).collect()
    }
}

/// Returns the reason why a player cannot play, if there is one.
pub(super) fn absence(ready: Result<(), NotReady>) -> Result<Option<String>, TournamentError> {
    match ready {
        Ok(()) => Ok(None),
        Err(NotReady::Program(why) | NotReady::Lacking(why)) => Ok(Some(why)),
        Err(NotReady::System(why)) => Err(TournamentError::NotReady(why)),
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
            .map_err(|why| TournamentError::Player(player.name.clone(), why))?;
    }
    let openings = plan.openings.draw(&game.start(), plan.seed)?;
    if openings.iter().any(|opening| !opening.is_empty()) {
        let specs: Vec<_> = plan.players.iter().map(|player| &player.player).collect();
        check_given_moves(&**game, &specs, "leave out `openings`")?;
    }
    Ok(openings)
}

/// A tournament whose games are pieces of work. A piece has the number of its game as its name, and
/// the record of the game as its result.
#[derive(Debug)]
pub struct SharedTournament {
    known: Mutex<Known>,
    programs: ProgramOptions,
    check: ContentCheck,
    gate: Gate,
}

/// The tournament and its known games.
#[derive(Debug)]
struct Known {
    tournament: Tournament,
    fixtures: HashMap<String, Fixture>,
}

impl SharedTournament {
    /// Creates the tournament of a plan whose level of sandboxes is settled. It writes nothing into
    /// `folder` except the logs of programs. `absent` has the absent players, and `contents` the
    /// contents of the programs.
    pub fn new(
        game: &SharedGame,
        plan: TournamentPlan,
        folder: &Path,
        absent: &BTreeMap<String, String>,
        contents: Contents,
    ) -> Result<SharedTournament, TournamentError> {
        let mut tournament = Tournament::with_store(game, plan, folder, None)?;
        tournament.be_without(absent);
        let programs = tournament.programs();
        let check = ContentCheck::new(contents, programs.clone());
        let known = Mutex::new(Known { tournament, fixtures: HashMap::new() });
        Ok(SharedTournament { known, programs, check, gate: Gate::default() })
    }

    /// Returns the text that identifies the tournament.
    pub fn title(&self) -> String {
        self.lock().tournament.plan_text.clone()
    }

    /// Returns the options for external programs.
    pub fn programs(&self) -> &ProgramOptions {
        &self.programs
    }

    /// Returns the contents of all programs.
    pub fn contents(&self) -> Contents {
        let known = self.lock();
        let players = known.tournament.plan.players.iter();
        players
            .filter_map(|player| {
                Some((player.player.to_string(), program_content(&player.player)?))
            })
            .collect()
    }

    /// Returns the players that cannot be started on this computer, by name, with the reasons.
    ///
    /// # Errors
    ///
    /// Returns an error if the OS lacks something that a program needs to start, or if too few
    /// players remain for a game.
    pub fn absent(&self) -> Result<BTreeMap<String, String>, TournamentError> {
        let known = self.lock();
        let Tournament { game, plan, .. } = &known.tournament;
        let mut absent = BTreeMap::new();
        for player in &plan.players {
            let ready = self.programs.make_ready(&**game, &player.player, player.depth);
            absent.extend(absence(ready)?.map(|why| (player.name.clone(), why)));
        }
        match absent.iter().next() {
            Some((name, why)) if absent.len() + 1 >= plan.players.len() => {
                Err(TournamentError::NoGame { name: name.clone(), why: why.clone() })
            }
            _ => Ok(absent),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workload for SharedTournament {
    fn pieces(&self, folder: &WorkFolder) -> Result<Vec<String>, WorkError> {
        let mut known = self.lock();
        let Known { tournament, fixtures } = &mut *known;
        if fixtures.is_empty() || tournament.schedule.unfolds() {
            tournament.load_results(folder)?;
            let all = tournament.schedule.fixtures(&tournament.results);
            let playable = all.into_iter().filter(|it| tournament.schedule.can_be_played(it));
            *fixtures = playable.map(|fixture| (fixture.number.to_string(), fixture)).collect();
        }
        let mut pieces: Vec<_> = fixtures.values().map(|fixture| fixture.number).collect();
        pieces.sort_unstable();
        Ok(pieces.iter().map(ToString::to_string).collect())
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let known = self.lock();
        let fixture = known.fixtures.get(piece).copied();
        let fixture = fixture.ok_or_else(|| PieceError::Failed("there is no such game".into()))?;
        let Tournament { game, plan, conditions, .. } = &known.tournament;
        let (game, conditions) = (game.clone(), conditions.clone());
        let (players, seats) = (plan.players.clone(), known.tournament.seats(stop));
        let names = known.tournament.players(&fixture);
        drop(known);
        for player in fixture.seats.map(|player| &players[player]) {
            self.check.check(&*game, &player.player, player.depth)?;
        }
        let seat = |number, player, seed| seats.player(number, player, seed);
        let played = match conditions.play(&fixture, &seat, stop, &self.gate) {
            Ok(_) if stop.load(Ordering::Relaxed) => return Ok(None),
            Ok(played) => played,
            Err(why) => return Err(PieceError::Failed(why.to_string())),
        };
        let text = GameRecord::of(&played, names).to_sealed_text();
        text.map(|text| Some(text.into_bytes()))
            .map_err(|error| PieceError::Failed(error.to_string()))
    }
}

impl Tournament {
    /// Takes in the games that many processes have played, and the absent players. The games count
    /// after [`Tournament::load`]. A game that is already in this store is unchanged, unless it is
    /// damaged.
    pub fn take_in_work(
        &self,
        folder: &WorkFolder,
        absent: &BTreeMap<String, String>,
    ) -> Result<(), TournamentError> {
        let shared = |error: WorkError| TournamentError::Shared(Box::new(error));
        let done = folder.done().map_err(shared)?;
        for number in done.iter().filter_map(|name| name.parse().ok()) {
            if self.store.load(number).is_ok() {
                continue;
            }
            let Some(text) = folder.result(&number.to_string()).map_err(shared)? else { continue };
            let record = GameRecord::parse(&String::from_utf8_lossy(&text))
                .map_err(|fault| self.store.wrong_game(number, fault))?;
            self.store.save(number, &record)?;
        }
        Ok(self.store.set_absent(absent)?)
    }

    /// Counts the finished games, which determine further games in some formats.
    fn load_results(&mut self, folder: &WorkFolder) -> Result<(), WorkError> {
        if !self.schedule.unfolds() {
            return Ok(());
        }
        let done = folder.done()?;
        self.take_all(|tournament, fixture| {
            let piece = fixture.number.to_string();
            let is_done = done.contains(&piece);
            let result = if is_done { folder.result(&piece)? } else { None };
            let Some(text) = result else { return Ok(false) };
            GameRecord::parse(&String::from_utf8_lossy(&text))
                .and_then(|record| tournament.take(fixture, &record))
                .map(|()| true)
                .map_err(|fault| folder.wrong_result(&piece, &fault))
        })
    }
}
