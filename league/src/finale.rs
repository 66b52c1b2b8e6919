//! The versions that were frozen at the deadline, as a class: a folder for the commands `tournament` and `grade`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyground_arena::class_folder::{NAMES_FILE, PreparedNames};
use plyground_durable::FileError;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::text::csv_text;
use plyground_grading::grade::{Roster, RosterError, RosterLine};
use plyground_sandbox::remove_folder;
use toml::{Table, Value};

use crate::care::copy_folder;
use crate::config::Config;
use crate::league::{CODE, LeagueError, prepared};
use crate::playing::submission;
use crate::store::people::Person;
use crate::store::{Entry, NewPerson, Role, Version};

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

/// The students of a roster, for a league that may have some of them already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Students {
    /// The students, each with the key that the student has in the league or gets.
    pub people: Vec<NewPerson>,
    /// The keys of the students who were found in the league by their names alone.
    pub by_name: Vec<String>,
    /// The keys of the students of the league who are not in the roster.
    pub missing: Vec<String>,
    /// The roster with the keys, for the folder of the league.
    pub roster: String,
}

/// Returns the students of the roster at `path`, for the league in `folder` with these people. The table of another
/// platform gives other keys to the same students, so a student is found by number, login or address before the
/// student gets a key, and then by a name that is unique in the table and in the league. A key in the column
/// `submission` decides alone.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if a row fits several students or perhaps none.
pub fn students(folder: &Path, path: &Path, people: &[Person]) -> Result<Students, LeagueError> {
    let refused = |why: String| {
        let remedy =
            "write the key of each into a column `submission`, a new key for a new student";
        LeagueError::Refused(format!("{}: {why}: {remedy}", path.display()))
    };
    let (roster, before) = (read(path)?, stored(folder)?);
    let students = people.iter().filter(|person| person.role == Role::Student);
    let known = students.map(|Person { key: own, name, email, .. }| {
        let line = before.lines().find(|line| key(line) == *own).cloned().unwrap_or_default();
        let (submission, name, email) = (own.clone(), name.clone(), email.clone());
        RosterLine { submission, name, email, ..line }
    });
    let known: Vec<RosterLine> = known.collect();
    let mut found = found_by_cells(&roster, &known).map_err(refused)?;
    let by_name = find_by_names(&mut found, &known).map_err(refused)?;
    let students: Vec<RosterLine> =
        found.iter().map(|(line, known)| completed(line, *known)).collect();
    for (index, (student, (_, known))) in students.iter().zip(&found).enumerate() {
        let RosterLine { submission: own, name, .. } = student;
        let is_taken = |other: &&RosterLine| other.submission == *own;
        if own.is_empty() {
            return Err(refused(format!("`{name}` has no login, address or number in letters")));
        }
        if let Some(other) = students[..index].iter().find(is_taken) {
            return Err(refused(format!("{} and {name} would both be `{own}`", other.name)));
        }
        if let (None, Some(other)) = (known, people.iter().find(|it| it.key == *own)) {
            return Err(refused(format!("{name} would be `{own}`, the key of {}", other.name)));
        }
    }
    let is_missing =
        |known: &&RosterLine| students.iter().all(|it| it.submission != known.submission);
    let missing = known.iter().filter(is_missing).map(|known| known.submission.clone()).collect();
    let new = students.iter().map(|RosterLine { submission, name, email, .. }| {
        let (key, name, email) = (submission.clone(), name.clone(), email.clone());
        NewPerson { key, name, email, role: Role::Student }
    });
    let people = new.collect();
    let rows = students.into_iter().map(|it| row(it.submission.clone(), it, String::new()));
    Ok(Students { people, by_name, missing, roster: csv_text(HEAD, rows) })
}

/// A row of a roster, with the student of the league whom it is about, if known.
type Row<'r> = (&'r RosterLine, Option<&'r RosterLine>);

/// Finds the known students of a roster by the keys, numbers, logins and addresses in its rows.
fn found_by_cells<'r>(roster: &'r Roster, known: &'r [RosterLine]) -> Result<Vec<Row<'r>>, String> {
    let row = |line: &'r RosterLine| {
        let mut fitting = known.iter().filter(|known| is_same(line, known));
        let one = fitting.next();
        if let (Some(one), Some(other)) = (one, fitting.next()) {
            let (name, one, other) = (shown(line), &one.submission, &other.submission);
            return Err(format!("{name} may be `{one}` or `{other}`"));
        }
        let is_other = |known: &RosterLine| {
            line.submission.is_empty() && !line.is_namesake(known) && !same_address(line, known)
        };
        match one.filter(|known| is_other(known)) {
            Some(RosterLine { submission, name, .. }) => {
                Err(format!("{} has the number or login of `{submission}`, {name}", shown(line)))
            }
            None => Ok((line, one)),
        }
    };
    roster.lines().map(row).collect()
}

