//! The reviews of games, as JSON: each is made once.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::{StoreError, stored};

/// The most reviews of a person that are to be made.
const MOST_WAITING: u32 = 10;

/// The review of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// It was not asked for.
    Unwanted,
    /// It is to be made.
    Waiting,
    /// It is there: JSON, or nothing if the game cannot be reviewed.
    Made(String),
}

impl Review {
    /// Returns the review of a game.
    ///
    /// # Errors
    ///
    /// Returns an error of the database.
    pub fn of(db: &Connection, game: i64) -> Result<Review, StoreError> {
        let mut found = db.prepare_cached("SELECT review FROM reviews WHERE game = ?1")?;
        let found: Option<Option<String>> = found.query_row([game], |row| row.get(0)).optional()?;
        Ok(match found {
            None => Review::Unwanted,
            Some(None) => Review::Waiting,
            Some(Some(text)) => Review::Made(text),
        })
    }

    /// Asks for the review of a game, for a person or for the pages of all.
    ///
    /// # Errors
    ///
    /// Returns an error if many reviews of the person are to be made, or an error of the database.
    pub fn want(
        db: &Connection,
        game: i64,
        person: Option<i64>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql =
            "SELECT count(*) FROM reviews WHERE person = ?1 AND review IS NULL AND game <> ?2";
        let waiting: u32 = db.query_row(sql, (person, game), |row| row.get(0))?;
        if waiting >= MOST_WAITING {
            let why =
                format!("{MOST_WAITING} reviews of yours are still to be made: try again later");
            return Err(StoreError::Refused(why));
        }
        let sql = "INSERT OR IGNORE INTO reviews (game, person, asked) VALUES (?1, ?2, ?3)";
        db.execute(sql, (game, person, stored(now)))?;
        Ok(())
    }

    /// Returns the next game whose review is to be made: that of the first who has asked.
    ///
    /// # Errors
    ///
    /// Returns an error of the database.
    pub fn next(db: &Connection) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT game FROM reviews WHERE review IS NULL ORDER BY asked, game LIMIT 1";
        Ok(db.query_row(sql, [], |row| row.get(0)).optional()?)
    }

    /// Keeps the review of a game; an empty text says that it cannot be made.
    ///
    /// # Errors
    ///
    /// Returns an error of the database.
    pub fn keep(db: &Connection, game: i64, text: &str) -> Result<(), StoreError> {
        db.execute("UPDATE reviews SET review = ?2 WHERE game = ?1", (game, text))?;
        Ok(())
    }
}
