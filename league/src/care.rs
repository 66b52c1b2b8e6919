//! The maintenance of a league: room on the disk, backups, and the findings of `doctor`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_arena::programs::settle_level;
use plyground_durable::FileError;
use plyground_durable::output::make_folder;
use plyground_sandbox::remove_folder;
use rusqlite::Connection;

use crate::config::{self, Config};
use crate::league::{CODE, League, LeagueError, VERSIONS, prepared, uploads};
use crate::store::people::Person;
use crate::store::{self, Role, Store, StoreError, Version};

/// The number of games whose records are kept.
const RECORDS: i64 = 50_000;

/// Makes room on the disk: removes the records of the oldest games and, for each person above the disk limit, the
/// oldest versions that neither play nor are frozen, with their files unless another person has them too. Notes each
/// removal.
pub fn thin(league: &League) -> Result<(), LeagueError> {
    league.store.write::<_, StoreError>(|db| {
        db.execute(
            "UPDATE games SET record = NULL, first_stderr = NULL, second_stderr = NULL
             WHERE record IS NOT NULL AND id <= (SELECT max(id) FROM games) - ?1",
            [RECORDS],
        )?;
        Ok(())
    })?;
    let people = league.store.read(Person::all)?;
    let most = league.config.disk.as_u64();
    for person in people.iter().filter(|person| person.role != Role::Reference) {
        let versions = league.store.read(|db| Version::of_person(db, person.id))?;
        let mut used: u64 = 0;
        let mut counted = HashSet::new();
        // The versions are in order of age, the latest first, so that the latest versions stay.
        for version in versions.iter().filter(|version| version.why != NO_ROOM) {
            let Some(content) = &version.content else { continue };
            if !counted.insert(content) {
                continue;
            }
            let folders = folders(league.folder(), content);
            let size: u64 = folders.iter().map(|folder| size_of(folder).unwrap_or(0)).sum();
            used = used.saturating_add(size);
            if size > 0 && used > most {
                forget(league, person.id, content)?;
            }
        }
    }
    Ok(())
}

/// Returns the two folders of an upload: the uploaded files and the prepared submission.
fn folders(folder: &Path, content: &str) -> [PathBuf; 2] {
    [uploads(folder).join(content), prepared(folder, content)]
}

/// Runs `work` in a transaction, and removes the files of the uploads that it returns. They leave their places in the
/// transaction, so that an upload of the same files, which is kept in a transaction too, finds either all files or
/// none, and come back if the transaction fails.
pub(crate) fn remove_uploads<E: From<StoreError>>(
    league: &League,
    work: impl FnOnce(&Connection) -> Result<Vec<String>, E>,
) -> Result<usize, E> {
    let mut moved = Vec::new();
    let removed = league.store.write(|db| {
        let contents = work(db)?;
        for content in &contents {
            for (from, kind) in
                folders(league.folder(), content).into_iter().zip(["upload", "version"])
            {
                let to = league.folder().join("incoming").join(format!("{content}.{kind}"));
                remove_folder(&to);
                if fs::rename(&from, &to).is_ok() {
                    moved.push((from, to));
                }
            }
        }
        Ok(contents.len())
    });
    for (from, to) in &moved {
        match &removed {
            Ok(_) => remove_folder(to),
            // What cannot come back is in the folder of incoming uploads, which is emptied.
            Err(_) => drop(fs::rename(to, from)),
        }
    }
    removed
}

/// The reason of a version whose files were removed.
const NO_ROOM: &str = "its files were removed to make room: upload it again";

