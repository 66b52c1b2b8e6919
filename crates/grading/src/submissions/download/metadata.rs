//! The files of platforms beside those that were handed in: the table `submission_metadata.yml` of Gradescope, and
//! receipts of Blackboard and Sakai.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use plyground_durable::input::read_regular;
use plyground_durable::{FileError, one_line};
use plyground_host::external::{AND, HandedIn, Platform, Submitter};
use saphyr::{LoadableYamlNode, Scalar, Yaml};

use super::platform_names::{Entry, Part, before_time, file_name, is_folder, is_number, sakai};
use crate::submissions::PrepareError;
use crate::submissions::file_kind::{beginning, folder_of};

pub(super) const TABLE: &str = "submission_metadata.yml";

/// The prefix of the folders beside the table, before a number.
const FOLDER: &str = "submission_";

/// The greatest length of the table, in bytes.
const LARGEST: u64 = 32 << 20;

/// The submissions in a table, by the names of their folders: the facts about each, and its time.
type Table = BTreeMap<String, (HandedIn, Option<String>)>;

/// The tables of a download, by their folders.
#[derive(Debug, Default)]
pub(super) struct Tables(BTreeMap<PathBuf, Table>);

impl Tables {
    /// Returns the tables beside these files and folders.
    ///
    /// A student can hand in a file with the name of the table, and with the names of others in it. A file
    /// of this name is the table of the platform only beside folders of the platform, which no student
    /// makes: at least half of the files and folders beside it are folders called `submission_NUMBER`, and
    /// the table names at least half of all, and only such folders. Otherwise the file is a submitted file.
    ///
    /// # Errors
    ///
    /// Returns an error if the table of the platform cannot be read, or is not YAML.
    pub(super) fn of(found: &[PathBuf]) -> Result<Tables, PrepareError> {
        let mut folders: BTreeMap<&Path, Vec<(String, bool)>> = BTreeMap::new();
        for path in found {
            let beside = folders.entry(folder_of(path)).or_default();
            beside.push((file_name(path), is_folder(path)));
        }
        let mut tables = BTreeMap::new();
        for (folder, mut beside) in folders {
            beside.retain(|(name, _)| name != TABLE);
            if !are_of_gradescope(&beside) {
                continue;
            }
            let table = read(&folder.join(TABLE))?;
            let (named, others): (Vec<_>, Vec<_>) =
                beside.iter().partition(|(name, _)| table.contains_key(name));
            let is_own = named.iter().all(|(name, is_folder)| is_own_folder(name, *is_folder));
            if is_own && !named.is_empty() && named.len() >= others.len() {
                tables.insert(folder.to_owned(), table);
            }
        }
        Ok(Tables(tables))
    }

    /// Returns the entry of a table, or of a file or folder that a table beside it names.
    pub(super) fn entry(&self, path: &Path) -> Option<Entry> {
        let table = self.0.get(folder_of(path))?;
        let name = file_name(path);
        let (part, (facts, time)) = match name == TABLE {
            true => (Part::Table, Default::default()),
            false => (Part::Folder, table.get(&name)?.clone()),
        };
        let id = identity(&facts, &name);
        let student = if facts.name.is_empty() { id.clone() } else { facts.name.clone() };
        let (path, platform) = (path.to_owned(), Platform::Gradescope);
        Some(Entry { path, platform, student, id, facts, time, order: 0, late: false, part })
    }
}

/// Returns true if Gradescope has given at least half of these names, each with true for a folder.
pub(super) fn are_of_gradescope(names: &[(String, bool)]) -> bool {
    let own = names.iter().filter(|(name, is_folder)| is_own_folder(name, *is_folder)).count();
    own > 0 && own * 2 >= names.len()
}

fn is_own_folder(name: &str, is_folder: bool) -> bool {
    is_folder && name.strip_prefix(FOLDER).is_some_and(is_number)
}

