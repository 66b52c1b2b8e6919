//! The reviews of games, as JSON: each is made once.

use rusqlite::{Connection, OptionalExtension};

use super::StoreError;

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

    /// Asks for the review of a game.
    ///
    /// # Errors
    ///
    /// Returns an error of the database.
    pub fn want(db: &Connection, game: i64) -> Result<(), StoreError> {
        db.execute("INSERT OR IGNORE INTO reviews (game) VALUES (?1)", [game])?;
        Ok(())
    }

    /// Returns the next game whose review is to be made.
    ///
    /// # Errors
    ///
    /// Returns an error of the database.
    pub fn next(db: &Connection) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT game FROM reviews WHERE review IS NULL ORDER BY game LIMIT 1";
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
