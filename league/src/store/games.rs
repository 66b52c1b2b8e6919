//! The games of a league, the ratings after each, and the reviews. A game is counted once: when its state becomes
//! `done`. Each review is made once.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use jiff::Timestamp;
use plyground::Side;
use rusqlite::{Connection, Row};

use super::versions::Version;
use super::{StoreError, first, rows, stored, time, value};
use crate::rating::{Meetings, Rating, after_game, ordered};

/// The state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameState {
    /// The game is to be played.
    Open,
    /// The game was played and counted.
    Done,
    /// The computer failed at the game too often; the game does not count.
    Void,
}

impl GameState {
    fn read(word: &str) -> GameState {
        match word {
            "done" => GameState::Done,
            "void" => GameState::Void,
            _ => GameState::Open,
        }
    }
}

/// A game of a league.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// The number.
    pub id: i64,
    /// The versions that play, in the order of the sides.
    pub versions: [i64; 2],
    /// The index of the opening.
    pub opening: i64,
    /// The seed of all random choices in the game.
    pub seed: i64,
    /// The state.
    pub state: GameState,
    /// The time of its end.
    pub ended: Option<Timestamp>,
    /// The result, such as `1-0`.
    pub result: Option<String>,
    /// The reason of the result, in words.
    pub reason: Option<String>,
    /// The side that lost by a fault.
    pub fault: Option<Side>,
    /// The reason why the game was played again: a failure of the computer.
    pub again: Option<String>,
    /// The number of times that a computer failed at the game.
    pub tries: i64,
    /// The kind of the fault.
    pub fault_word: Option<String>,
}

/// The result of a game, to be counted.
#[derive(Clone, Debug)]
pub struct NewResult {
    /// The winner.
    pub winner: Option<Side>,
    /// The result, such as `1-0`.
    pub result: &'static str,
    /// The reason in words.
    pub reason: String,
    /// The side that lost by a fault.
    pub fault: Option<Side>,
    /// The kind of the fault.
    pub fault_word: Option<&'static str>,
    /// The reason why the game was played again.
    pub again: Option<String>,
    /// The number of moves.
    pub plies: usize,
    /// The record.
    pub record: String,
    /// The last parts of the standard error of both programs.
    pub stderr: [String; 2],
    /// The machine that played the game.
    pub worker: String,
}

/// The number of games in a row lost by faults after which a version is benched.
pub const MOST_FAULTS: i64 = 3;

/// The number of times that the computer may fail at a game.
pub const MOST_TRIES: i64 = 3;

impl GameRow {
    pub(super) const COLUMNS: &str = "id, first, second, opening, seed, state, ended, result, reason, fault_side, \
        again, tries, fault_word";

    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<GameRow> {
        Ok(GameRow {
            id: row.get(0)?,
            versions: [row.get(1)?, row.get(2)?],
            opening: row.get(3)?,
            seed: row.get(4)?,
            state: GameState::read(&row.get::<_, String>(5)?),
            ended: row.get::<_, Option<i64>>(6)?.map(time),
            result: row.get(7)?,
            reason: row.get(8)?,
            fault: row.get::<_, Option<i64>>(9)?.map(|side| match side {
                0 => Side::First,
                _ => Side::Second,
            }),
            again: row.get(10)?,
            tries: row.get(11)?,
            fault_word: row.get(12)?,
        })
    }

    /// Returns the game of this number.
    pub fn find(db: &Connection, id: i64) -> Result<Option<GameRow>, StoreError> {
        let sql = format!("SELECT {} FROM games WHERE id = ?1", GameRow::COLUMNS);
        first(db, &sql, [id], GameRow::of)
    }

    /// Returns all games that are to be played, in order.
    pub fn open(db: &Connection) -> Result<Vec<GameRow>, StoreError> {
        let sql =
            format!("SELECT {} FROM games WHERE state = 'open' ORDER BY id", GameRow::COLUMNS);
        rows(db, &sql, [], GameRow::of)
    }

