//! The playing of games of a tournament, several at a time, in one process or in many.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plyground_durable::pool::{self, NoThread};
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};
use plyground_host::external::NotReady;
use plyground_host::player::Player;
use plyground_host::record::GameRecord;
use plyground_host::referee::{Conduct, Interrupted, PlayedGame, Silent, play};
use plyground_host::{HostedPosition, MoveText, SharedGame};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::plan::TournamentPlan;
use super::schedule::{Fixture, FixtureOpening};
use super::store::GameStore;
use super::tournament::Tournament;
use super::{GameNumber, TournamentError};
use crate::alone::{Gate, pin_to_core};
use crate::contents::{ContentCheck, Contents, program_content};
use crate::matches::Stoppable;
use crate::programs::ProgramOptions;

/// The conditions of the games.
#[derive(Clone, Debug)]
pub(super) struct FixtureConditions {
    /// The position before the openings.
    pub(super) start: HostedPosition,
    /// The openings, by their indices.
    pub(super) openings: Vec<Vec<MoveText>>,
    /// The opening of a game that decides an even meeting.
    pub(super) tie_break: Vec<MoveText>,
    /// The conduct of a game, except its opening.
    pub(super) conduct: Conduct,
    /// The number of games that are played at a time. If there are several, each has a processor
    /// core for itself and all programs that it starts.
    pub(super) jobs: NonZeroUsize,
}

impl FixtureConditions {
    /// Returns the moves of the opening of a game.
    pub(super) fn opening(&self, fixture: &Fixture) -> &[MoveText] {
        match fixture.opening {
            FixtureOpening::Drawn(index) => self.openings.get(index).map_or(&[], Vec::as_slice),
            FixtureOpening::TieBreak => &self.tie_break,
        }
    }

    pub(super) fn play<'p>(
        &self,
        fixture: &Fixture,
        seat: &impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p>,
        stop: &AtomicBool,
        gate: &Gate,
    ) -> Result<PlayedGame, Interrupted> {
        gate.through(|again| {
            let game = self.play_once(fixture, seat, stop)?;
            Ok(PlayedGame { again: again.map(str::to_owned), ..game })
        })
    }

    fn play_once<'p>(
        &self,
        fixture: &Fixture,
        seat: &impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p>,
        stop: &AtomicBool,
    ) -> Result<PlayedGame, Interrupted> {
        let mut rng = StdRng::seed_from_u64(fixture.seed);
        let [mut first, mut second] = fixture
            .seats
            .map(|player| Stoppable { player: seat(fixture.number, player, rng.random()), stop });
        let conduct = Conduct { opening: self.opening(fixture).to_vec(), ..self.conduct.clone() };
        play(&self.start, [&mut first, &mut second], &conduct, &mut Silent)
    }
}