/// Returns the identity of the student, which is the same after another submission replaces this
/// submission.
fn identity(facts: &HandedIn, name: &str) -> String {
    let words = [&facts.id, &facts.email, &facts.name];
    words.into_iter().find(|word| !word.is_empty()).cloned().unwrap_or_else(|| name.to_owned())
}

fn read(path: &Path) -> Result<Table, PrepareError> {
    let text = match read_regular(path, LARGEST) {
        Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
        Ok(None) => {
            let why = format!("expected at most {LARGEST} bytes, found more");
            return Err(PrepareError::fault(path, why));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Table::new()),
        Err(error) => return Err(PrepareError::Source(FileError::at(path, "read it")(error))),
    };
    let damaged = |why: &str| PrepareError::fault(path, why);
    let documents =
        Yaml::load_from_str(&text).map_err(|error| damaged(&one_line(&error.to_string())))?;
    let Some(Yaml::Mapping(table)) = documents.first().map(plain) else {
        return Err(damaged("expected a table of submissions"));
    };
    let rows = table.iter().filter_map(|(name, row)| Some((text_of(name)?, submission(row))));
    Ok(rows.collect())
}

fn submission(row: &Yaml<'_>) -> (HandedIn, Option<String>) {
    let submitters = field(row, "submitters").map(plain);
    let Some(Yaml::Sequence(submitters)) = submitters else { return Default::default() };
    let of = |it: &Yaml<'_>, name: &str| field(it, name).and_then(text_of).unwrap_or_default();
    let submitters = submitters.iter().map(|it| Submitter {
        name: of(it, "name"),
        id: of(it, "sid"),
        login: String::new(),
        email: of(it, "email"),
    });
    let submitters: Vec<Submitter> = submitters.filter(|it| *it != Submitter::default()).collect();
    // The identity of a group is the same in whatever order a download names its students.
    let all = |fact: fn(&Submitter) -> &String| {
        let words = submitters.iter().map(fact).filter(|word| !word.is_empty());
        let mut words: Vec<&str> = words.map(String::as_str).collect();
        words.sort_unstable();
        words.join(AND)
    };
    let (name, id, email) = (all(|it| &it.name), all(|it| &it.id), all(|it| &it.email));
    let facts = HandedIn { name, id, email, submitters, ..HandedIn::default() };
    let time = field(row, "created_at").and_then(text_of);
    (facts, time.and_then(|time| time_of(&time)))
}

/// Returns `2025-11-20 23:59:00.123456000 -06:00` in the form of the other tables, if the text has a time.
fn time_of(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let (day, clock, zone) = (words.next()?, words.next()?, words.next());
    let clock = clock.split('.').next().unwrap_or(clock);
    let zone = if zone == Some("UTC") { "Z" } else { zone.unwrap_or_default() };
    Some(format!("{day}T{clock}{zone}"))
}

/// Returns the value without the tags that Ruby adds.
fn plain<'y, 't>(value: &'y Yaml<'t>) -> &'y Yaml<'t> {
    match value {
        Yaml::Tagged(_, value) => plain(value),
        value => value,
    }
}

/// Returns a field by its name, which is a Ruby symbol in the table: `:name`.
fn field<'y, 't>(row: &'y Yaml<'t>, name: &str) -> Option<&'y Yaml<'t>> {
    let Yaml::Mapping(row) = plain(row) else { return None };
    let is_called = |key: &Yaml<'_>| {
        text_of(key).is_some_and(|key| key.strip_prefix(':').unwrap_or(&key) == name)
    };
    row.iter().find(|(key, _)| is_called(key)).map(|(_, value)| value)
}

fn text_of(value: &Yaml<'_>) -> Option<String> {
    match plain(value) {
        Yaml::Value(Scalar::String(text)) => Some(text.trim().to_owned()),
        Yaml::Value(Scalar::Integer(number)) => Some(number.to_string()),
        _ => None,
    }
}

