//! The games of a league: made, given to workers, taken back and counted.

use std::time::{Duration, Instant};

use plyground_durable::one_line;
use rand::RngExt;

use super::{League, LeagueError, locked};
use crate::leases::LiveGame;
use crate::pairing::{Standing, choose};
use crate::playing::{Assignment, Outcome, SeatOrder};
use crate::store::{self, Entry, GameRow, Version, VersionState};
use crate::token::Token;

/// The name of the server itself among the workers.
pub(crate) const HERE: &str = "server";

/// The time after which the game of another machine is given to the next, unless the machine says that it
/// still plays.
const LEASE: Duration = Duration::from_secs(90);

/// The time after which a machine says that it still plays: several in a row may be lost.
pub(crate) const BEAT: Duration = Duration::from_secs(20);

fn not_yours() -> LeagueError {
    let why = "this game is no longer yours: nothing was heard of it for long, or its result came already";
    LeagueError::Refused(why.to_owned())
}

impl League {
    /// Returns the next game for another machine to play: an open one, or one of a new pair. `None` if there
    /// is nothing to play. The game is given to another if the machine does not [renew](Self::renew) its lease.
    ///
    /// # Errors
    ///
    /// Returns an error of the database.
    pub fn take(&self, worker: &str) -> Result<Option<Assignment>, LeagueError> {
        self.take_until(worker, Some(Instant::now() + LEASE))
    }

    /// Returns the next game for this machine to play, which ends only with the server.
    pub(crate) fn take_here(&self) -> Result<Option<Assignment>, LeagueError> {
        self.take_until(HERE, None)
    }

    fn take_until(
        &self,
        worker: &str,
        until: Option<Instant>,
    ) -> Result<Option<Assignment>, LeagueError> {
        if self.is_stopped() || self.paused()?.is_some() {
            return Ok(None);
        }
        let mut leases = locked(&self.leases);
        leases.end_late();
        let open = self.store.read(GameRow::open)?;
        let free = open.iter().find(|game| !leases.has(game.id)).cloned();
        let game = match free {
            Some(game) => Some(game),
            None => self.pair(&open)?,
        };
        let Some(game) = game else { return Ok(None) };
        let nonce = Token::draw()?.text().to_owned();
        let assignment = self.assignment(&game, &nonce)?;
        leases.begin(game.id, worker, nonce, until);
        Ok(Some(assignment))
    }

    /// Makes two games of a new pair, and returns the first.
    fn pair(&self, open: &[GameRow]) -> Result<Option<GameRow>, LeagueError> {
        let (entries, meetings) =
            self.store.read(|db| Ok((Entry::all(db)?, GameRow::meetings(db)?)))?;
        let standings: Vec<Standing> = entries
            .iter()
            .filter(|it| it.version.benched.is_none() && it.version.state == VersionState::Ready)
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
        // Stored as a signed number.
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

    /// Returns true if this game is given to this worker, and has this content in it.
    #[must_use]
    pub fn has_given(&self, worker: &str, content: &str) -> bool {
        let games = locked(&self.leases).of(worker);
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

    /// Lets a machine keep its game for a while more: it still plays.
    ///
    /// # Errors
    ///
    /// Returns an error if the game is not the machine's.
    pub fn renew(&self, worker: &str, game: i64, lease: &str) -> Result<(), LeagueError> {
        let until = Instant::now() + LEASE;
        if locked(&self.leases).renew(worker, game, lease, until) {
            Ok(())
        } else {
            Err(not_yours())
        }
    }

    /// Checks that a game is this worker's.
    fn check_lease(&self, worker: &str, game: i64, nonce: &str) -> Result<(), LeagueError> {
        if locked(&self.leases).is(worker, game, nonce) { Ok(()) } else { Err(not_yours()) }
    }

    /// Takes the result of a game, and counts it, if it is that of a game that was given to this worker and
    /// that its record shows by the rules.
    ///
    /// # Errors
    ///
    /// Returns an error if the result is not believed; the game is then played again.
    pub fn give(&self, worker: &str, outcome: &Outcome) -> Result<(), LeagueError> {
        self.check_lease(worker, outcome.game, &outcome.lease)?;
        let counted = self.count(worker, outcome);
        // Not before it is counted: until then, the game is open, and would be given to another.
        locked(&self.leases).end(worker, outcome.game, &outcome.lease);
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

    /// Takes a game back from a worker, and notes the reason if its computer has failed at it.
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
    ) -> Result<(), LeagueError> {
        self.check_lease(worker, game, lease)?;
        let noted = self.store.write(|db| {
            let Some(why) = why else { return Ok(()) };
            let why: String = one_line(why).chars().take(300).collect();
            let now = self.clock.now();
            let Some(game) = GameRow::find(db, game)? else { return Ok(()) };
            game.fail(db, &why, now)?;
            let what = format!("cannot play game {}: {why}", game.id);
            Ok(store::note(db, now, &format!("worker {worker}"), &what)?)
        });
        locked(&self.leases).end(worker, game, lease);
        noted
    }

    /// Takes back a game without a word.
    pub fn abandon(&self, game: i64) {
        locked(&self.leases).abandon(game);
    }

    /// Notes the moves so far of a game that is played on this machine.
    pub fn show_moves(&self, game: i64, moves: Vec<String>) {
        locked(&self.leases).show_moves(game, moves);
    }

    /// Returns the games that are being played, in the order of their numbers.
    #[must_use]
    pub fn under_way(&self) -> Vec<LiveGame> {
        locked(&self.leases).under_way()
    }
}
