//! The games of a league: the operations that make games, lease them to workers, take them back and count them.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use plyground_durable::one_line;
use rand::RngExt;

use super::{League, LeagueError, locked};
use crate::playing::{Assignment, Outcome, SeatOrder};
use crate::rating::{Standing, choose};
use crate::store::{self, Entry, GameRow, Token, Version, VersionState};

/// The name of the server itself among the workers.
pub(crate) const HERE: &str = "server";

/// The time after which the game of another machine is given to the next machine, unless the lease is renewed.
const LEASE: Duration = Duration::from_secs(90);

/// The time after which a machine renews its lease, short enough that several renewals in a row may be lost.
pub(crate) const BEAT: Duration = Duration::from_secs(20);

impl League {
    /// Returns the next game for another machine to play: an open game, or a game of a new pair. `None` if there is
    /// nothing to play. The game is given to another machine if this one does not [renew](Self::renew) its lease. A
    /// game at which the machine has failed is for another machine, if there is one. The `machine` is a nonce that
    /// distinguishes the machines of a worker.
    pub fn take(&self, worker: &str, machine: &str) -> Result<Option<Assignment>, LeagueError> {
        self.take_until((worker, machine), Some(Instant::now() + LEASE))
    }

    /// Returns the next game for this machine to play, with a lease that ends only with the server.
    pub(crate) fn take_here(&self) -> Result<Option<Assignment>, LeagueError> {
        self.take_until((HERE, ""), None)
    }

    fn take_until(
        &self,
        (worker, machine): (&str, &str),
        until: Option<Instant>,
    ) -> Result<Option<Assignment>, LeagueError> {
        if self.is_stopped() || self.paused()?.is_some() {
            return Ok(None);
        }
        let mut leases = locked(&self.leases);
        leases.end_late();
        let open = self.store.read(GameRow::open)?;
        let machine = (worker.to_owned(), machine.to_owned());
        leases.ask(&machine, &open.iter().map(|game| game.id).collect::<Vec<_>>());
        let unplayable = leases.unplayable(&machine);
        let is_playable = |game: &&GameRow| game.versions.iter().all(|it| !unplayable.contains(it));
        let ids: Vec<i64> = open.iter().filter(is_playable).map(|game| game.id).collect();
        let game = match leases.next(&machine, &ids) {
            Some(id) => open.into_iter().find(|game| game.id == id),
            None if leases.has_left_many(&machine, &ids) => None,
            None => self.pair(&open, unplayable)?,
        };
        let Some(game) = game else { return Ok(None) };
        let nonce = Token::draw()?.text().to_owned();
        let assignment = self.assignment(&game, &nonce)?;
        leases.begin(game.id, machine, nonce, until);
        Ok(Some(assignment))
    }

    /// Makes two games of a new pair without the `unplayable` versions, and returns the first.
    fn pair(
        &self,
        open: &[GameRow],
        unplayable: &BTreeSet<i64>,
    ) -> Result<Option<GameRow>, LeagueError> {
        let (entries, meetings) =
            self.store.read(|db| Ok((Entry::all(db)?, GameRow::meetings(db)?)))?;
        let standings: Vec<Standing> = entries
            .iter()
            .filter(|it| it.version.benched.is_none() && it.version.state == VersionState::Ready)
            .filter(|it| !unplayable.contains(&it.version.id))
            .map(|Entry { version, .. }| {
                let has = |game: &&GameRow| game.versions.contains(&version.id);
                let open = u32::try_from(open.iter().filter(has).count()).unwrap_or(u32::MAX);
                Standing { version: version.id, rating: version.rating, open }
            })
            .collect();
        let mut rng = locked(&self.rng);
        let chosen = choose(&standings, &meetings, self.config.settled, &mut *rng);
        let Some((one, other)) = chosen else { return Ok(None) };
        let opening = rng.random_range(0..self.config.openings.len());
        // The database has only signed integers, so the seed has 32 bits.
        let seed = i64::from(rng.random::<u32>());
        let now = self.clock.now();
        let [game, _] = self.store.write::<_, LeagueError>(|db| {
            Ok(GameRow::add_pair(db, [one, other], opening, seed, now)?)
        })?;
        Ok(Some(game))
    }

