//! The store for the games of a tournament.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use plyground_durable::FileError;
use plyground_durable::lock::{LockError, Locking, WorkLock};
use plyground_durable::output::{make_folder, remove_abandoned, write_whole};
use plyground_host::record::{GameRecord, RecordError};
use thiserror::Error;

use super::fixture::GameNumber;
use super::growth::has_grown;

/// The name of the file with the plan.
pub(super) const PLAN: &str = "plan.json";

/// The name of the folder with the games.
const GAMES: &str = "games";
/// The name of the file with the players that could not play.
const ABSENT: &str = "absent.json";
/// The extension of the files with games.
const EXTENSION: &str = "jsonl";

/// The error for a store that cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file or folder cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// Another process uses the store, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The store belongs to another tournament, or the plan has more games than the plan of the
    /// store, but does not fit the games that have been played.
    #[error("{}: {}", .0.display(), .1)]
    Unfit(PathBuf, String),
    /// A game contradicts the plan or the rules.
    #[error("{}:{}; remove the file to have the game played again", .0.display(), .1)]
    WrongGame(PathBuf, RecordError),
    /// The record of a game is damaged.
    #[error("{}:{}; it counts as not played", .0.display(), .1)]
    Damaged(PathBuf, RecordError),
}

/// A folder with the plan of a tournament, and a file for each game that has ended.
///
/// A file is written whole or not at all, with a checksum in every line; its name is the number of
/// its game. A process may therefore be killed at any moment. Only one process uses the folder at a
/// time.
#[derive(Debug)]
pub struct GameStore {
    folder: PathBuf,
    /// The lock. It is `None` for a store that is only read or whose file system has no locks.
    lock: Option<WorkLock>,
}

