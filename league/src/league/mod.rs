//! An open league: its operations, each one transaction; and its clock, which never goes back.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use plyground_durable::FileError;
use plyground_durable::input::TomlError;
use plyground_durable::lock::{LockError, WorkLock};
use plyground_durable::output::make_folder;
use plyground_sandbox::{ByteSize, remove_folder};
use rand::SeedableRng;
use rand::rngs::StdRng;
use thiserror::Error;

use crate::config::Config;
use crate::store::people::Person;
use crate::store::{self, NewPerson, NewVersion, Role, Store, StoreError, Version, VersionState};

mod games;

pub use games::LiveGame;
pub(crate) use games::{BEAT, HERE};

use games::Leases;

/// The error of a league.
#[derive(Debug, Error)]
pub enum LeagueError {
    /// The settings are at fault.
    #[error(transparent)]
    Config(#[from] TomlError),
    /// Another server uses the folder.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The system has no random numbers.
    #[error("the system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// The request cannot be fulfilled; the text is one line for a person.
    #[error("{0}")]
    Refused(String),
}

/// The setting that stops the games.
const PAUSED: &str = "paused";
/// The setting with the time at which the versions were frozen.
const FROZEN: &str = "frozen";

/// The beginning of the note about a change of the version that plays.
const ACTIVATES: &str = "activates version";

/// The time in which a person may make a number of uploads.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// An open league.
pub struct League {
    folder: PathBuf,
    /// The settings.
    pub config: Config,
    /// The database.
    pub store: Store,
    /// The time.
    pub clock: LeagueClock,
    /// The flag that stops games and builds.
    pub stop: Arc<AtomicBool>,
    leases: Mutex<Leases>,
    rng: Mutex<StdRng>,
    /// The lock of the folder, if this is the server.
    _lock: Option<WorkLock>,
}

/// Returns the folder of uploads, each under the hash of its contents.
#[must_use]
pub fn uploads(folder: &Path) -> PathBuf {
    folder.join("uploads")
}

/// Returns the folder in which an upload of this hash is prepared.
#[must_use]
pub fn prepared(folder: &Path, content: &str) -> PathBuf {
    folder.join(VERSIONS).join(content)
}

/// The largest size of a prepared program with its packages and its build. The size is limited because other machines
/// fetch the program.
pub(crate) const LARGEST: ByteSize = ByteSize::mib(512);

/// The name of the folder of the prepared submissions.
pub(crate) const VERSIONS: &str = "versions";

/// The name of a prepared submission in its folder.
pub const CODE: &str = "code";

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A lock poisoned by a panic is still good: no operation leaves the data half changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl League {
    /// Opens the league in `folder` as its only server.
    ///
    /// # Errors
    ///
    /// Returns an error if another server uses the folder, or if the settings or the database are invalid.
    pub fn serve(folder: &Path, time: TimeSource) -> Result<League, LeagueError> {
        let config = Config::read(folder)?;
        let store = Store::open(folder)?;
        let lock = WorkLock::of_folder(folder)?;
        for name in ["uploads", VERSIONS, "incoming"] {
            make_folder(&folder.join(name))?;
        }
        // Interrupted uploads can be removed, because they were not acknowledged.
        remove_folder(&folder.join("incoming"));
        make_folder(&folder.join("incoming"))?;
        let league = League::with(folder, config, store, time, Some(lock))?;
        league.store.write(|db| Version::restart_builds(db))?;
        league.seat_references()?;
        Ok(league)
    }

    /// Opens the league in `folder`, whose server may be running.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings or the database are invalid.
    pub fn visit(folder: &Path, time: TimeSource) -> Result<League, LeagueError> {
        League::with(folder, Config::read(folder)?, Store::open(folder)?, time, None)
    }

    fn with(
        folder: &Path,
        config: Config,
        store: Store,
        time: TimeSource,
        lock: Option<WorkLock>,
    ) -> Result<League, LeagueError> {
        let folder = std::path::absolute(folder).map_err(FileError::at(folder, "use it"))?;
        let latest = store.read(store::latest)?;
        Ok(League {
            folder,
            config,
            store,
            clock: LeagueClock::new(time, latest),
            stop: Arc::default(),
            leases: Mutex::default(),
            rng: Mutex::new(StdRng::from_rng(&mut rand::rng())),
            _lock: lock,
        })
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns true if the league is about to close.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Makes the reference players of the settings play, and no other reference players.
    fn seat_references(&self) -> Result<(), LeagueError> {
        let now = self.clock.now();
        let specs: Vec<String> = self.config.references.iter().map(ToString::to_string).collect();
        self.store.write(|db| {
            for person in Person::all(db)?.iter().filter(|it| it.role == Role::Reference) {
                if !specs.contains(&person.name) {
                    db.execute("UPDATE people SET active = NULL WHERE id = ?1", [person.id])
                        .map_err(StoreError::from)?;
                }
            }
            for spec in &specs {
                let key = format!("~{spec}");
                let (name, email) = (spec.clone(), String::new());
                NewPerson { key: key.clone(), name, email, role: Role::Reference }.add(db, now)?;
                let Some(person) = Person::of_key(db, &key)? else { continue };
                let version = match Version::of_person(db, person.id)?.into_iter().next() {
                    Some(version) => version,
                    None => {
                        let player = Some(spec.clone());
                        NewVersion { person: person.id, content: None, player, bytes: 0 }
                            .add(db, now)?
                    }
                };
                version.activate(db)?;
            }
            Ok(())
        })
    }

    /// Returns the time after which uploads are refused, if this time has passed.
    #[must_use]
    pub fn closed(&self, now: Timestamp) -> Option<Timestamp> {
        self.config.closes().filter(|closes| now > *closes)
    }

    /// Stores an upload as the next version of a person, after `place` has put its files into the folder of uploads
    /// under `content`. `place` runs in the transaction, because files of an upload are removed only in transactions.
    /// After the return, the upload survives a crash.
    ///
    /// # Errors
    ///
    /// Returns an error if the deadline has passed, or if the person has made too many uploads; or the error of
    /// `place`.
    pub fn keep_upload<E: From<LeagueError> + From<StoreError>>(
        &self,
        person: &Person,
        content: &str,
        bytes: u64,
        place: impl FnOnce() -> Result<(), E>,
    ) -> Result<Version, E> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.store.write(|db| {
            let now = self.clock.now();
            self.check_upload(db, person, now)?;
            place()?;
            let content = Some(content.to_owned());
            let version = NewVersion { person: person.id, content, player: None, bytes };
            let version = version.add(db, now)?;
            let what = format!("uploads version {}", version.number);
            store::note(db, now, &person.key, &what)?;
            Ok(version)
        })
    }

    /// Checks that a person may upload now.
    ///
    /// # Errors
    ///
    /// Returns the reason if the person may not.
    pub fn check_upload(
        &self,
        db: &rusqlite::Connection,
        person: &Person,
        now: Timestamp,
    ) -> Result<(), LeagueError> {
        self.check_deadline(db, now)?;
        if person.role == Role::Reference {
            return Err(LeagueError::Refused("expected a person".to_owned()));
        }
        let count = Version::count_since(db, person.id, now - HOUR)?;
        self.check_rate(count, "uploads")
    }

    /// Checks that the deadline has not passed.
    fn check_deadline(&self, db: &rusqlite::Connection, now: Timestamp) -> Result<(), LeagueError> {
        if self.closed(now).is_some() || store::setting(db, FROZEN)?.is_some() {
            return Err(LeagueError::Refused("the deadline has passed".to_owned()));
        }
        Ok(())
    }

    /// Checks that a person may do something once more after `count` times in an hour.
    fn check_rate(&self, count: u32, what: &str) -> Result<(), LeagueError> {
        let most = self.config.uploads_per_hour;
        if count >= most {
            let why = format!("expected at most {most} {what} in an hour: try again later");
            return Err(LeagueError::Refused(why));
        }
        Ok(())
    }

    /// Makes an older or newer version of a person play.
    ///
    /// # Errors
    ///
    /// Returns an error if the version is another person's or cannot play, if the deadline has passed, or if the
    /// person has chosen versions too often.
    pub fn activate(&self, person: &Person, version: i64) -> Result<(), LeagueError> {
        self.store.write(|db| {
            let now = self.clock.now();
            self.check_deadline(db, now)?;
            let refused = |why: &str| LeagueError::Refused(why.to_owned());
            let found = Version::find(db, version)?.filter(|it| it.person == person.id);
            let version = found.ok_or_else(|| refused("there is no such version"))?;
            let playing = Person::find(db, person.id)?.and_then(|person| person.active);
            let is_ready = version.state == VersionState::Ready && self.is_prepared(&version);
            if is_ready && playing == Some(version.id) {
                return Ok(());
            }
            let count = store::count_notes(db, &person.key, ACTIVATES, now - HOUR)?;
            self.check_rate(count, "changes of the version")?;
            match version.state {
                VersionState::Ready if is_ready => version.activate(db)?,
                VersionState::Ready => {
                    return Err(refused("the files of this version are gone: upload it again"));
                }
                VersionState::PassedOver => {
                    self.check_upload(db, person, now)?;
                    version.wait(db)?;
                }
                _ => return Err(refused("expected a version that is ready")),
            }
            let what = format!("{ACTIVATES} {}", version.number);
            Ok(store::note(db, now, &person.key, &what)?)
        })
    }

    fn is_prepared(&self, version: &Version) -> bool {
        let content = version.content.as_deref();
        content.is_none_or(|content| prepared(self.folder(), content).join(CODE).is_dir())
    }

    /// Returns true if uploads wait for their builds, or are being built.
    pub fn has_builds(&self) -> Result<bool, StoreError> {
        Ok(self.store.read(Version::builds)? > 0)
    }

    /// Returns true if new games wait for the build of an upload.
    pub fn holds_games(&self) -> Result<bool, StoreError> {
        let now = self.clock.now();
        self.store.read(|db| Version::holds_games(db, now))
    }

    /// Returns the instructor who has paused the games, if one has.
    pub fn paused(&self) -> Result<Option<String>, StoreError> {
        self.store.read(|db| store::setting(db, PAUSED))
    }

    /// Pauses or resumes the games.
    pub fn pause(&self, who: &str, paused: bool) -> Result<(), LeagueError> {
        self.store.write(|db| {
            store::set(db, PAUSED, paused.then_some(who))?;
            let what = if paused { "pauses the games" } else { "lets the games go on" };
            Ok(store::note(db, self.clock.now(), who, what)?)
        })
    }

    /// Freezes the versions that play if the deadline has passed and all uploads before it are built. Returns
    /// true if they are frozen.
    pub fn freeze_if_due(&self) -> Result<bool, LeagueError> {
        let now = self.clock.now();
        if self.closed(now).is_none() {
            return Ok(false);
        }
        self.store.write(|db| {
            if store::setting(db, FROZEN)?.is_some() {
                return Ok(true);
            }
            if Version::builds(db)? > 0 {
                return Ok(false);
            }
            let count = Version::freeze(db)?;
            store::set(db, FROZEN, Some(&now.to_string()))?;
            store::note(db, now, "league", &format!("freezes {count} versions"))?;
            Ok(true)
        })
    }
}

/// A function that returns the time of day.
pub type TimeSource = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The clock of a league. If the computer's clock is set back, the clock of the league stands still until the
/// computer's clock has caught up. So a passed deadline stays passed, and events stay in order.
pub struct LeagueClock {
    source: TimeSource,
    latest: Mutex<Timestamp>,
}

impl LeagueClock {
    /// Creates a clock whose time is at least `latest`, the time of the last known event.
    pub fn new(source: TimeSource, latest: Timestamp) -> LeagueClock {
        LeagueClock { source, latest: Mutex::new(latest) }
    }