/// The number of bytes at the start of a receipt that are read.
const LONGEST: u64 = 16 * 1024;

/// Returns the facts about the student of these entries: the facts in the names, and the student's name in
/// the receipts of Blackboard, from the line `Name: Ann Lee (alee)`.
pub(super) fn facts(entries: &[Entry]) -> HandedIn {
    let mut facts = entries[0].facts.clone();
    let is_receipt = |entry: &&Entry| {
        entry.platform == Platform::Blackboard && matches!(entry.part, Part::Receipt)
    };
    let mut names = entries.iter().filter(is_receipt).filter_map(|it| name(&receipt(&it.path)?));
    if let Some(name) = names.next_back() {
        facts.name = name;
    }
    let HandedIn { name, id, login, email, .. } = &facts;
    let [name, id, login, email] = [name, id, login, email].map(String::clone);
    let one = Submitter { name, id, login, email };
    // Only Gradescope names groups: `A & B` is one person of any other platform.
    if facts.submitters.is_empty() && one != Submitter::default() {
        facts.submitters = vec![one];
    }
    facts
}

fn receipt(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&beginning(path, LONGEST).ok()?).into_owned())
}

/// The folder of Sakai with the files that a student handed in.
const ATTACHMENTS: &str = "Submission attachment(s)";

/// The file that Sakai puts into the folder of every student.
const RECEIPT: &str = "timestamp.txt";

/// The files and folders of Sakai itself there, and the end of the name of a text that was typed in.
const OWN: [&str; 4] = [RECEIPT, "comments.txt", "feedbackText.html", "Feedback Attachment(s)"];
const TYPED: &str = "submissionText.html";

/// Returns the entry of the files that were handed in, which Sakai puts into a folder beside files of its own. The name
/// of that folder depends on the language of Sakai. Other files there may have been moved up. `inside` returns the
/// files and folders in a folder.
pub(super) fn inner(entry: Entry, inside: impl Fn(&Path) -> Vec<PathBuf>) -> Entry {
    if entry.platform != Platform::Sakai {
        return entry;
    }
    let (has_receipt, files) = (entry.path.join(RECEIPT).is_file(), entry.path.join(ATTACHMENTS));
    let mut others = inside(&entry.path);
    others.retain(|path| {
        let name = file_name(path);
        !OWN.contains(&&*name) && !name.ends_with(TYPED)
    });
    match others.as_slice() {
        [] if has_receipt => Entry { part: Part::Receipt, ..entry },
        [only] if is_folder(only) && (has_receipt || *only == files) => {
            match inside(only).is_empty() {
                true => Entry { part: Part::Receipt, ..entry },
                false => Entry { path: only.clone(), ..entry },
            }
        }
        _ if is_folder(&files) && !inside(&files).is_empty() => Entry { path: files, ..entry },
        _ => entry,
    }
}

/// Returns the entry of a student of Sakai with a single name, `Madonna(mad)`. Students give their folders such names,
/// too, but the receipt is from Sakai.
pub(super) fn single(path: &Path) -> Option<Entry> {
    let is_of_sakai = is_folder(path) && path.join(RECEIPT).is_file();
    // A comma is before a first name.
    let found = sakai(&format!(", {}", file_name(path)), true).filter(|_| is_of_sakai)?;
    Some(Entry { path: path.to_owned(), ..found })
}

fn line_of_name(receipt: &str) -> Option<&str> {
    let mut lines = receipt.trim_start_matches('\u{feff}').lines();
    lines.find_map(|line| line.trim().strip_prefix("Name:"))
}

