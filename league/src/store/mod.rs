//! The database of a league: one SQLite file, in which every change is a transaction.
//!
//! Every acknowledged change is on the disk: the journal is a write-ahead log, which is synced before a transaction
//! ends (`synchronous = FULL`). One connection writes; other connections read at the same time.
//!
//! Every function that returns a [`StoreError`] fails if the database does. Its documentation has only its other
//! errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior};
use rusqlite_migration::{M, Migrations};
use thiserror::Error;

mod games;
pub mod people;
mod versions;

pub use games::{GameRow, GameState, NewResult, Played, RatingPoint, Recent, Review};
pub use people::{NewPerson, Person, Role, Session, Token, TokenKind};
pub(crate) use versions::LONGEST_WAIT;
pub use versions::{Entry, NewVersion, Version, VersionState};

/// The name of the file.
pub const FILE: &str = "league.db";

static MIGRATIONS: LazyLock<Migrations<'static>> = LazyLock::new(|| {
    let later = "ALTER TABLE reviews ADD COLUMN person INTEGER;
        ALTER TABLE reviews ADD COLUMN asked INTEGER NOT NULL DEFAULT 0";
    Migrations::new(vec![M::up(include_str!("schema.sql")), M::up(later)])
});

/// The time for which a connection waits for a lock of another connection.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most connections that are kept for reading.
const MOST_READERS: usize = 8;

/// The error of the database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// An error of SQLite.
    #[error("the database: {0}")]
    Sql(#[from] rusqlite::Error),
    /// The database cannot be migrated to this release.
    #[error("the database: {0}")]
    Migration(#[from] rusqlite_migration::Error),
    /// There is no database.
    #[error("{}: expected a league: `plyground league init` makes one", .0.display())]
    NoLeague(PathBuf),
    /// The request cannot be fulfilled; the text is one line for a person.
    #[error("{0}")]
    Refused(String),
}

/// The database of a league.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl Store {
    /// Makes the database of a new league.
    ///
    /// # Errors
    ///
    /// Returns an error if there is a database already, or an error of the system.
    pub fn create(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(FILE);
        if path.exists() {
            let why = format!("{}: there is a league already", folder.display());
            return Err(StoreError::Refused(why));
        }
        Store::open_at(path)
    }

    /// Opens the database of the league in `folder`, and migrates the schema to this release.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no database, if the database is from a later release, or an error of the system.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(StoreError::NoLeague(folder.to_owned()));
        }
        Store::open_at(path)
    }

    fn open_at(path: PathBuf) -> Result<Store, StoreError> {
        let mut writer = connect(&path)?;
        MIGRATIONS.to_latest(&mut writer)?;
        // Only the owner may read the file, because names and results are private.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o600));
        }
        Ok(Store { path, writer: Mutex::new(writer), readers: Mutex::default() })
    }

    /// Returns the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a change in one transaction. After the return, the change is on the disk.
    ///
    /// # Errors
    ///
    /// Returns the error of `change`, or an error of the database.
    pub fn write<T, E: From<StoreError>>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = writer
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(StoreError::from)?;
        // On an error, dropping the transaction rolls the change back.
        let result = change(&transaction)?;
        transaction.commit().map_err(StoreError::from)?;
        Ok(result)
    }

    /// Reads one consistent state of the database.
    ///
    /// # Errors
    ///
    /// Returns the error of `look`, or an error of the database.
    pub fn read<T>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let kept = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match kept {
            Some(reader) => reader,
            None => connect(&self.path)?,
        };
        let result = {
            let transaction = reader.transaction()?;
            look(&transaction)?
        };
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < MOST_READERS {
            readers.push(reader);
        }
        Ok(result)
    }

    /// Returns the faults that SQLite finds; empty if the database is sound.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read.
    pub fn faults(&self) -> Result<Vec<String>, StoreError> {
        self.read(|db| {
            let check = |sql| rows(db, sql, [], |row| row.get::<_, String>(0));
            let mut faults = check("PRAGMA integrity_check")?;
            faults.retain(|line| line != "ok");
            let lost = check("PRAGMA foreign_key_check")?.into_iter();
            faults.extend(lost.map(|table| format!("a row of {table} points nowhere")));
            Ok(faults)
        })
    }

    /// Copies the database into a file with the backup API of SQLite, while the database is in use.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        let source = connect(&self.path)?;
        let mut copy = Connection::open(to)?;
        let backup = rusqlite::backup::Backup::new(&source, &mut copy)?;
        backup.run_to_completion(1_000, Duration::from_millis(5), None)?;
        drop(backup);
        // The copy is a single file, without a write-ahead log beside it.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        Ok(())
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// Returns a time as a stored number: the milliseconds since the Unix epoch.
pub(crate) fn stored(time: Timestamp) -> i64 {
    time.as_millisecond()
}