impl GameStore {
    /// Opens the store in `folder` for the plan with this text, or begins one. A store without
    /// games is begun anew, because it remains from a run that failed before its first game. A
    /// store of a plan with fewer games takes the new plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the store belongs to another plan, or cannot be read or written.
    pub fn open(folder: &Path, plan: &str, locking: Locking) -> Result<GameStore, StoreError> {
        make_folder(&folder.join(GAMES))?;
        let lock = locking.lock(WorkLock::of_folder(folder))?;
        let store = GameStore { folder: folder.to_owned(), lock };
        let path = folder.join(PLAN);
        match fs::read_to_string(&path) {
            Ok(found) if found != plan && store.numbers()?.is_empty() => {
                store.remove_absent();
                write_whole(&path, plan)?;
            }
            Ok(found) => {
                if store.has_grown(&found, plan)? {
                    write_whole(&path, plan)?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => write_whole(&path, plan)?,
            Err(error) => return Err(unreadable(&path)(error)),
        }
        for folder in [folder, &folder.join(GAMES)] {
            remove_abandoned(folder);
        }
        Ok(store)
    }

    /// Returns a store that is not opened, for its paths and the numbers of its games.
    pub fn unopened(folder: &Path) -> GameStore {
        GameStore { folder: folder.to_owned(), lock: None }
    }

    /// Removes a store that has no games, so that a run that failed before its first game does not
    /// stop the next.
    pub fn discard_if_empty(mut self) {
        if self.numbers().is_ok_and(|numbers| numbers.is_empty()) {
            self.remove_absent();
            // A leftover plan does little harm, because a store without games is begun anew.
            let _ = fs::remove_file(self.folder.join(PLAN));
            // A folder with other files stays.
            let _ = fs::remove_dir(self.folder.join(GAMES));
            self.lock = None;
            let _ = fs::remove_dir(&self.folder);
        }
    }

    fn remove_absent(&self) {
        // A leftover file only says that players could not play.
        let _ = fs::remove_file(self.folder.join(ABSENT));
    }

    /// Returns true if a plan has more games than the plan that was found in the folder.
    fn has_grown(&self, found: &str, plan: &str) -> Result<bool, StoreError> {
        has_grown(found, plan, &self.numbers()?)
            .map_err(|why| StoreError::Unfit(self.folder.clone(), why))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self, number: GameNumber) -> PathBuf {
        self.folder.join(GAMES).join(format!("{number}.{EXTENSION}"))
    }

    /// Returns the numbers of the stored games, in order.
    pub fn numbers(&self) -> Result<Vec<GameNumber>, StoreError> {
        let path = self.folder.join(GAMES);
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&path).map_err(unreadable(&path))? {
            let name = entry.map_err(unreadable(&path))?.file_name();
            let stem =
                name.to_str().and_then(|name| name.strip_suffix(EXTENSION)?.strip_suffix('.'));
            numbers.extend(stem.and_then(|stem| stem.parse::<GameNumber>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Loads the record of a stored game.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be read or is damaged.
    pub fn load(&self, number: GameNumber) -> Result<GameRecord, StoreError> {
        let path = self.path(number);
        let text = fs::read(&path).map_err(unreadable(&path))?;
        GameRecord::parse(&String::from_utf8_lossy(&text))
            .map_err(|fault| StoreError::Damaged(path, fault))
    }

    /// Returns the error for a game that contradicts the plan or the rules.
    pub fn wrong_game(&self, number: GameNumber, fault: RecordError) -> StoreError {
        StoreError::WrongGame(self.path(number), fault)
    }

    pub fn save(&self, number: GameNumber, record: &GameRecord) -> Result<(), FileError> {
        let path = self.path(number);
        match record.to_sealed_text() {
            Ok(text) => write_whole(&path, text),
            Err(error) => Err(FileError::at(&path, "write the game")(error.into())),
        }
    }

    /// Returns the players that could not play when the store was last used, by name, with the
    /// reasons.
    pub fn absent(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let path = self.folder.join(ABSENT);
        match fs::read_to_string(&path) {
            // The file only explains missing games, so a damaged one counts as empty.
            Ok(text) => Ok(serde_json::from_str(&text).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(unreadable(&path)(error)),
        }
    }

    /// Stores the players that could not play, with the reasons.
    pub fn set_absent(&self, absent: &BTreeMap<String, String>) -> Result<(), StoreError> {
        if self.absent()? != *absent {
            let path = self.folder.join(ABSENT);
            let text = serde_json::to_string_pretty(absent).unwrap_or_default() + "\n";
            write_whole(&path, text)?;
        }
        Ok(())
    }

    /// Returns the store in another folder, after a check that its plan is the same plan or a plan
    /// with fewer games.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder belongs to another plan or cannot be read.
    pub fn check_share(&self, folder: &Path, plan: &str) -> Result<GameStore, StoreError> {
        let path = folder.join(PLAN);
        let found = fs::read_to_string(&path).map_err(unreadable(&path))?;
        let other = GameStore { folder: folder.to_owned(), lock: None };
        other.has_grown(&found, plan)?;
        other.numbers()?;
        Ok(other)
    }

    /// Takes in the games and absent players of another store of the same plan. A game in both
    /// stores is unchanged here, unless it is damaged here. Returns the faults of damaged games in the other store.
    ///
    /// # Errors
    ///
    /// Returns an error if the other store belongs to another plan, or if a file cannot be read or
    /// written.
    pub fn take_in(&self, folder: &Path, plan: &str) -> Result<Vec<StoreError>, StoreError> {
        let other = self.check_share(folder, plan)?;
        let mut damaged = Vec::new();
        for number in other.numbers()? {
            if self.load(number).is_ok() {
                continue;
            }
            match other.load(number) {
                Ok(record) => self.save(number, &record)?,
                Err(why @ StoreError::Damaged(..)) => damaged.push(why),
                Err(error) => return Err(error),
            }
        }
        let mut absent = self.absent()?;
        absent.extend(other.absent()?);
        self.set_absent(&absent)?;
        Ok(damaged)
    }
}

/// Returns a function that makes the error of a file or folder that cannot be read.
fn unreadable(path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::Unreadable(FileError::at(path, "read it")(error))
}

#[cfg(test)]
mod tests {
    use plyground_host::player::Random;
    use plyground_host::record::PlayerRecord;
    use plyground_host::referee::{Conduct, Silent, play};
    use plyground_host::toy::toy;

    use super::*;

    fn record() -> GameRecord {
        let (mut one, mut other) = (Random::new(1), Random::new(2));
        let players = [&mut one as _, &mut other as _];
        let game = play(&toy().start(), players, &Conduct::default(), &mut Silent);
        let player = PlayerRecord { name: "r".to_owned(), player: "random".to_owned() };
        GameRecord::of(&game.expect("a game"), [player.clone(), player])
    }

    const NUMBER: GameNumber = GameNumber { meeting: 2, game: 0 };

    fn open(folder: &Path, plan: &str) -> Result<GameStore, StoreError> {
        GameStore::open(folder, plan, Locking::Always)
    }

    #[test]
    fn games_are_kept() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let store = open(folder.path(), "a plan\n")?;
        assert_eq!(store.numbers()?, []);
        let record = record();
        store.save(NUMBER, &record)?;
        fs::write(folder.path().join("games/.tmpX"), "cut o")?;
        let error = open(folder.path(), "a plan\n").expect_err("a lock").to_string();
        assert!(error.ends_with(": another process is at work on it"), "{error}");
        drop(store);
        let again = open(folder.path(), "a plan\n")?;
        assert_eq!(again.numbers()?, [NUMBER]);
        assert_eq!(again.load(NUMBER)?, record);
        fs::write(again.path(NUMBER), "{}\n")?;
        let error = again.load(NUMBER).expect_err("damage").to_string();
        assert!(error.contains("0003-01.jsonl:1: "), "{error}");
        Ok(())
    }

    #[test]
    fn every_changed_character_is_named_by_its_line() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let store = open(folder.path(), "a plan\n")?;
        store.save(NUMBER, &record())?;
        let text = fs::read_to_string(store.path(NUMBER))?;
        for (at, old) in text.char_indices().filter(|&(_, letter)| letter != '\n') {
            let line = 1 + text[..at].matches('\n').count();
            let new = if old == '1' { '2' } else { '1' };
            fs::write(store.path(NUMBER), format!("{}{new}{}", &text[..at], &text[at + 1..]))?;
            let error = store.load(NUMBER).expect_err("damage").to_string();
            assert!(error.contains(&format!("0003-01.jsonl:{line}: ")), "{error} at {at}");
        }
        for length in 0..text.len() - 1 {
            fs::write(store.path(NUMBER), &text[..length])?;
            assert!(matches!(store.load(NUMBER), Err(StoreError::Damaged(..))), "{length}");
        }
        Ok(())
    }

    #[test]
    fn absence_is_remembered() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let [one, other] = ["1", "2"].map(|name| folder.path().join(name));
        let absent = |name: &str| BTreeMap::from([(name.to_owned(), "no such file".to_owned())]);
        let store = open(&one, "a plan\n")?;
        store.set_absent(&BTreeMap::new())?;
        assert!(!one.join(ABSENT).exists());
        store.set_absent(&absent("Ann"))?;
        open(&other, "a plan\n")?.set_absent(&absent("Bob"))?;
        store.take_in(&other, "a plan\n")?;
        assert_eq!(store.absent()?.into_keys().collect::<Vec<_>>(), ["Ann", "Bob"]);
        store.set_absent(&BTreeMap::new())?;
        assert!(store.absent()?.is_empty());
        fs::write(one.join(ABSENT), "torn")?;
        assert!(store.absent()?.is_empty());
        Ok(())
    }

    #[test]
    fn other_plan_is_refused() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
        open(path, r#"{"seed":1,"rounds":1}"#)?.save(NUMBER, &record())?;
        let other = r#"{"seed":2,"rounds":1}"#;
        let error = open(path, other).expect_err("another").to_string();
        assert!(error.contains("another plan, with seed: 1, not 2; a folder"), "{error}");
        // A plan that has grown is accepted; the smaller plan is then another one.
        drop(open(path, r#"{"seed":1,"rounds":2}"#)?);
        let error = open(path, r#"{"seed":1,"rounds":1}"#).expect_err("less").to_string();
        assert!(error.contains("with rounds: 2, not 1; "), "{error}");
        Ok(())
    }

    #[test]
    fn store_without_games_is_in_no_ones_way() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("store");
        let absent = BTreeMap::from([("Ann".to_owned(), "no such file".to_owned())]);
        open(&path, "a plan\n")?.set_absent(&absent)?;
        let other = open(&path, "another\n")?;
        assert_eq!(fs::read_to_string(path.join(PLAN))?, "another\n");
        assert!(other.absent()?.is_empty());
        fs::write(path.join("notes"), "mine")?;
        other.discard_if_empty();
        assert_eq!(fs::read_dir(&path)?.count(), 1, "the notes");
        fs::remove_file(path.join("notes"))?;
        open(&path, "a plan\n")?.discard_if_empty();
        assert!(!path.exists());
        let used = open(&path, "a plan\n")?;
        used.save(NUMBER, &record())?;
        used.discard_if_empty();
        assert_eq!(open(&path, "a plan\n")?.numbers()?, [NUMBER]);
        Ok(())
    }

    #[test]
    fn shares_are_put_together() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let [one, other] = ["1", "2"].map(|name| folder.path().join(name));
        let store = open(&one, "a plan\n")?;
        open(&other, "a plan\n")?.save(NUMBER, &record())?;
        for _ in 0..2 {
            assert!(store.take_in(&other, "a plan\n")?.is_empty());
            assert_eq!(store.numbers()?, [NUMBER]);
        }
        let text = fs::read_to_string(store.path(NUMBER))?;
        fs::write(store.path(NUMBER), "torn")?;
        assert!(store.take_in(&other, "a plan\n")?.is_empty());
        assert_eq!(fs::read_to_string(store.path(NUMBER))?, text);
        fs::write(other.join(GAMES).join("0004-01.jsonl"), "torn")?;
        assert_eq!(store.take_in(&other, "a plan\n")?.len(), 1);
        assert_eq!(store.numbers()?, [NUMBER]);
        assert!(store.take_in(&folder.path().join("3"), "a plan\n").is_err());
        Ok(())
    }
}