/// Returns the title of the assignment with `_` at its end, with which the names of these files of Blackboard
/// begin. A title and a login may have `_` in them. A receipt tells the login; without a receipt, the title
/// is the common beginning of all names. A single name without a receipt does not show the title.
pub(super) fn title(entries: &[Entry]) -> Option<String> {
    let names: Vec<String> = entries.iter().map(|entry| file_name(&entry.path)).collect();
    let names: Vec<&str> = names.iter().filter_map(|name| before_time(name)).collect();
    let receipts = entries.iter().filter(|entry| matches!(entry.part, Part::Receipt));
    let mut told = receipts.filter_map(|entry| {
        let text = receipt(&entry.path)?;
        let (_, login) = line_of_name(&text)?.rsplit_once('(')?;
        let name = file_name(&entry.path);
        let title = before_time(&name)?.strip_suffix(login.trim().strip_suffix(')')?)?;
        let is_title = title.ends_with('_') && names.iter().all(|name| name.starts_with(title));
        is_title.then(|| title.to_owned())
    });
    if let Some(title) = told.next() {
        return Some(title);
    }
    let (first, others) = names.split_first()?;
    let shared = |other: &&str| {
        let same = first.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
        same.map_or(first.len().min(other.len()), |((at, _), _)| at)
    };
    let length = others.iter().filter(|other| *other != first).map(shared).min()?;
    first[..length].rfind('_').map(|at| first[..=at].to_owned())
}