/// Returns the time of a stored number.
pub(crate) fn time(stored: i64) -> Timestamp {
    Timestamp::from_millisecond(stored).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns the rows that a query finds.
pub(crate) fn rows<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut found = db.prepare_cached(sql)?;
    Ok(found.query_map(params, read)?.collect::<Result<_, _>>()?)
}

/// Returns the first row that a query finds, if there is one.
pub(crate) fn first<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, StoreError> {
    Ok(db.prepare_cached(sql)?.query_row(params, read).optional()?)
}

/// Returns the value of a query that always finds one row with one value.
pub(crate) fn value<T: FromSql>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<T, StoreError> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
}

/// Returns the setting of this name.
pub fn setting(db: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    first(db, "SELECT value FROM settings WHERE name = ?1", [name], |row| row.get(0))
}

/// Changes the setting of this name; `None` removes it.
pub fn set(db: &Connection, name: &str, value: Option<&str>) -> Result<(), StoreError> {
    match value {
        Some(value) => db.execute(
            "INSERT INTO settings (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value],
        )?,
        None => db.execute("DELETE FROM settings WHERE name = ?1", [name])?,
    };
    Ok(())
}

/// Stores a note of an event in the audit log.
pub fn note(db: &Connection, at: Timestamp, who: &str, what: &str) -> Result<(), StoreError> {
    db.prepare_cached("INSERT INTO audit (at, who, what) VALUES (?1, ?2, ?3)")?.execute((
        stored(at),
        who,
        what,
    ))?;
    Ok(())
}

/// Returns the number of notes of a person since a time that begin with these words.
pub fn count_notes(
    db: &Connection,
    who: &str,
    words: &str,
    since: Timestamp,
) -> Result<u32, StoreError> {
    // The times of the notes never decrease, so all notes since that time have larger ids than the last note before it.
    let sql = "SELECT count(*) FROM audit
         WHERE id > ifnull((SELECT id FROM audit WHERE at <= ?3 ORDER BY id DESC LIMIT 1), 0)
         AND who = ?1 AND substr(what, 1, length(?2)) = ?2";
    value(db, sql, (who, words, stored(since)))
}

/// Returns the last notes, the latest first: time, person, event.
pub fn notes(db: &Connection, most: usize) -> Result<Vec<(Timestamp, String, String)>, StoreError> {
    let sql = "SELECT at, who, what FROM audit ORDER BY id DESC LIMIT ?1";
    rows(db, sql, [most as i64], |row| Ok((time(row.get(0)?), row.get(1)?, row.get(2)?)))
}

/// Returns the time of the last known event.
pub fn latest(db: &Connection) -> Result<Timestamp, StoreError> {
    let sql = "SELECT max(at) FROM (
            SELECT max(at) AS at FROM audit
            UNION ALL SELECT max(uploaded) FROM versions
            UNION ALL SELECT max(ended) FROM games)";
    Ok(time(value::<Option<i64>>(db, sql, [])?.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_fit_together() {
        assert!(MIGRATIONS.validate().is_ok());
    }

    #[test]
    fn change_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path()).expect("a database");
        assert!(Store::create(folder.path()).is_err());
        let failed: Result<(), StoreError> = store.write(|db| {
            set(db, "a", Some("1"))?;
            Err(StoreError::Refused("no".to_owned()))
        });
        assert!(failed.is_err());
        assert_eq!(store.read(|db| setting(db, "a")).expect("a read"), None);
        store.write(|db| set(db, "a", Some("1"))).expect("a write");
        assert_eq!(store.read(|db| setting(db, "a")).expect("a read").as_deref(), Some("1"));
        assert_eq!(store.faults().expect("a check"), Vec::<String>::new());
    }

    #[test]
    fn copy_is_a_league() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path()).expect("a database");
        store.write(|db| set(db, "a", Some("1"))).expect("a write");
        let other = tempfile::tempdir().expect("a folder");
        store.back_up(&other.path().join(FILE)).expect("a copy");
        let copy = Store::open(other.path()).expect("a database");
        assert_eq!(copy.read(|db| setting(db, "a")).expect("a read").as_deref(), Some("1"));
        assert!(matches!(Store::open(&other.path().join("x")), Err(StoreError::NoLeague(_))));
    }
}