/// Refuses all versions of a person with these files, unless the person still needs the files; and removes the files if
/// no other person has a version with them.
fn forget(league: &League, person: i64, content: &str) -> Result<(), StoreError> {
    remove_uploads::<StoreError>(league, |db| {
        let needed: bool = db.query_row(
            "SELECT EXISTS (
                SELECT 1 FROM versions v WHERE v.content = ?1 AND v.person = ?2 AND (
                    v.state IN ('waiting', 'building')
                    OR v.id IN (SELECT active FROM people WHERE active IS NOT NULL)
                    OR v.id IN (SELECT version FROM frozen)
                    OR v.id IN (SELECT first FROM games WHERE state = 'open')
                    OR v.id IN (SELECT second FROM games WHERE state = 'open')))",
            (content, person),
            |row| row.get(0),
        )?;
        if needed {
            return Ok(Vec::new());
        }
        let changed = db.execute(
            "UPDATE versions SET state = 'refused', why = ?3
             WHERE content = ?1 AND person = ?2 AND state <> 'refused'",
            (content, person, NO_ROOM),
        )?;
        if changed > 0 {
            let what = format!("removes {changed} versions with the files {content}");
            store::note(db, league.clock.now(), "league", &what)?;
        }
        let shared: bool = db.query_row(
            "SELECT EXISTS (SELECT 1 FROM versions WHERE content = ?1 AND (state <> 'refused'
                OR id IN (SELECT first FROM games WHERE state = 'open')
                OR id IN (SELECT second FROM games WHERE state = 'open')))",
            [content],
            |row| row.get(0),
        )?;
        Ok(if shared { Vec::new() } else { vec![content.to_owned()] })
    })?;
    Ok(())
}

/// The overhead of a file or folder on the disk, in bytes: an inode and the unused rest of a block.
const ENTRY: u64 = 4096;

/// Returns the disk usage of a folder, in bytes. Symbolic links are not followed.
pub(crate) fn size_of(folder: &Path) -> io::Result<u64> {
    let mut size = ENTRY;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        size += match found.is_dir() {
            true => size_of(&entry.path()).unwrap_or(ENTRY),
            false => ENTRY + found.len(),
        };
    }
    Ok(size)
}

/// Copies a league into a folder while it runs: the database with the backup API of SQLite, then the settings, the
/// prepared versions and the uploads. The copy is a complete league, with which `serve` and `final` can continue.
/// Returns the number of uploads.
///
/// # Errors
///
/// Returns an error if a file cannot be written.
pub fn back_up(folder: &Path, to: &Path) -> Result<usize, LeagueError> {
    let store = Store::open(folder)?;
    make_folder(to)?;
    // The database is copied first, because every upload is on the disk before the database refers to it.
    let database = to.join(store::FILE);
    let new = to.join(".league.db.new");
    let _ = fs::remove_file(&new);
    store.back_up(&new)?;
    fs::rename(&new, &database).map_err(FileError::at(&database, "write it"))?;
    for name in [config::FILE, "roster.csv", "checks.toml"] {
        let from = folder.join(name);
        if from.exists() {
            fs::copy(&from, to.join(name)).map_err(FileError::at(&from, "copy it"))?;
        }
    }
    // A version that is still being prepared is built again from its upload.
    let is_prepared = |path: &Path| path.join(CODE).is_dir();
    copy_missing(&folder.join(VERSIONS), &to.join(VERSIONS), is_prepared)?;
    copy_missing(&uploads(folder), &uploads(to), |_| true)
}

/// Copies the folders of `from` that are not in `to` yet, and returns the number of complete folders in `from`. The
/// folders never change, so an existing copy is up to date.
fn copy_missing(from: &Path, to: &Path, is_whole: fn(&Path) -> bool) -> Result<usize, LeagueError> {
    make_folder(to)?;
    let mut count = 0;
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(FileError::at(from, "read it")(error).into()),
    };
    for entry in entries.flatten().filter(|entry| is_whole(&entry.path())) {
        let copy = to.join(entry.file_name());
        if !copy.exists() {
            let new = to.join(".new");
            remove_folder(&new);
            copy_folder(&entry.path(), &new).map_err(FileError::at(&copy, "copy it"))?;
            fs::rename(&new, &copy).map_err(FileError::at(&copy, "copy it"))?;
        }
        count += 1;
    }
    Ok(count)
}

/// Copies a folder. Symbolic links are copied as links.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, copy) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &copy)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &copy)?;
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, &copy)?;
        }
    }
    Ok(())
}

/// A line of `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// If true, all is well.
    pub is_well: bool,
    /// The line.
    pub text: String,
}

