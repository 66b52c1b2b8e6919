//! The finished games for the pages: the ratings after each game, and the reviews. Each review is made once.

use jiff::Timestamp;
use rusqlite::Connection;

use super::games::GameRow;
use super::versions::Version;
use super::{StoreError, first, rows, stored, value};
use crate::rating::Rating;

/// The selection of games to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// All games.
    All,
    /// The games of a person.
    Of(i64),
    /// The games with a kept record that a person lost without a fault.
    LostBy(i64),
    /// Games at which the computer failed, and void ones.
    Failed,
}

/// A game with the people who played it.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The game.
    pub game: GameRow,
    /// The people, in the order of the sides.
    pub people: [i64; 2],
    /// The numbers of their versions.
    pub numbers: [i64; 2],
}

impl Played {
    /// Returns the last `most` of the selected games, the latest first.
    pub fn recent(db: &Connection, which: Recent, most: usize) -> Result<Vec<Played>, StoreError> {
        let columns = GameRow::COLUMNS.replace(", ", ", g.");
        let head = format!(
            "SELECT g.{columns}, a.person, b.person, a.number, b.number
             FROM games g JOIN versions a ON a.id = g.first JOIN versions b ON b.id = g.second"
        );
        let (condition, person) = match which {
            Recent::All => ("g.state <> 'open'", 0),
            Recent::Of(person) => (
                "g.state <> 'open' AND (g.first IN (SELECT id FROM versions WHERE person = ?1)
                    OR g.second IN (SELECT id FROM versions WHERE person = ?1))",
                person,
            ),
            Recent::LostBy(person) => (
                "g.state = 'done' AND g.fault_side IS NULL AND g.record IS NOT NULL
                    AND (g.result = '0-1' AND g.first IN (SELECT id FROM versions WHERE person = ?1)
                        OR g.result = '1-0' AND g.second IN (SELECT id FROM versions WHERE person = ?1))",
                person,
            ),
            Recent::Failed => ("(g.tries > 0 OR g.again IS NOT NULL)", 0),
        };
        let sql = format!("{head} WHERE {condition} AND ?1 = ?1 ORDER BY g.id DESC LIMIT ?2");
        rows(db, &sql, (person, most as i64), |row| {
            Ok(Played {
                game: GameRow::of(row)?,
                people: [row.get(13)?, row.get(14)?],
                numbers: [row.get(15)?, row.get(16)?],
            })
        })
    }

    /// Returns the game of this number, with the people who played it.
    pub fn find(db: &Connection, id: i64) -> Result<Option<Played>, StoreError> {
        let Some(game) = GameRow::find(db, id)? else { return Ok(None) };
        let [first, second] = game.versions;
        let (Some(first), Some(second)) = (Version::find(db, first)?, Version::find(db, second)?)
        else {
            return Ok(None);
        };
        let people = [first.person, second.person];
        Ok(Some(Played { game, people, numbers: [first.number, second.number] }))
    }
}

/// The rating of a person after a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingPoint {
    /// The number of the version that began the game, among those of its owner.
    pub number: i64,
    /// The rating.
    pub rating: Rating,
}

impl RatingPoint {
    /// Returns the ratings of a person after each of the last games, in order.
    pub fn history(
        db: &Connection,
        person: i64,
        most: usize,
    ) -> Result<Vec<RatingPoint>, StoreError> {
        let sql = "SELECT number, rating, deviation FROM (
                SELECT g.id AS id, v.number AS number, g.first_rating AS rating,
                    g.first_deviation AS deviation
                FROM games g JOIN versions v ON v.id = g.first
                WHERE v.person = ?1 AND g.state = 'done'
                UNION ALL
                SELECT g.id, v.number, g.second_rating, g.second_deviation
                FROM games g JOIN versions v ON v.id = g.second
                WHERE v.person = ?1 AND g.state = 'done'
             ) ORDER BY id DESC LIMIT ?2";
        let mut points = rows(db, sql, (person, most as i64), |row| {
            let (rating, deviation) = (row.get(1)?, row.get(2)?);
            let rating = Rating { rating, deviation, ..Rating::default() };
            Ok(RatingPoint { number: row.get(0)?, rating })
        })?;
        points.reverse();
        Ok(points)
    }
}

/// The most waiting reviews of a person.
const MOST_WAITING: u32 = 10;

/// The review of a game, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// A review that was not requested.
    Unwanted,
    /// A requested review that is not made yet.
    Waiting,
    /// The finished review as JSON, or an empty text if the game cannot be reviewed.
    Made(String),
}

impl Review {
    /// Returns the review of a game.
    pub fn of(db: &Connection, game: i64) -> Result<Review, StoreError> {
        let sql = "SELECT review FROM reviews WHERE game = ?1";
        Ok(match first(db, sql, [game], |row| row.get(0))? {
            None => Review::Unwanted,
            Some(None) => Review::Waiting,
            Some(Some(text)) => Review::Made(text),
        })
    }

    /// Requests the review of a game, for a person, or without a limit if `person` is `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if too many reviews of the person wait, or an error of the database.
    pub fn want(
        db: &Connection,
        game: i64,
        person: Option<i64>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql =
            "SELECT count(*) FROM reviews WHERE person = ?1 AND review IS NULL AND game <> ?2";
        let waiting: u32 = value(db, sql, (person, game))?;
        if waiting >= MOST_WAITING {
            let why =
                format!("{MOST_WAITING} reviews of yours are still to be made: try again later");
            return Err(StoreError::Refused(why));
        }
        let sql = "INSERT OR IGNORE INTO reviews (game, person, asked) VALUES (?1, ?2, ?3)";
        db.execute(sql, (game, person, stored(now)))?;
        Ok(())
    }

    /// Returns the game of the next review to make: the review that was requested first.
    pub fn next(db: &Connection) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT game FROM reviews WHERE review IS NULL ORDER BY asked, game LIMIT 1";
        first(db, sql, [], |row| row.get(0))
    }

    /// Stores the review of a game; an empty text means that the game cannot be reviewed.
    pub fn keep(db: &Connection, game: i64, text: &str) -> Result<(), StoreError> {
        db.execute("UPDATE reviews SET review = ?2 WHERE game = ?1", (game, text))?;
        Ok(())
    }
}