    fn assignment(&self, game: &GameRow, nonce: &str) -> Result<Assignment, LeagueError> {
        let found = self.store.read(|db| {
            let [first, second] = game.versions;
            Ok((Version::find(db, first)?, Version::find(db, second)?))
        })?;
        let (Some(first), Some(second)) = found else {
            return Err(LeagueError::Refused("the version is gone".to_owned()));
        };
        let seat = |version: Version| SeatOrder {
            name: format!("version {}", version.id),
            player: version.player.unwrap_or_else(|| self.config.player.to_string()),
            content: version.content,
            depth: self.config.depth,
        };
        let opening = usize::try_from(game.opening).unwrap_or(0) % self.config.openings.len();
        Ok(Assignment {
            game: game.id,
            lease: nonce.to_owned(),
            of: self.config.game.name().to_owned(),
            rules: self.config.game.rules(),
            opening: self.config.openings[opening].iter().map(ToString::to_string).collect(),
            seed: game.seed,
            limits: self.config.limits.clone(),
            sandbox: self.config.sandbox,
            seats: [seat(first), seat(second)],
        })
    }

    /// Returns true if this worker has a game in which a version with this content plays.
    #[must_use]
    pub fn has_given(&self, worker: &str, content: &str) -> bool {
        let is_its = |(_, lease): &(&i64, &Lease)| lease.machine.0 == worker;
        let games: Vec<i64> =
            locked(&self.leases).in_time().filter(is_its).map(|(game, _)| *game).collect();
        let is_in = |game: &i64| {
            self.store.read(|db| {
                let Some(game) = GameRow::find(db, *game)? else { return Ok(false) };
                for version in game.versions {
                    let version = Version::find(db, version)?;
                    if version.is_some_and(|it| it.content.as_deref() == Some(content)) {
                        return Ok(true);
                    }
                }
                Ok(false)
            })
        };
        games.iter().any(|game| is_in(game).unwrap_or(false))
    }

    /// Extends the lease of a machine that still plays its game.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is not the machine's.
    pub fn renew(&self, worker: &str, game: i64, lease: &str) -> Result<(), LeagueError> {
        locked(&self.leases).of_worker(worker, game, lease)?.until = Some(Instant::now() + LEASE);
        Ok(())
    }

    /// Takes the result of a game and counts it, if the worker has the lease of the game and the record proves the
    /// result by the rules.
    ///
    /// # Errors
    ///
    /// Returns an error if the result is not proved; the game is then played again.
    pub fn give(&self, worker: &str, outcome: &Outcome) -> Result<(), LeagueError> {
        locked(&self.leases).of_worker(worker, outcome.game, &outcome.lease)?;
        let counted = self.count(worker, outcome);
        // The lease ends only after the count, because an open game without a lease would be given to another worker.
        let mut leases = locked(&self.leases);
        // The same machine may have the same result again. An error of the database is not a failure of the machine.
        if matches!(counted, Err(LeagueError::Refused(_))) {
            leases.fail(outcome.game);
        }
        leases.end(worker, outcome.game, &outcome.lease);
        counted
    }