/// Returns the findings about a league, both good and bad.
#[must_use]
pub fn examine(folder: &Path) -> Vec<Finding> {
    let well = |text: String| Finding { is_well: true, text };
    let wrong = |text: String| Finding { is_well: false, text };
    let mut findings = Vec::new();
    let config = match Config::read(folder) {
        Ok(config) => {
            findings
                .push(well(format!("settings: {}, a league of {}", config.name, config.program)));
            Some(config)
        }
        Err(error) => {
            findings.push(wrong(format!("settings: {error}")));
            None
        }
    };
    findings.push(match settle_level(config.as_ref().and_then(|config| config.sandbox)) {
        Ok(level) => well(format!("sandbox: programs run at the level {level}")),
        Err(why) => wrong(format!("sandbox: {why}")),
    });
    let store = match Store::open(folder) {
        Ok(store) => store,
        Err(error) => {
            findings.push(wrong(error.to_string()));
            return findings;
        }
    };
    match store.faults() {
        Ok(faults) if faults.is_empty() => {
            findings.push(well("database: whole, and all of its rows fit together".to_owned()));
        }
        Ok(faults) => {
            let faults = faults.into_iter().take(5);
            findings.extend(
                faults.map(|fault| wrong(format!("database: {fault}; go back to a backup"))),
            );
        }
        Err(error) => findings.push(wrong(error.to_string())),
    }
    match look(folder, &store) {
        Ok(found) => findings.extend(found),
        Err(error) => findings.push(wrong(error.to_string())),
    }
    findings
}

/// The free room below which a league is in danger, in bytes.
const LEAST_ROOM: u64 = 1 << 30;

fn look(folder: &Path, store: &Store) -> Result<Vec<Finding>, StoreError> {
    let well = |text: String| Finding { is_well: true, text };
    let wrong = |text: String| Finding { is_well: false, text };
    let mut findings = Vec::new();
    let count = |sql: &str| store.read(|db| Ok(db.query_row(sql, [], |row| row.get::<_, i64>(0))?));
    let students = count("SELECT count(*) FROM people WHERE role = 'student'")?;
    let playing = count(
        "SELECT count(*) FROM people JOIN versions v ON v.id = people.active
         WHERE role = 'student' AND v.benched IS NULL",
    )?;
    findings.push(well(format!("people: {students} students, {playing} of them play")));
    let invited = count("SELECT count(DISTINCT person) FROM tokens WHERE revoked IS NULL")?;
    if invited == 0 {
        findings.push(wrong("people: no person has a link: `plyground league invite`".to_owned()));
    }
    // The files of a refused version may have been removed to make room.
    let versions: Vec<(i64, String)> = store.read(|db| {
        let mut found = db.prepare(
            "SELECT id, content FROM versions WHERE content IS NOT NULL AND state <> 'refused'",
        )?;
        let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })?;
    let lost: Vec<String> = versions
        .iter()
        .filter(|(_, content)| !uploads(folder).join(content).exists())
        .map(|(id, _)| id.to_string())
        .collect();
    findings.push(if lost.is_empty() {
        well(format!("uploads: all {} are there", versions.len()))
    } else {
        wrong(format!("uploads: the files of these versions are missing: {}", lost.join(", ")))
    });
    // One statement for all counts, because games may end between two statements.
    let (done, void, benched, counted): (i64, i64, i64, i64) = store.read(|db| {
        Ok(db.query_row(
            "SELECT (SELECT count(*) FROM games WHERE state = 'done'),
                (SELECT count(*) FROM games WHERE state = 'void'),
                (SELECT count(*) FROM versions WHERE benched IS NOT NULL),
                (SELECT ifnull(sum(games), 0) FROM versions)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?)
    })?;
    let text = format!("games: {done} counted, {void} void, {benched} versions benched");
    findings.push(if void > 0 { wrong(text + ": see the page Staff") } else { well(text) });
    if counted != 2 * done {
        findings.push(wrong(format!(
            "games: the versions have counted {counted} games and not twice {done}"
        )));
    }
    if let Some(free) = free_room(folder) {
        let text = format!("disk: {} free", plyground_sandbox::ByteSize(free));
        findings.push(if free < LEAST_ROOM { wrong(text) } else { well(text) });
    }
    let latest = store.read(store::latest)?;
    let ahead = latest.as_second() - jiff::Timestamp::now().as_second();
    findings.push(if ahead > 60 {
        wrong(format!("clock: the last event is {ahead} s in the future: set the clock"))
    } else {
        well("clock: no event is in the future".to_owned())
    });
    Ok(findings)
}

/// Returns the free room of a disk.
#[cfg(unix)]
fn free_room(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_room(_: &Path) -> Option<u64> {
    None
}