/// Plays games, and calls `on_game` with each as soon as it ends, or with the reason if the system
/// failed at it twice.
///
/// `seat` creates a player from the number of a game, the index of the player, and a seed, on which
/// alone its random choices should depend. Only one player of a game thinks at a time, so as many
/// programs think at a time as there are jobs.
///
/// If `stop` is raised, games in progress are abandoned as soon as their players answer, without a
/// call of `on_game`. The function itself raises `stop` when `on_game` fails.
///
/// # Errors
///
/// Returns an error if `on_game` fails, an opening is illegal, or the OS has no more threads.
pub(super) fn run<'p, E: From<Interrupted> + From<NoThread>>(
    conditions: &FixtureConditions,
    fixtures: &[Fixture],
    seat: impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p> + Sync,
    stop: &AtomicBool,
    mut on_game: impl FnMut(&Fixture, Result<PlayedGame, String>) -> Result<(), E>,
) -> Result<(), E> {
    let given = AtomicUsize::new(0);
    let next = || fixtures.get(given.fetch_add(1, Ordering::Relaxed));
    let games = NonZeroUsize::new(fixtures.len()).unwrap_or(NonZeroUsize::MIN);
    let gate = Gate::default();
    let work = |job, fixture| {
        if conditions.jobs > NonZeroUsize::MIN {
            pin_to_core(job);
        }
        (fixture, conditions.play(fixture, &seat, stop, &gate))
    };
    pool::run(conditions.jobs.min(games), stop, next, work, |(fixture, game)| match game {
        Err(Interrupted::System { why }) => on_game(fixture, Err(why)),
        game => on_game(fixture, Ok(game?)),
    })
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
    ///
    /// # Errors
    ///
    /// Returns an error if the plan does not fit the game.
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
    #[must_use]
    pub fn title(&self) -> String {
        self.lock().tournament.plan_text.clone()
    }

    /// Returns the options for external programs.
    #[must_use]
    pub fn programs(&self) -> &ProgramOptions {
        &self.programs
    }

    /// Returns true if external programs are among the players.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        self.lock().tournament.has_programs()
    }

    /// Returns the contents of all programs.
    #[must_use]
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
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Tournament::open`].
    pub fn open_lockless(
        game: &SharedGame,
        plan: TournamentPlan,
        folder: &Path,
    ) -> Result<Tournament, TournamentError> {
        Tournament::with_store(game, plan, folder, |plan| GameStore::open_lockless(folder, plan))
    }

    /// Continues without the players with these names.
    fn be_without(&mut self, absent: &BTreeMap<String, String>) {
        let names = self.plan.players.iter().map(|player| &player.name);
        let known = (0..).zip(names).filter_map(|(index, name)| Some((index, absent.get(name)?)));
        self.absent = known.map(|(index, why)| (index, why.clone())).collect();
        self.schedule.set_absent(self.absent.keys().copied());
    }

    /// Takes in the games that many processes have played, and the absent players. The games count
    /// after [`Tournament::load`]. A game that is already here stays as it is.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read or written.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plyground_host::player::Random;
    use plyground_host::toy::toy;

    use super::*;

    type Failure = Box<dyn std::error::Error>;

    const FULL: &str = "full";

    fn fixtures(count: u32) -> Vec<Fixture> {
        let fixture = |game| Fixture {
            number: GameNumber { meeting: 0, game },
            seats: [0, 1],
            opening: FixtureOpening::Drawn(0),
            seed: u64::from(game),
        };
        (0..count).map(fixture).collect()
    }

    fn conditions(jobs: usize) -> FixtureConditions {
        FixtureConditions {
            start: toy().start(),
            openings: vec![Vec::new()],
            tie_break: Vec::new(),
            conduct: Conduct::default(),
            jobs: NonZeroUsize::new(jobs).expect("a job"),
        }
    }

    fn random(_: GameNumber, _: usize, chance: u64) -> Box<dyn Player> {
        Box::new(Random::new(chance))
    }

    fn games(jobs: usize) -> BTreeMap<GameNumber, Vec<MoveText>> {
        let mut games = BTreeMap::new();
        run(&conditions(jobs), &fixtures(40), random, &AtomicBool::new(false), |fixture, game| {
            let game = game.map_err(Failure::from)?;
            games.insert(fixture.number, game.moves.iter().map(|played| played.mv).collect());
            Ok::<_, Failure>(())
        })
        .expect("nothing goes wrong");
        games
    }

    #[test]
    fn games_are_the_same_however_many_are_played_at_a_time() {
        let one = games(1);
        assert_eq!(one.len(), 40);
        for jobs in [2, 5, 100] {
            assert_eq!(games(jobs), one, "{jobs} jobs");
        }
    }

    #[test]
    fn stopped_games_are_dropped() {
        let stop = AtomicBool::new(true);
        let result = run(&conditions(2), &fixtures(9), random, &stop, |_, _| {
            Err::<(), Failure>(FULL.into())
        });
        assert!(result.is_ok());
    }

    #[test]
    fn failure_ends_the_run() {
        let stop = AtomicBool::new(false);
        let result = run(&conditions(2), &fixtures(9), random, &stop, |_, _| {
            Err::<(), Failure>(FULL.into())
        });
        assert!(result.is_err_and(|error| error.to_string() == FULL) && stop.into_inner());
    }
}