    fn count(&self, worker: &str, outcome: &Outcome) -> Result<(), LeagueError> {
        let Some(game) = self.store.read(|db| GameRow::find(db, outcome.game))? else {
            return Err(LeagueError::Refused("there is no such game to give back".to_owned()));
        };
        let assignment = self.assignment(&game, &outcome.lease)?;
        let result = match outcome.judged(&assignment, &self.config.game, worker) {
            Ok(result) => result,
            Err(why) => {
                let why = format!("the result is not believed: {}", one_line(&why));
                let what = format!("gives back game {}: {why}", game.id);
                let now = self.clock.now();
                self.store.write::<_, LeagueError>(|db| {
                    Ok(store::note(db, now, &format!("worker {worker}"), &what)?)
                })?;
                return Err(LeagueError::Refused(why));
            }
        };
        self.store.write(|db| {
            let now = self.clock.now();
            if !game.finish(db, &result, now)? {
                return Err(LeagueError::Refused("the game is counted already".to_owned()));
            }
            for version in game.versions {
                let benched = Version::find(db, version)?.filter(|it| it.benched.is_some());
                if benched.is_some() && GameRow::forget_open(db, version)? > 0 {
                    let what = format!("benches version {version} after game {}", game.id);
                    store::note(db, now, "league", &what)?;
                }
            }
            Ok(())
        })
    }

    /// Takes a game back from a worker, and notes the reason if the worker's computer has failed at the game. A
    /// computer that cannot start the program in a `seat` has not failed: the game waits for another computer, and this
    /// one gets no more games of that version.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is not the worker's.
    pub fn give_up(
        &self,
        worker: &str,
        game: i64,
        lease: &str,
        why: Option<&str>,
        seat: Option<usize>,
    ) -> Result<(), LeagueError> {
        locked(&self.leases).of_worker(worker, game, lease)?;
        let mut version = None;
        let noted = self.store.write(|db| {
            let Some(why) = why else { return Ok(()) };
            let why: String = one_line(why).chars().take(300).collect();
            let now = self.clock.now();
            let Some(game) = GameRow::find(db, game)? else { return Ok(()) };
            version = seat.and_then(|seat| game.versions.get(seat).copied());
            if version.is_none() {
                game.fail(db, &why, now)?;
            }
            let what = format!("cannot play game {}: {why}", game.id);
            Ok(store::note(db, now, &format!("worker {worker}"), &what)?)
        });
        let mut leases = locked(&self.leases);
        if why.is_some() {
            leases.fail(game);
            leases.exclude(game, version);
        }
        leases.end(worker, game, lease);
        noted
    }

    /// Takes back a game without a note.
    pub fn abandon(&self, game: i64) {
        locked(&self.leases).games.remove(&game);
    }

    /// Notes the moves so far of a game that is played on this machine.
    pub fn show_moves(&self, game: i64, moves: Vec<String>) {
        if let Some(lease) = locked(&self.leases).games.get_mut(&game) {
            lease.moves = moves;
        }
    }

    /// Returns the games that are being played, in the order of their numbers.
    #[must_use]
    pub fn under_way(&self) -> Vec<LiveGame> {
        let live = |(&game, lease): (&i64, &Lease)| LiveGame {
            game,
            worker: lease.machine.0.clone(),
            moves: lease.moves.clone(),
        };
        let mut games: Vec<_> = locked(&self.leases).in_time().map(live).collect();
        games.sort_by_key(|live| live.game);
        games
    }
}

/// A machine that plays games: the worker whose token it has, and its nonce.
type Machine = (String, String);

/// A game that a machine plays.
#[derive(Clone, Debug)]
struct Lease {
    nonce: String,
    machine: Machine,
    /// The time after which the game is given to another worker; `None` if never.
    until: Option<Instant>,
    /// The moves so far, of a game on this machine.
    moves: Vec<String>,
}

impl Lease {
    fn is_in_time(&self) -> bool {
        self.until.is_none_or(|until| until > Instant::now())
    }
}

/// A game that is being played, for the pages.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// The number of the game.
    pub game: i64,
    /// The worker that plays it.
    pub worker: String,
    /// The moves so far, of a game on this machine.
    pub moves: Vec<String>,
}

/// The number of open games that a machine leaves to others, because it has failed at them, before it gets no new ones.
/// Without a bound, a machine that fails at every game would open games faster than others play them.
const MOST_LEFT: usize = 3;