    /// Returns the time.
    pub fn now(&self) -> Timestamp {
        let mut latest = locked(&self.latest);
        *latest = (*latest).max((self.source)());
        *latest
    }

    /// Returns the seconds by which the computer's clock is behind the clock of the league.
    #[must_use]
    pub fn behind(&self) -> i64 {
        let latest = *locked(&self.latest);
        (latest.as_second() - (self.source)().as_second()).max(0)
    }
}

/// A clock that changes only when it is set, for tests.
#[derive(Clone, Debug)]
pub struct SetClock(Arc<Mutex<Timestamp>>);

impl SetClock {
    /// Creates a clock that shows `time`.
    #[must_use]
    pub fn new(time: Timestamp) -> SetClock {
        SetClock(Arc::new(Mutex::new(time)))
    }

    /// Sets the clock.
    pub fn set(&self, time: Timestamp) {
        *locked(&self.0) = time;
    }

    /// Returns the function that reads the clock.
    #[must_use]
    pub fn source(&self) -> TimeSource {
        let clock = self.clone();
        Arc::new(move || *locked(&clock.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_while_the_clock_is_behind() {
        let at = |second| Timestamp::from_second(second).expect("a time");
        let set = SetClock::new(at(5_000));
        let clock = LeagueClock::new(set.source(), at(1_000));
        assert_eq!(clock.now(), at(5_000));
        set.set(at(1_400));
        assert_eq!((clock.now(), clock.behind()), (at(5_000), 3_600));
        set.set(at(5_001));
        assert_eq!((clock.now(), clock.behind()), (at(5_001), 0));
    }
}
