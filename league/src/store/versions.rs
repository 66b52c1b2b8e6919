//! The versions of players, and the entries of the league: the versions that play.

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, Params};

use super::people::Person;
use super::{Role, StoreError, first, rows, stored, time, value};
use crate::rating::Rating;

/// The longest time for which a new game waits for builds.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// The time after an upload in which other uploads of the same person hold no games.
const NO_HOLD: Duration = Duration::from_secs(300);

/// The state of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionState {
    /// The version waits for its build.
    Waiting,
    /// The version is being built and checked.
    Building,
    /// The version can play.
    Ready,
    /// The version cannot be built or started.
    Refused,
    /// A later upload came before the build of the version; the version is built when its owner asks for it.
    PassedOver,
}

impl VersionState {
    /// Returns the word in the database.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            VersionState::Waiting => "waiting",
            VersionState::Building => "building",
            VersionState::Ready => "ready",
            VersionState::Refused => "refused",
            VersionState::PassedOver => "passed-over",
        }
    }

    /// Returns true if the build of the version is not over.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, VersionState::Waiting | VersionState::Building)
    }

    fn read(word: &str) -> VersionState {
        match word {
            "building" => VersionState::Building,
            "ready" => VersionState::Ready,
            "refused" => VersionState::Refused,
            "passed-over" => VersionState::PassedOver,
            _ => VersionState::Waiting,
        }
    }
}

/// A version of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The number in the database.
    pub id: i64,
    /// The owner.
    pub person: i64,
    /// The number among the owner's versions, from 1.
    pub number: i64,
    /// The hash of the upload; `None` for a built-in player.
    pub content: Option<String>,
    /// The built-in player; `None` for an upload.
    pub player: Option<String>,
    /// The size of the upload, in bytes.
    pub bytes: i64,
    /// The time of the upload.
    pub uploaded: Timestamp,
    /// The state.
    pub state: VersionState,
    /// The reason of the state, as one line.
    pub why: String,
    /// The language, or empty.
    pub language: String,
    /// The results of the visible checks, as JSON.
    pub results: Option<String>,
    /// The rating of the owner when this version last played.
    pub rating: Rating,
    /// The number of counted games.
    pub games: i64,
    /// The number of last games in a row that were lost by faults.
    pub faults_in_row: i64,
    /// The reason why the version is benched.
    pub benched: Option<String>,
}

impl Version {
    /// Returns the versions that the end of a query selects.
    fn select(db: &Connection, end: &str, params: impl Params) -> Result<Vec<Version>, StoreError> {
        let columns = "id, person, number, content, player, bytes, uploaded, state, why, language, \
            results, rating, deviation, volatility, games, faults_in_row, benched";
        rows(db, &format!("SELECT {columns} FROM versions {end}"), params, |row| {
            let (rating, deviation, volatility) = (row.get(11)?, row.get(12)?, row.get(13)?);
            Ok(Version {
                id: row.get(0)?,
                person: row.get(1)?,
                number: row.get(2)?,
                content: row.get(3)?,
                player: row.get(4)?,
                bytes: row.get(5)?,
                uploaded: time(row.get(6)?),
                state: VersionState::read(&row.get::<_, String>(7)?),
                why: row.get(8)?,
                language: row.get(9)?,
                results: row.get(10)?,
                rating: Rating { rating, deviation, volatility },
                games: row.get(14)?,
                faults_in_row: row.get(15)?,
                benched: row.get(16)?,
            })
        })
    }

    /// Returns the number of uploads that wait for their builds or are being built.
    pub fn builds(db: &Connection) -> Result<u32, StoreError> {
        let sql = "SELECT count(*) FROM versions WHERE state IN ('waiting', 'building')";
        value(db, sql, [])
    }

