//! A tournament as work that processes share.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};
use plyground_host::SharedGame;
use plyground_host::external::NotReady;
use plyground_host::record::GameRecord;

use super::error::TournamentError;
use super::fixture::Fixture;
use super::plan::TournamentPlan;
use super::store::GameStore;
use super::tournament::Tournament;
use crate::alone::Gate;
use crate::contents::{ContentCheck, Contents, program_content};
use crate::programs::ProgramOptions;

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
        let open = |_: &str| Ok(GameStore::unopened(folder));
        let mut tournament = Tournament::with_store(game, plan, folder, open)?;
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

    /// Returns true if external programs are among the players.
    pub fn has_programs(&self) -> bool {
        self.lock().tournament.has_programs()
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
            match self.programs.make_ready(&**game, &player.player, player.depth) {
                Ok(()) => {}
                Err(NotReady::Program(why)) => {
                    absent.insert(player.name.clone(), why);
                }
                Err(NotReady::System(why)) => return Err(TournamentError::NotReady(why)),
            }
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
    /// Opens the tournament like [`Tournament::open`], even if the file system has no locks. The
    /// caller ensures that no other process uses the folder.
    pub fn open_lockless(
        game: &SharedGame,
        plan: TournamentPlan,
        folder: &Path,
    ) -> Result<Tournament, TournamentError> {
        Tournament::with_store(game, plan, folder, |plan| GameStore::open_lockless(folder, plan))
    }

    /// Takes in the games that many processes have played, and the absent players. The games count
    /// after [`Tournament::load`]. A game that is already here stays as it is.
    pub fn take_in_work(
        &self,
        folder: &WorkFolder,
        absent: &BTreeMap<String, String>,
    ) -> Result<(), TournamentError> {
        let shared = |error: WorkError| TournamentError::Shared(Box::new(error));
        let done = folder.done().map_err(shared)?;
        for number in done.iter().filter_map(|name| name.parse().ok()) {
            if self.store.path(number).exists() && self.store.load(number).is_ok() {
                continue;
            }
            let Some(text) = folder.result(&number.to_string()).map_err(shared)? else { continue };
            let record = GameRecord::parse(&String::from_utf8_lossy(&text))
                .map_err(|fault| self.store.wrong_game(number, fault))?;
            self.store.save(number, &record)?;
        }
        Ok(self.store.set_absent(absent)?)
    }

    /// Counts the finished games. In some formats they determine further games.
    fn load_results(&mut self, folder: &WorkFolder) -> Result<(), WorkError> {
        if !self.schedule.unfolds() {
            return Ok(());
        }
        let done = folder.done()?;
        loop {
            let fixtures = self.schedule.fixtures(&self.results);
            let is_new = |fixture: &&Fixture| {
                !self.results.contains_key(&fixture.number)
                    && done.contains(&fixture.number.to_string())
            };
            let new: Vec<Fixture> = fixtures.iter().filter(is_new).copied().collect();
            let mut taken = 0;
            for fixture in new {
                let piece = fixture.number.to_string();
                let Some(text) = folder.result(&piece)? else { continue };
                let record = GameRecord::parse(&String::from_utf8_lossy(&text));
                record
                    .and_then(|record| self.take(&fixture, &record))
                    .map_err(|fault| folder.wrong_result(&piece, &fault))?;
                taken += 1;
            }
            if taken == 0 {
                return Ok(());
            }
        }
    }
}
