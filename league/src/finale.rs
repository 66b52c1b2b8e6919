//! The versions that were frozen at the deadline, as a class: a folder for the commands `tournament` and `grade`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_arena::submissions::{NAMES_FILE, PreparedNames};
use plyground_durable::FileError;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::text::csv_text;
use plyground_grading::grade::{Roster, RosterError, RosterLine};
use plyground_sandbox::remove_folder;
use toml::{Table, Value};

use crate::care::copy_folder;
use crate::config::Config;
use crate::league::{CODE, LeagueError, prepared};
use crate::store::{Entry, NewPerson, Role};

/// The copy of the roster in the folder of a league.
pub const ROSTER: &str = "roster.csv";

/// The longest key.
const LONGEST: usize = 40;

/// Returns the key of a student: the name of the student's files in exports. It comes from the roster and has
/// only letters, digits, `-`, `_` and `.`.
#[must_use]
pub fn key(line: &RosterLine) -> String {
    let account = line.email.split('@').next().unwrap_or_default();
    let words = [&line.submission, &line.login, account, &line.id, &line.name];
    let word = words.into_iter().find(|word| !word.trim().is_empty()).unwrap_or_default();
    let plain = word.trim().to_lowercase();
    let plain = plain.chars().map(|c| {
        let is_fit = c.is_ascii_alphanumeric() || "-_.".contains(c);
        if is_fit { c } else { '-' }
    });
    let plain: String = plain.take(LONGEST).collect();
    plain.trim_matches(['-', '.', '_']).to_owned()
}

/// Returns the students of a roster.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if two students would have the same key.
pub fn students(path: &Path) -> Result<Vec<NewPerson>, LeagueError> {
    let mut students: Vec<NewPerson> = Vec::new();
    for line in read(path)?.lines() {
        let key = key(line);
        let name = if line.name.is_empty() { key.clone() } else { line.name.clone() };
        let refused = |why: String| LeagueError::Refused(format!("{}: {why}", path.display()));
        if key.is_empty() {
            return Err(refused(format!("`{name}` has no login, address or number in letters")));
        }
        if let Some(other) = students.iter().find(|other| other.key == key) {
            let why =
                format!("{} and {name} would both be `{key}`: add a column login", other.name);
            return Err(refused(why));
        }
        students.push(NewPerson { key, name, email: line.email.clone(), role: Role::Student });
    }
    Ok(students)
}

fn read(path: &Path) -> Result<Roster, LeagueError> {
    Roster::read(path).map_err(|error: RosterError| LeagueError::Refused(error.to_string()))
}

/// The paths of a written class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The folder with a prepared submission of each player.
    pub submissions: PathBuf,
    /// The file of the tournament.
    pub tournament: PathBuf,
    /// The roster, with the time of each upload.
    pub roster: PathBuf,
    /// The number of players.
    pub players: usize,
}

/// Writes the versions of these entries as a class into `out`.
///
/// # Errors
///
/// Returns an error if a version is not prepared, or if a file cannot be written.
pub fn write_class(
    folder: &Path,
    config: &Config,
    entries: &[Entry],
    out: &Path,
) -> Result<Class, LeagueError> {
    make_folder(out)?;
    let submissions = out.join("submissions");
    make_folder(&submissions)?;
    let mut names = BTreeMap::new();
    for Entry { person, version } in entries {
        let Some(content) = &version.content else { continue };
        let (from, to) = (prepared(folder, content).join(CODE), submissions.join(&person.key));
        if !from.is_dir() {
            let (key, number, place) = (&person.key, version.number, from.display());
            let why = format!("{key}: version {number} is not prepared: expected {place}");
            return Err(LeagueError::Refused(why));
        }
        // An interrupted copy leaves only the hidden folder `.new`, which is not a submission.
        let new = submissions.join(".new");
        remove_folder(&new);
        remove_folder(&to);
        let copied = copy_folder(&from, &new).and_then(|()| fs::rename(&new, &to));
        copied.map_err(FileError::at(&to, "write it"))?;
        names.insert(person.key.clone(), person.key.clone());
    }
    let players = names.len();
    let names = toml::to_string(&PreparedNames { names }).map_err(invalid)?;
    write_whole(&submissions.join(NAMES_FILE), names)?;
    let tournament = out.join("final.toml");
    write_whole(&tournament, plan(config)?)?;
    let roster = out.join(ROSTER);
    write_whole(&roster, roster_text(folder, entries)?)?;
    Ok(Class { submissions, tournament, roster, players })
}