    /// Adds two games of these versions with the same opening, one with each side, and returns them.
    pub fn add_pair(
        db: &Connection,
        versions: [i64; 2],
        opening: usize,
        seed: i64,
        now: Timestamp,
    ) -> Result<[GameRow; 2], StoreError> {
        let [one, other] = versions;
        let mut add = db.prepare_cached(
            "INSERT INTO games (first, second, opening, seed, state, made)
             VALUES (?1, ?2, ?3, ?4, 'open', ?5)",
        )?;
        let mut game = |first, second| {
            add.execute((first, second, opening as i64, seed, stored(now)))?;
            let added = GameRow::find(db, db.last_insert_rowid())?;
            added.ok_or_else(|| StoreError::Refused("the game was not stored".to_owned()))
        };
        Ok([game(one, other)?, game(other, one)?])
    }

    /// Stores and counts the result of an open game: the ratings of both people change, which the versions that play
    /// now have, even if others began the game; and a version that has lost too many games in a row by faults is
    /// benched. If the game is not open, changes nothing and returns false.
    pub fn finish(
        &self,
        db: &Connection,
        result: &NewResult,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let found = |id| {
            Version::find(db, id)?
                .ok_or_else(|| StoreError::Refused("the version is gone".to_owned()))
        };
        let versions = [found(self.versions[0])?, found(self.versions[1])?];
        let rated = |version: &Version| {
            let playing = version.playing(db)?;
            Ok::<_, StoreError>(
                playing.map_or((version.id, version.rating), |it| (it.id, it.rating)),
            )
        };
        let rated = [rated(&versions[0])?, rated(&versions[1])?];
        let after = after_game(rated.map(|(_, rating)| rating), result.winner);
        let changed = db
            .prepare_cached(
                "UPDATE games SET state = 'done', ended = ?2, result = ?3, reason = ?4, fault_side = ?5,
                    again = ?6, plies = ?7, record = ?8, first_stderr = ?9, second_stderr = ?10,
                    first_rating = ?11, first_deviation = ?12, second_rating = ?13,
                    second_deviation = ?14, worker = ?15, fault_word = ?16
                 WHERE id = ?1 AND state = 'open'",
            )?
            .execute((
                self.id,
                stored(now),
                result.result,
                &result.reason,
                result.fault.map(|side| side.index() as i64),
                &result.again,
                result.plies as i64,
                packed(&result.record),
                Some(&result.stderr[0]).filter(|text| !text.is_empty()),
                Some(&result.stderr[1]).filter(|text| !text.is_empty()),
                after[0].rating,
                after[0].deviation,
                after[1].rating,
                after[1].deviation,
                &result.worker,
                result.fault_word,
            ))?;
        if changed == 0 {
            return Ok(false);
        }
        for (side, version) in [Side::First, Side::Second].into_iter().zip(&versions) {
            after[side.index()].keep(db, rated[side.index()].0)?;
            let faults = if result.fault == Some(side) { version.faults_in_row + 1 } else { 0 };
            db.prepare_cached(
                "UPDATE versions SET games = games + 1, faults_in_row = ?2 WHERE id = ?1",
            )?
            .execute((version.id, faults))?;
            if faults >= MOST_FAULTS && version.player.is_none() && version.benched.is_none() {
                let why =
                    format!("{faults} games in a row lost by faults, the last: {}", result.reason);
                version.bench(db, Some(&why))?;
            }
        }
        Ok(true)
    }

    /// Notes that the computer failed at an open game. After too many failures the game is void.
    pub fn fail(&self, db: &Connection, why: &str, now: Timestamp) -> Result<(), StoreError> {
        db.execute(
            "UPDATE games SET tries = tries + 1, again = ?2,
                state = CASE WHEN tries + 1 >= ?3 THEN 'void' ELSE 'open' END,
                ended = CASE WHEN tries + 1 >= ?3 THEN ?4 ELSE NULL END
             WHERE id = ?1 AND state = 'open'",
            (self.id, why, MOST_TRIES, stored(now)),
        )?;
        Ok(())
    }

    /// Opens a void game again. Returns false if the game is not void.
    pub fn requeue(&self, db: &Connection) -> Result<bool, StoreError> {
        let changed = db.execute(
            "UPDATE games SET state = 'open', tries = 0, ended = NULL
             WHERE id = ?1 AND state = 'void'",
            [self.id],
        )?;
        Ok(changed > 0)
    }