fn name(receipt: &str) -> Option<String> {
    let line = line_of_name(receipt)?;
    let name = line.rsplit_once('(').map_or(line, |(name, _)| name).trim();
    let is_name = !name.is_empty() && !name.chars().any(char::is_control);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::platform_names::parse;
    use super::*;
    use crate::fixtures;

    #[test]
    fn table_tells_students_and_times() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let text = "---\nsubmission_12:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '0012'\n    \
            :email: ann@school.edu\n  :created_at: 2025-11-20 23:59:00.123456000 -06:00\n  \
            :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess\n    tests: []\n\
            submission_13:\n  :submitters:\n  - :name: Bob Ray\n    :sid: 14\n  - :name: Al Poe\n    \
            :sid: 13\nsubmission_14:\n  :submitters: []\n";
        fs::write(folder.path().join(TABLE), text)?;
        for name in ["submission_12", "submission_13", "submission_14", "other"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let found = [TABLE, "other", "submission_12", "submission_13", "submission_14"];
        let found = found.map(|name| folder.path().join(name));
        let tables = Tables::of(&found)?;
        let entry = |name: &str| tables.entry(&folder.path().join(name));
        let ann = entry("submission_12").expect("a submission");
        assert_eq!((ann.student.as_str(), ann.id.as_str()), ("Ann Lee", "0012"));
        assert_eq!(ann.facts.email, "ann@school.edu");
        assert_eq!(ann.time.as_deref(), Some("2025-11-20T23:59:00-06:00"));
        let group = entry("submission_13").expect("a submission");
        assert_eq!((group.student.as_str(), group.id.as_str()), ("Al Poe & Bob Ray", "13 & 14"));
        let persons = facts(&[group]).persons();
        let persons: Vec<_> = persons.iter().map(|it| (it.name.as_str(), it.id.as_str())).collect();
        assert_eq!(persons, [("Bob Ray", "14"), ("Al Poe", "13")]);
        let unknown = entry("submission_14").expect("a submission");
        assert_eq!((&*unknown.student, unknown.facts), ("submission_14", HandedIn::default()));
        assert!(entry("other").is_none());
        assert!(entry(TABLE).is_some_and(|entry| entry.part == Part::Table));
        fs::write(folder.path().join(TABLE), "a: [")?;
        let error = Tables::of(&found).expect_err("damage");
        assert!(error.to_string().contains(TABLE), "{error}");
        assert_eq!(error.to_string().lines().count(), 1);
        Ok(())
    }

    #[test]
    fn table_that_a_student_hands_in_is_a_file() -> Result<(), Box<dyn std::error::Error>> {
        let row = "\n  :submitters:\n  - :name: Mallory\n    :sid: 1\n";
        for (text, entries) in [
            (format!("ann.zip:{row}bob.zip:{row}"), ["ann.zip", "bob.zip"]),
            ("a: [".to_owned(), ["ann.zip", "bob.zip"]),
            // The table of the platform names only folders of the platform, and at least half of
            // them.
            (format!("submission_1:{row}bob.zip:{row}"), ["submission_1/", "bob.zip"]),
            (format!("ann:{row}bob:{row}"), ["ann/", "bob/"]),
            (format!("submission_3:{row}"), ["submission_1/", "submission_2/"]),
        ] {
            let folder = fixtures::folder(&[(TABLE, text.as_str())]);
            let mut found = vec![folder.path().join(TABLE)];
            for name in entries {
                found.push(folder.path().join(name));
                match name.strip_suffix('/') {
                    Some(name) => fs::create_dir(folder.path().join(name))?,
                    None => fixtures::write(folder.path(), name, ""),
                }
            }
            let tables = Tables::of(&found)?;
            assert!(found.iter().all(|path| tables.entry(path).is_none()), "{text}");
        }
        Ok(())
    }

    #[test]
    fn files_of_sakai_are_beside_its_own() {
        let folder = fixtures::folder(&[
            ("Lee, Ann(al)/Submission attachment(s)/p.c", ""),
            ("Lee, Ann(al)/timestamp.txt", ""),
            ("Ray, Bob(br)/Submission attachment(s)/.hidden", ""),
            ("Ox, Dan(do)/timestamp.txt", ""),
            ("Zed, Zoe(zz)/p.c", ""),
            ("Moved, Up(mu)/p.c", ""),
            ("Moved, Up(mu)/timestamp.txt", ""),
            ("Moved, Up(mu)/Submission attachment(s)/.hidden", ""),
            ("Otra, Ana(oa)/Adjuntos/p.c", ""),
            ("Otra, Ana(oa)/timestamp.txt", ""),
            ("Otra, Ana(oa)/Otra_submissionText.html", ""),
            ("Ivy(iv)/Submission attachment(s)/p.c", ""),
            ("Ivy(iv)/timestamp.txt", ""),
            ("final(v2)/p.c", ""),
        ]);
        let found = |name: &str| {
            let path = folder.path().join(name);
            let entry = parse(&path, true).or_else(|| single(&path));
            let inside = |folder: &Path| {
                let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let all = all.map(|file| file.path());
                all.filter(|path| !file_name(path).starts_with('.')).collect()
            };
            let Entry { path, part, facts, .. } = inner(entry.expect("a student"), inside);
            (file_name(&path), part, facts.login)
        };
        for (name, files, part, login) in [
            ("Lee, Ann(al)", ATTACHMENTS, Part::Folder, "al"),
            ("Ray, Bob(br)", "Ray, Bob(br)", Part::Receipt, "br"),
            ("Ox, Dan(do)", "Ox, Dan(do)", Part::Receipt, "do"),
            ("Zed, Zoe(zz)", "Zed, Zoe(zz)", Part::Folder, "zz"),
            ("Moved, Up(mu)", "Moved, Up(mu)", Part::Folder, "mu"),
            ("Otra, Ana(oa)", "Adjuntos", Part::Folder, "oa"),
            ("Ivy(iv)", ATTACHMENTS, Part::Folder, "iv"),
        ] {
            assert_eq!(found(name), (files.to_owned(), part, login.to_owned()));
        }
        assert!(single(&folder.path().join("final(v2)")).is_none());
    }

    #[test]
    fn receipt_has_the_name_of_the_student() {
        assert_eq!(name("Name: Ann Lee (alee)\r\nAssignment: 2\r\n").as_deref(), Some("Ann Lee"));
        assert_eq!(name("\u{feff}Name: Ann Lee\n").as_deref(), Some("Ann Lee"));
        assert_eq!(name("receipt"), None);
    }
}