/// Finds students by their names alone, and returns their keys.
fn find_by_names<'r>(
    found: &mut [Row<'r>],
    known: &'r [RosterLine],
) -> Result<Vec<String>, String> {
    let mut by_name = Vec::new();
    for index in 0..found.len() {
        let (line, None) = found[index] else { continue };
        if !line.submission.is_empty() || line.name.is_empty() {
            continue;
        }
        let is_found = |known: &RosterLine| {
            found.iter().any(|(_, it)| it.is_some_and(|it| it.submission == known.submission))
        };
        let mut named = known.iter().filter(|known| line.is_namesake(known) && !is_found(known));
        let Some(one) = named.next() else { continue };
        let rows = found.iter().filter(|(row, it)| it.is_none() && row.is_namesake(line)).count();
        if rows > 1 || named.next().is_some() {
            return Err(format!("several students are called {}", shown(line)));
        }
        by_name.push(one.submission.clone());
        found[index].1 = Some(one);
    }
    Ok(by_name)
}

/// Returns a row with the key of its student. Facts that the league knows fill the empty cells.
fn completed(line: &RosterLine, known: Option<&RosterLine>) -> RosterLine {
    let or_known = |of: fn(&RosterLine) -> &String| {
        let known = known.map(of).cloned().unwrap_or_default();
        Some(of(line).clone()).filter(|text| !text.is_empty()).unwrap_or(known)
    };
    let submission = known.map_or_else(|| key(line), |known| known.submission.clone());
    let name = or_known(|it| &it.name);
    RosterLine {
        name: if name.is_empty() { submission.clone() } else { name },
        submission,
        id: or_known(|it| &it.id),
        sis_id: or_known(|it| &it.sis_id),
        login: or_known(|it| &it.login),
        section: or_known(|it| &it.section),
        email: or_known(|it| &it.email),
        ..RosterLine::default()
    }
}

/// Returns true if the row of a roster is a known student's: by the key, if the row has one, or else by a number, the
/// login or the address.
fn is_same(line: &RosterLine, known: &RosterLine) -> bool {
    if !line.submission.is_empty() {
        return key(line) == known.submission;
    }
    let is_shared = |of: fn(&RosterLine) -> &String| !of(line).is_empty() && of(line) == of(known);
    is_shared(|it| &it.id)
        || is_shared(|it| &it.sis_id)
        || is_shared(|it| &it.login)
        || !line.email.is_empty() && same_address(line, known)
}

fn same_address(one: &RosterLine, other: &RosterLine) -> bool {
    one.email.to_lowercase() == other.email.to_lowercase()
}

/// Returns the name of a row in an error.
fn shown(line: &RosterLine) -> String {
    if line.name.is_empty() { key(line) } else { line.name.clone() }
}

/// Returns the roster in the folder of a league, or an empty roster if the file is missing.
fn stored(folder: &Path) -> Result<Roster, LeagueError> {
    let path = folder.join(ROSTER);
    if path.exists() { read(&path) } else { Ok(Roster::default()) }
}

/// The head of the rosters that a league writes.
const HEAD: [&str; 8] =
    ["submission", "name", "id", "sis_id", "login", "section", "email", "submitted"];

/// Returns a row of a roster that a league writes.
fn row(key: String, line: RosterLine, submitted: String) -> Vec<String> {
    let RosterLine { name, id, sis_id, login, section, email, .. } = line;
    vec![key, name, id, sis_id, login, section, email, submitted]
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
}