    /// Removes the open games of a version that no longer plays. Returns the number of removed games.
    pub fn forget_open(db: &Connection, version: i64) -> Result<usize, StoreError> {
        Ok(db.execute(
            "DELETE FROM games WHERE state = 'open' AND (first = ?1 OR second = ?1)",
            [version],
        )?)
    }

    /// Returns the record, unless the record was removed to make room.
    pub fn record(&self, db: &Connection) -> Result<Option<String>, StoreError> {
        let packed: Option<Vec<u8>> =
            value(db, "SELECT record FROM games WHERE id = ?1", [self.id])?;
        Ok(packed.and_then(|packed| unpacked(&packed)))
    }

    /// Returns the last parts of the standard error of both programs.
    pub fn stderr(&self, db: &Connection) -> Result<[Option<String>; 2], StoreError> {
        let mut found =
            db.prepare_cached("SELECT first_stderr, second_stderr FROM games WHERE id = ?1")?;
        Ok(found.query_row([self.id], |row| Ok([row.get(0)?, row.get(1)?]))?)
    }

    /// Returns the number of games between each two versions that play in the league.
    pub fn meetings(db: &Connection) -> Result<Meetings, StoreError> {
        let sql = "SELECT first, second, count(*) FROM games
             WHERE first IN (SELECT active FROM people) AND second IN (SELECT active FROM people)
             GROUP BY first, second";
        let mut meetings = Meetings::new();
        for (pair, count) in
            rows(db, sql, [], |row| Ok((ordered(row.get(0)?, row.get(1)?), row.get::<_, u32>(2)?)))?
        {
            *meetings.entry(pair).or_default() += count;
        }
        Ok(meetings)
    }
}

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