fn invalid(error: toml::ser::Error) -> LeagueError {
    FileError::at(Path::new("final.toml"), "write it")(io::Error::other(error)).into()
}

/// Returns the text of the tournament file for the command `tournament`.
fn plan(config: &Config) -> Result<String, LeagueError> {
    let finale = &config.finale;
    let number = |number: u32| Value::Integer(number.into());
    let mut class = Table::new();
    class.insert("folder".to_owned(), "submissions".into());
    class.insert("player".to_owned(), config.player.to_string().into());
    class.extend(config.depth.map(|depth| ("depth".to_owned(), number(depth))));
    let mut plan = Table::new();
    plan.insert("name".to_owned(), config.name.clone().into());
    let seed = i64::try_from(finale.seed.unwrap_or(1)).unwrap_or(i64::MAX);
    plan.insert("seed".to_owned(), Value::Integer(seed));
    plan.extend(finale.format.clone().map(|format| ("format".to_owned(), format.into())));
    plan.extend(finale.pairings.map(|it| ("pairings".to_owned(), number(it))));
    plan.extend(finale.rounds.map(|it| ("rounds".to_owned(), number(it))));
    if let Some((plies, count, _)) = config.drawn {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let table = [("plies", number(plies)), ("count", Value::Integer(count))];
        let table: Table =
            table.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        plan.insert("openings".to_owned(), table.into());
    }
    if let Some(level) = config.sandbox {
        plan.insert("sandbox".to_owned(), level.to_string().into());
    }
    plan.insert("limits".to_owned(), Value::try_from(&config.limits).map_err(invalid)?);
    plan.insert("class".to_owned(), class.into());
    let text = toml::to_string(&plan).map_err(invalid)?;
    let game = config.game.name();
    Ok(format!(
        "# Written by `plyground league final`. To play it again:\n#   plyground {game} tournament final.toml\n{text}"
    ))
}

/// Returns the roster with the keys as names of the submissions, and with the time of each upload.
fn roster_text(folder: &Path, entries: &[Entry]) -> Result<String, LeagueError> {
    let path = folder.join(ROSTER);
    let roster = if path.exists() { read(&path)? } else { Roster::default() };
    let head = ["submission", "name", "id", "sis_id", "login", "section", "email", "submitted"];
    let rows = entries.iter().map(|Entry { person, version }| {
        let line = roster.lines().find(|line| key(line) == person.key).cloned();
        let line = line.unwrap_or_else(|| RosterLine {
            name: person.name.clone(),
            email: person.email.clone(),
            ..RosterLine::default()
        });
        let RosterLine { name, id, sis_id, login, section, email, .. } = line;
        let submitted = version.uploaded.to_string();
        vec![person.key.clone(), name, id, sis_id, login, section, email, submitted]
    });
    let absent = roster.lines().filter(|line| {
        let key = key(line);
        entries.iter().all(|entry| entry.person.key != key)
    });
    let absent = absent.map(|line| {
        let RosterLine { name, id, sis_id, login, section, email, .. } = line.clone();
        vec![key(line), name, id, sis_id, login, section, email, String::new()]
    });
    Ok(csv_text(head, rows.chain(absent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_no_path() {
        let of =
            |login: &str| key(&RosterLine { login: login.to_owned(), ..RosterLine::default() });
        assert_eq!(of("ann.lee"), "ann.lee");
        assert_eq!(of("../../etc/passwd"), "etc-passwd");
        assert_eq!(of("Ann Lee=x:y"), "ann-lee-x-y");
        assert_eq!(of(".."), "");
        assert!(of(&"x".repeat(500)).len() <= LONGEST);
        let line = RosterLine { email: "bob@b.edu".to_owned(), ..RosterLine::default() };
        assert_eq!(key(&line), "bob");
    }

    #[test]
    fn roster_of_any_platform_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let write = |text: &str| fs::write(&path, text).expect("a file");
        write(
            "First name,Last name,ID number,Email address\nAnn,Lee,1,ann@b.edu\nBob,Ho,2,bob@b.edu\n",
        );
        let found = students(&path).expect("students");
        assert_eq!(found.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), ["ann", "bob"]);
        assert_eq!(found[0].name, "Ann Lee");
        write("name,login\nAnn,a\nBob,A\n");
        let why = students(&path).expect_err("the same").to_string();
        assert!(why.contains("Ann and Bob would both be `a`"), "{why}");
    }
}