    /// Returns true if an upload holds new games: its build is not over, it is younger than 15 seconds, and its owner
    /// made no other upload in the five minutes before it. So a slow build, or many uploads of one person,
    /// cost the games of all little.
    pub fn holds_games(db: &Connection, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM versions AS new
             WHERE state IN ('waiting', 'building') AND uploaded > ?1
             AND NOT EXISTS (SELECT 1 FROM versions WHERE person = new.person
                AND number < new.number AND uploaded > new.uploaded - ?2))";
        value(db, sql, (stored(now - LONGEST_WAIT), NO_HOLD.as_millis() as i64))
    }

    /// Returns the number of versions of a person that were uploaded or built since a time.
    pub fn count_since(db: &Connection, person: i64, since: Timestamp) -> Result<u32, StoreError> {
        let sql = "SELECT count(*) FROM versions WHERE person = ?1 AND max(uploaded, ifnull(built, 0)) > ?2";
        value(db, sql, (person, stored(since)))
    }

    /// Freezes the versions of students that play. Returns the number of frozen versions.
    pub fn freeze(db: &Connection) -> Result<usize, StoreError> {
        Ok(db.execute(
            "INSERT INTO frozen (person, version)
             SELECT id, active FROM people WHERE role = 'student' AND active IS NOT NULL",
            [],
        )?)
    }

    /// Returns the version of this number in the database.
    pub fn find(db: &Connection, id: i64) -> Result<Option<Version>, StoreError> {
        Ok(Version::select(db, "WHERE id = ?1", [id])?.pop())
    }

    /// Returns the versions of a person, the latest first.
    pub fn of_person(db: &Connection, person: i64) -> Result<Vec<Version>, StoreError> {
        Version::select(db, "WHERE person = ?1 ORDER BY number DESC", [person])
    }

    /// Takes the next version to build: the latest version of the person whose last build is longest ago, so that a
    /// person does not wait for many builds of another person. Earlier waiting versions of that person are passed
    /// over.
    pub fn take_waiting(db: &Connection) -> Result<Option<Version>, StoreError> {
        let sql = "SELECT person FROM versions AS waiting WHERE state = 'waiting'
             ORDER BY (SELECT max(ifnull(built, 0)) FROM versions WHERE person = waiting.person),
                uploaded, id
             LIMIT 1";
        let person: Option<i64> = first(db, sql, [], |row| row.get(0))?;
        let Some(person) = person else { return Ok(None) };
        let sql = "SELECT id FROM versions WHERE state = 'waiting' AND person = ?1
             ORDER BY number DESC LIMIT 1";
        let latest: i64 = value(db, sql, [person])?;
        db.execute(
            "UPDATE versions SET state = 'passed-over', why = 'a later upload came before its build'
             WHERE state = 'waiting' AND person = ?1 AND id <> ?2",
            (person, latest),
        )?;
        db.execute("UPDATE versions SET state = 'building' WHERE id = ?1", [latest])?;
        Version::find(db, latest)
    }

    /// Makes all versions with an interrupted build wait again. Returns the number of these versions.
    pub fn restart_builds(db: &Connection) -> Result<usize, StoreError> {
        Ok(db.execute("UPDATE versions SET state = 'waiting' WHERE state = 'building'", [])?)
    }

    /// Stores the result of a build. A ready version plays from now on, unless a later version plays.
    pub fn set_built(
        &self,
        db: &Connection,
        state: VersionState,
        (why, language): (&str, &str),
        results: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        db.execute(
            "UPDATE versions SET state = ?2, why = ?3, language = ?4, results = ?5, built = ?6
             WHERE id = ?1",
            (self.id, state.word(), why, language, results, stored(now)),
        )?;
        if state == VersionState::Ready {
            let sql =
                "SELECT EXISTS (SELECT 1 FROM people JOIN versions ON versions.id = people.active
                 WHERE people.id = ?1 AND versions.number > ?2)";
            let has_later: bool = value(db, sql, (self.person, self.number))?;
            if !has_later {
                self.activate(db)?;
            }
        }
        Ok(())
    }

    /// Makes this version play for its owner. The rating belongs to the person: a new or older version takes the
    /// rating of the version that played before, with a greater deviation, so that going back undoes no loss.
    pub fn activate(&self, db: &Connection) -> Result<(), StoreError> {
        let before = self.playing(db)?;
        if let Some(before) = before.filter(|before| before.id != self.id) {
            before.rating.of_next_version().keep(db, self.id)?;
        }
        db.execute("UPDATE people SET active = ?2 WHERE id = ?1", (self.person, self.id))?;
        Ok(())
    }

    /// Returns the version that plays for the owner of this version.
    pub(super) fn playing(&self, db: &Connection) -> Result<Option<Version>, StoreError> {
        let active: Option<i64> =
            value(db, "SELECT active FROM people WHERE id = ?1", [self.person])?;
        Ok(active.map(|active| Version::find(db, active)).transpose()?.flatten())
    }

    /// Asks for the build of a version that was passed over.
    pub fn wait(&self, db: &Connection) -> Result<(), StoreError> {
        db.execute("UPDATE versions SET state = 'waiting', why = '' WHERE id = ?1", [self.id])?;
        Ok(())
    }

    /// Benches the version for this reason; `None` lets the version play again.
    pub fn bench(&self, db: &Connection, why: Option<&str>) -> Result<(), StoreError> {
        db.execute(
            "UPDATE versions SET benched = ?2, faults_in_row = 0 WHERE id = ?1",
            (self.id, why),
        )?;
        Ok(())
    }
}