/// The games that machines play, by their numbers, and the machines.
#[derive(Debug, Default)]
pub(super) struct Leases {
    games: HashMap<i64, Lease>,
    /// The machines that have failed at an open game.
    failed: HashMap<i64, BTreeSet<Machine>>,
    /// The time at which each machine asked for a game last.
    asked: HashMap<Machine, Instant>,
    /// The versions whose programs each machine cannot start.
    unplayable: HashMap<Machine, BTreeSet<i64>>,
}

impl Leases {
    /// Notes that a machine asks for a game, and forgets silent machines and games that are no longer `open`.
    fn ask(&mut self, machine: &Machine, open: &[i64]) {
        self.failed.retain(|game, _| open.contains(game));
        self.asked.insert(machine.clone(), Instant::now());
        let leases = &self.games;
        self.asked.retain(|machine, at| {
            at.elapsed() < LEASE || leases.values().any(|lease| lease.machine == *machine)
        });
        self.unplayable.retain(|machine, _| self.asked.contains_key(machine));
    }

    /// Notes that the machine that plays a game cannot start the program of this version.
    fn exclude(&mut self, game: i64, version: Option<i64>) {
        if let (Some(lease), Some(version)) = (self.games.get(&game), version) {
            self.unplayable.entry(lease.machine.clone()).or_default().insert(version);
        }
    }

    /// Returns the versions whose programs a machine cannot start.
    fn unplayable(&self, machine: &Machine) -> &BTreeSet<i64> {
        static NONE: BTreeSet<i64> = BTreeSet::new();
        self.unplayable.get(machine).unwrap_or(&NONE)
    }

    /// Returns the first open game that this machine may play. A game at which this machine has failed is for another
    /// machine until all machines have failed at it.
    fn next(&self, machine: &Machine, open: &[i64]) -> Option<i64> {
        let mut free = open.iter().copied().filter(|game| !self.has(*game));
        free.clone()
            .find(|game| !self.has_failed(machine, *game))
            .or_else(|| free.find(|game| !self.is_for_another(*game)))
    }

    /// Returns true if the machine has failed at many open games that other machines could play.
    fn has_left_many(&self, machine: &Machine, open: &[i64]) -> bool {
        let is_left = |game: &&i64| self.has_failed(machine, **game) && self.is_for_another(**game);
        open.iter().filter(is_left).count() >= MOST_LEFT
    }

    fn has_failed(&self, machine: &Machine, game: i64) -> bool {
        self.failed.get(&game).is_some_and(|machines| machines.contains(machine))
    }

    /// Returns true if there is a machine that has not failed at the game.
    fn is_for_another(&self, game: i64) -> bool {
        self.asked.keys().any(|machine| !self.has_failed(machine, game))
    }

    /// Notes that the machine that plays a game has failed at it.
    fn fail(&mut self, game: i64) {
        if let Some(lease) = self.games.get(&game) {
            self.failed.entry(game).or_default().insert(lease.machine.clone());
        }
    }

    /// Takes back the games whose results are late.
    fn end_late(&mut self) {
        self.games.retain(|_, lease| lease.is_in_time());
    }

    /// Returns true if somebody plays the game.
    fn has(&self, game: i64) -> bool {
        self.games.contains_key(&game)
    }

    /// Gives a game to a machine, which must send the `nonce` with the result.
    fn begin(&mut self, game: i64, machine: Machine, nonce: String, until: Option<Instant>) {
        self.games.insert(game, Lease { nonce, machine, until, moves: Vec::new() });
    }

    /// Returns the lease of a game with this nonce.
    ///
    /// # Errors
    ///
    /// Returns an error if the lease belongs to another worker, or has another nonce.
    fn of_worker(
        &mut self,
        worker: &str,
        game: i64,
        nonce: &str,
    ) -> Result<&mut Lease, LeagueError> {
        let why =
            "this game is no longer yours: it was silent for too long, or its result has arrived";
        let lease = self.games.get_mut(&game);
        let lease = lease.filter(|lease| lease.machine.0 == worker && lease.nonce == nonce);
        lease.ok_or_else(|| LeagueError::Refused(why.to_owned()))
    }