/// Compresses a record.
fn packed(record: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Writing into memory does not fail.
    let written = encoder.write_all(record.as_bytes()).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// Returns a record that was compressed.
fn unpacked(packed: &[u8]) -> Option<String> {
    let mut text = String::new();
    DeflateDecoder::new(packed).read_to_string(&mut text).ok().map(|_| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Entry, NewPerson, NewVersion, Person, Role, Store, VersionState};

    fn result(winner: Option<Side>, fault: Option<Side>) -> NewResult {
        NewResult {
            winner,
            result: "1-0",
            reason: "crash".to_owned(),
            fault,
            fault_word: fault.map(|_| "crash"),
            again: None,
            plies: 1,
            record: "a record".to_owned(),
            stderr: [String::new(), String::new()],
            worker: String::new(),
        }
    }

    fn player(db: &Connection, key: &str, player: Option<&str>) -> Version {
        let now = Timestamp::UNIX_EPOCH;
        let role = Role::Student;
        let (name, email) = (key.to_owned(), String::new());
        let person = NewPerson { key: key.to_owned(), name, email, role };
        person.add(db, now).expect("a person");
        let person = Person::of_key(db, key).expect("a read").expect("a person").id;
        let player = player.map(str::to_owned);
        let version = NewVersion { person, content: Some("c".to_owned()), player, bytes: 1 };
        let version = version.add(db, now).expect("a version");
        version.activate(db).expect("an activation");
        version
    }

    /// Makes changes of a new league.
    fn season(changes: impl FnOnce(&Connection, Timestamp) -> Result<(), StoreError>) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path()).expect("a database");
        store.write(|db| changes(db, Timestamp::UNIX_EPOCH)).expect("a season");
    }

    #[test]
    fn game_counts_once_and_faults_bench() {
        season(|db, now| {
            let [one, other] = ["ann", "bob"].map(|key| player(db, key, None));
            let mut games = Vec::new();
            for seed in 0..2 {
                games.extend(GameRow::add_pair(db, [one.id, other.id], 0, seed, now)?);
            }
            // The other loses by faults, with either side.
            for (index, game) in games.iter().enumerate() {
                let side = if index % 2 == 0 { Side::Second } else { Side::First };
                let lost = result(Some(side.other()), Some(side));
                assert!(game.finish(db, &lost, now)?);
                let rated = Version::find(db, one.id)?.expect("a version");
                assert!(!game.finish(db, &lost, now)?, "counted twice");
                assert_eq!(Version::find(db, one.id)?, Some(rated));
            }
            let [one, other] =
                [one.id, other.id].map(|id| Version::find(db, id).expect("a read").expect("it"));
            assert!(one.rating.rating > other.rating.rating);
            assert_eq!((one.games, other.games, one.benched), (4, 4, None));
            assert!(other.benched.is_some_and(|why| why.contains("3 games in a row")));
            assert_eq!(games[0].record(db)?.as_deref(), Some("a record"));
            assert_eq!(GameRow::meetings(db)?.values().sum::<u32>(), 4);
            assert_eq!(RatingPoint::history(db, one.person, 9)?.len(), 4);
            assert_eq!(Played::recent(db, Recent::Of(one.person), 3)?.len(), 3);
            assert_eq!(Played::recent(db, Recent::All, 9)?[0].numbers, [1, 1]);
            assert!(Played::recent(db, Recent::Failed, 9)?.is_empty());
            Ok(())
        });
    }

    #[test]
    fn failure_of_the_computer_does_not_count() {
        season(|db, now| {
            let [one, other] = ["ann", "bob"].map(|key| player(db, key, None));
            let [game, _] = GameRow::add_pair(db, [one.id, other.id], 0, 1, now)?;
            for tries in 1..=MOST_TRIES {
                game.fail(db, "no processes left", now)?;
                let now = GameRow::find(db, game.id)?.expect("a game");
                assert_eq!(now.state == GameState::Void, tries == MOST_TRIES);
            }
            assert!(!game.finish(db, &result(None, None), now)?);
            let one = Version::find(db, one.id)?.expect("a version");
            assert_eq!((one.games, one.rating), (0, Rating::default()));
            assert!(game.requeue(db)? && !game.requeue(db)?);
            assert!(game.finish(db, &result(None, None), now)?);
            Ok(())
        });
    }

    #[test]
    fn next_version_begins_from_the_one_before() {
        season(|db, now| {
            let before = player(db, "ann", None);
            let known = Rating { rating: 1800.0, deviation: 40.0, volatility: 0.01 };
            known.keep(db, before.id)?;
            let next = NewVersion {
                person: before.person,
                content: Some("d".to_owned()),
                player: None,
                bytes: 1,
            };
            let next = next.add(db, now)?;
            let state = VersionState::Ready;
            next.set_built(db, state, ("", "Python"), None, now)?;
            let entries = Entry::all(db)?;
            assert_eq!((entries.len(), entries[0].version.id), (1, next.id));
            let rating = entries[0].version.rating;
            assert!(rating.rating == 1800.0 && (100.0..200.0).contains(&rating.deviation));
            // Going back takes the rating along, and the doubt stays below that of a new player.
            let lost = Rating { rating: 1700.0, deviation: 60.0, ..known };
            lost.keep(db, next.id)?;
            for count in 0..20 {
                if count % 2 == 0 {
                    before.activate(db)?
                } else {
                    next.activate(db)?
                }
                let rating = Entry::all(db)?[0].version.rating;
                assert_eq!(rating.rating, 1700.0);
                assert!(rating.deviation > 150.0 && rating.deviation < 201.0);
            }
            // A game that an earlier version began counts for the person, too.
            let other = player(db, "bob", None);
            let [game, _] = GameRow::add_pair(db, [before.id, other.id], 0, 1, now)?;
            assert!(game.finish(db, &result(Some(Side::Second), None), now)?);
            let [_, loser] = &Entry::all(db)?[..] else { unreachable!("two entries") };
            assert_eq!((loser.version.id, loser.version.games), (next.id, 0));
            assert!(loser.version.rating.rating < 1700.0);
            // An older version that becomes ready later does not replace the newer version.
            before.set_built(db, state, ("", "C"), None, now)?;
            assert_eq!(Person::of_key(db, "ann")?.and_then(|it| it.active), Some(next.id));
            Ok(())
        });
    }
}