/// Returns true if the result of the preparation of a version is there, be it ready or not.
#[must_use]
pub fn is_prepared(folder: &Path, version: &Version) -> bool {
    let content = version.content.as_deref();
    content.is_some_and(|content| submission(&prepared(folder, content).join(CODE), CODE).is_ok())
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
    let names = toml::to_string(&PreparedNames { names }).map_err(invalid)?;
    write_whole(&submissions.join(NAMES_FILE), names)?;
    let tournament = out.join("final.toml");
    write_whole(&tournament, plan(config)?)?;
    let roster = out.join(ROSTER);
    write_whole(&roster, roster_text(folder, entries)?)?;
    Ok(Class { submissions, tournament, roster })
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
    let roster = stored(folder)?;
    let rows = entries.iter().map(|Entry { person, version }| {
        let line = roster.lines().find(|line| key(line) == person.key).cloned();
        let line = line.unwrap_or_else(|| RosterLine {
            name: person.name.clone(),
            email: person.email.clone(),
            ..RosterLine::default()
        });
        row(person.key.clone(), line, version.uploaded.to_string())
    });
    let absent = roster.lines().filter(|line| {
        let key = key(line);
        entries.iter().all(|entry| entry.person.key != key)
    });
    let absent = absent.map(|line| row(key(line), line.clone(), String::new()));
    Ok(csv_text(HEAD, rows.chain(absent)))
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
        let found = students(folder.path(), &path, &[]).expect("students").people;
        assert_eq!(found.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), ["ann", "bob"]);
        assert_eq!(found[0].name, "Ann Lee");
        write("name,login\nAnn,a\nBob,A\n");
        let why = students(folder.path(), &path, &[]).expect_err("the same").to_string();
        assert!(why.contains("Ann and Bob would both be `a`"), "{why}");
    }

    /// A league in which rosters are taken in one after the other.
    struct Rosters {
        folder: tempfile::TempDir,
        people: Vec<Person>,
    }

    impl Rosters {
        fn of(text: &str) -> Rosters {
            let folder = tempfile::tempdir().expect("a folder");
            let mut rosters = Rosters { folder, people: Vec::new() };
            rosters.take(text).expect("a roster");
            rosters
        }

        /// Returns the keys and names of the students of a roster.
        fn take(&mut self, text: &str) -> Result<(Vec<String>, Students), String> {
            let path = self.folder.path().join("new.csv");
            fs::write(&path, text).expect("a file");
            let found = students(self.folder.path(), &path, &self.people);
            let found = found.map_err(|error| error.to_string())?;
            fs::write(self.folder.path().join(ROSTER), &found.roster).expect("a file");
            for NewPerson { key, name, email, role } in found.people.clone() {
                self.people.retain(|person| person.key != key);
                let (nickname, id) = (String::new(), 0);
                let shows_name = false;
                let active = None;
                let person = Person { id, key, name, email, role, nickname, shows_name, active };
                self.people.push(person);
            }
            let pairs = found.people.iter().map(|it| format!("{}: {}", it.key, it.name)).collect();
            Ok((pairs, found))
        }
    }

    #[test]
    fn roster_of_another_platform_keeps_the_students() {
        let mut league = Rosters::of("name,email\nAnn Lee,ann@x.edu\nBob Ray,bob@x.edu\n");
        let (pairs, found) = league
            .take("name,id,login\n\"Lee, Ann\",12,al123\n\"Ray, Bob\",13,br55\n")
            .expect("it");
        assert_eq!(pairs, ["ann: Lee, Ann", "bob: Ray, Bob"]);
        assert_eq!(
            (found.by_name, found.missing),
            (vec!["ann".to_owned(), "bob".to_owned()], vec![])
        );
        assert_eq!(found.people[0].email, "ann@x.edu", "what a table does not have stays");
        // A newcomer does not get the account of the student who has the key.
        let why = league.take("name,id,login\n\"Lee, Ann\",12,al123\n\"Other, Ann\",14,ann\n");
        let why = why.expect_err("the key of another");
        assert!(why.contains("Lee, Ann and Other, Ann would both be `ann`: write"), "{why}");
        let why = league.take("name,login\n\"Other, Ann\",ann\n").expect_err("the key of another");
        assert!(why.contains("Other, Ann would be `ann`, the key of Lee, Ann: write"), "{why}");
        let (pairs, found) = league
            .take("name,id,login,submission\n\"Lee, Ann\",12,al123,\n\"Other, Ann\",14,ann,ann2\n")
            .expect("a key");
        assert_eq!(pairs, ["ann: Lee, Ann", "ann2: Other, Ann"]);
        assert_eq!((found.by_name, found.missing), (vec![], vec!["bob".to_owned()]));
        // A number alone is no proof, because each platform has numbers of its own.
        let why = league.take("name,id\nBob Ray,12\n").expect_err("the number of another");
        assert!(why.contains("Bob Ray has the number or login of `ann`, Lee, Ann: write"), "{why}");
    }

    #[test]
    fn student_with_a_new_name_or_address_is_the_same() {
        let mut league = Rosters::of("name,email\nAnn Lee,ann@x.edu\nBob Ray,bob@x.edu\n");
        let (pairs, found) =
            league.take("name,email\nAnn Lee,anna@x.edu\nBob Roy,BOB@x.edu\n").expect("it");
        assert_eq!(pairs, ["ann: Ann Lee", "bob: Bob Roy"]);
        assert_eq!((found.by_name, found.missing), (vec!["ann".to_owned()], vec![]));
        let why = league.take("name,email\nAnn Lee,a1@x.edu\nAnn Lee,a2@x.edu\n");
        let why = why.expect_err("namesakes");
        assert!(why.contains("several students are called Ann Lee: write the key"), "{why}");
    }
}