impl Rating {
    /// Stores the rating of a version.
    pub(super) fn keep(self, db: &Connection, version: i64) -> Result<(), StoreError> {
        let Rating { rating, deviation, volatility } = self;
        db.prepare_cached(
            "UPDATE versions SET rating = ?2, deviation = ?3, volatility = ?4 WHERE id = ?1",
        )?
        .execute((version, rating, deviation, volatility))?;
        Ok(())
    }
}

/// A version to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// The owner.
    pub person: i64,
    /// The hash of the upload.
    pub content: Option<String>,
    /// The built-in player; `None` for an upload.
    pub player: Option<String>,
    /// The size of the upload, in bytes.
    pub bytes: i64,
}

impl NewVersion {
    /// Stores the version, and returns it.
    pub fn add(&self, db: &Connection, now: Timestamp) -> Result<Version, StoreError> {
        let NewVersion { person, content, player, bytes } = self;
        let Rating { rating, deviation, volatility } = Rating::default();
        let state = if player.is_some() { VersionState::Ready } else { VersionState::Waiting };
        db.execute(
            "INSERT INTO versions (person, number, content, player, bytes, uploaded, state, rating,
                deviation, volatility)
             VALUES (?1, (SELECT ifnull(max(number), 0) + 1 FROM versions WHERE person = ?1),
                ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                person,
                content,
                player,
                bytes,
                stored(now),
                state.word(),
                rating,
                deviation,
                volatility,
            ),
        )?;
        let added = Version::find(db, db.last_insert_rowid())?;
        added.ok_or_else(|| StoreError::Refused("the version was not stored".to_owned()))
    }
}

/// A person with the version that plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The person.
    pub person: Person,
    /// The version.
    pub version: Version,
}

impl Entry {
    /// Returns all entries, the best first.
    pub fn all(db: &Connection) -> Result<Vec<Entry>, StoreError> {
        let versions = Version::select(db, "WHERE id IN (SELECT active FROM people)", [])?;
        let mut entries: Vec<Entry> = Person::all(db)?
            .into_iter()
            .filter_map(|person| {
                let version = versions.iter().find(|version| Some(version.id) == person.active);
                version.cloned().map(|version| Entry { person, version })
            })
            .collect();
        entries.sort_by(|one, other| {
            other.version.rating.rating.total_cmp(&one.version.rating.rating)
        });
        Ok(entries)
    }

    /// Returns the latest version of each student who has none that plays.
    pub fn without_player(db: &Connection) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        for person in Person::all(db)? {
            if person.role == Role::Student
                && person.active.is_none()
                && let Some(version) = Version::of_person(db, person.id)?.into_iter().next()
            {
                entries.push(Entry { person, version });
            }
        }
        Ok(entries)
    }

    /// Returns the entries that were frozen at the deadline.
    pub fn frozen(db: &Connection) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        let sql = "SELECT person, version FROM frozen";
        for (person, version) in rows(db, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))? {
            if let Some(person) = Person::find(db, person)?
                && let Some(version) = Version::find(db, version)?
            {
                entries.push(Entry { person, version });
            }
        }
        entries.sort_by(|one, other| one.person.key.cmp(&other.person.key));
        Ok(entries)
    }
}