    /// Ends the lease of a game, unless the game has a newer lease.
    fn end(&mut self, worker: &str, game: i64, nonce: &str) {
        if self.of_worker(worker, game, nonce).is_ok() {
            self.games.remove(&game);
        }
    }

    fn in_time(&self) -> impl Iterator<Item = (&i64, &Lease)> {
        self.games.iter().filter(|(_, lease)| lease.is_in_time())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn game_of_a_machine_that_is_silent_is_taken_back() {
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(1_000));
        let mut leases = Leases::default();
        let word = || "word".to_owned();
        let machine = |worker: &str| (worker.to_owned(), String::new());
        leases.begin(1, machine("silent"), word(), Some(now));
        leases.begin(2, machine("alive"), word(), Some(now));
        leases.begin(3, machine("server"), word(), None);
        assert!(leases.of_worker("silent", 2, "word").is_err(), "another's game");
        assert!(leases.of_worker("alive", 2, "guess").is_err(), "another word");
        leases.of_worker("alive", 2, "word").expect("a lease").until = Some(later);
        leases.end_late();
        assert_eq!([1, 2, 3].map(|game| leases.has(game)), [false, true, true]);
        assert!(leases.of_worker("silent", 1, "word").is_err(), "too late");
        leases.end("alive", 2, "guess");
        assert!(leases.of_worker("alive", 2, "word").is_ok());
        leases.end("alive", 2, "word");
        assert!(leases.of_worker("alive", 2, "word").is_err());
    }

    #[test]
    fn game_at_which_a_machine_failed_is_for_another() {
        // Both have the token of one worker.
        let [broken, other] = ["a", "b"].map(|nonce| ("lab".to_owned(), nonce.to_owned()));
        let mut leases = Leases::default();
        let fails = |leases: &mut Leases, game: i64| {
            leases.begin(game, broken.clone(), "word".to_owned(), None);
            leases.fail(game);
            leases.end("lab", game, "word");
        };
        // A machine that is alone tries the games in turn, to the bound of the tries.
        leases.ask(&broken, &[1, 2]);
        fails(&mut leases, 1);
        assert_eq!(leases.next(&broken, &[1, 2]), Some(2));
        fails(&mut leases, 2);
        assert_eq!(leases.next(&broken, &[1, 2]), Some(1));
        assert!(!leases.has_left_many(&broken, &[1, 2]));
        // Once another is there, the games are for that one.
        leases.ask(&other, &[1, 2, 3]);
        assert_eq!(leases.next(&broken, &[1, 2]), None);
        assert_eq!(leases.next(&other, &[1, 2]), Some(1));
        fails(&mut leases, 3);
        assert!(leases.has_left_many(&broken, &[1, 2, 3]));
        assert!(
            !leases.has_left_many(&broken, &[1, 2]) && !leases.has_left_many(&other, &[1, 2, 3])
        );
        // A machine that plays a long game is there, and a silent one is not.
        let long_ago = Instant::now().checked_sub(2 * LEASE).expect("a time");
        leases.asked.insert(other.clone(), long_ago);
        leases.begin(4, other.clone(), "word".to_owned(), None);
        leases.ask(&broken, &[1, 2, 3, 4]);
        assert_eq!(leases.next(&broken, &[1, 2, 3, 4]), None);
        leases.end("lab", 4, "word");
        leases.ask(&broken, &[1, 2, 3]);
        assert_eq!(leases.next(&broken, &[1, 2, 3]), Some(1));
        // A game that is over is forgotten.
        leases.ask(&broken, &[]);
        assert!(leases.failed.is_empty());
    }
}
