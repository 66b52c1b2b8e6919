//! The names of the students of a download. Each student keeps the name in all later downloads.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use plyground_arena::submissions::{NAMES_FILE, PreparedNames};
use plyground_durable::output::write_whole;
use plyground_durable::{FileError, excerpt};
use plyground_host::external::HandedIn;
use unicode_normalization::UnicodeNormalization;

use super::entry::{Item, is_number, stem};
use crate::grade::{GradeHistory, TABLES};
use crate::submissions::PrepareError;

/// A submission: a student, and the attempt that counts.
#[derive(Clone, Debug)]
pub(crate) struct Student {
    /// The name of the submission.
    pub(crate) name: String,
    /// The files of the attempt; none if the platform has only a receipt.
    pub(crate) items: Vec<Item>,
    /// The time of the attempt, if the platform tells it.
    pub(crate) submitted: Option<String>,
    /// The facts for the tables.
    pub(crate) handed_in: HandedIn,
    /// The reason, as one line, why the files could not be taken out of the download.
    pub(crate) fault: Option<String>,
}

/// A student before the submission has a name.
#[derive(Clone, Debug)]
pub(crate) struct Unnamed {
    /// The identity that the student keeps from one download to the next.
    pub(crate) key: String,
    /// The identity in classes that earlier versions have prepared.
    pub(crate) old_key: String,
    /// The beginning of the key that people with other names may have, too; empty for a plain file.
    pub(crate) number: String,
    /// The wanted names, the shortest first.
    pub(crate) wanted: Vec<String>,
    pub(crate) items: Vec<Item>,
    pub(crate) submitted: Option<String>,
    pub(crate) handed_in: HandedIn,
}

/// The first line of the file.
const HEADING: &str = "# Written by `plyground submissions prepare`: students keep these names.\n";

/// The part of a key or name before the number of an attempt.
pub(super) const ATTEMPT: &str = " attempt ";

/// The longest name, in bytes: a number or the end of a report's name follows it in at most 255.
const LONGEST: usize = 180;

/// Returns the submissions with their names, sorted by name. The names differ even without regard to case,
/// and consist of characters that a command, a table and a path may have.
///
/// With `keep`, a file replaces only a file of the same name, because a file of another name may
/// belong to another student.
pub(super) fn named(
    unnamed: Vec<Unnamed>,
    out: &Path,
    keep: bool,
    warnings: &mut Vec<String>,
) -> Result<Vec<Student>, PrepareError> {
    let path = out.join(NAMES_FILE);
    let mut kept = PreparedNames::read(out)?;
    let unnamed = with_own_keys(unnamed);
    keep_numbers(&mut kept.names, &unnamed, &path, warnings);
    for (new, old) in replaced(&kept.names, &unnamed) {
        if keep {
            let file = |key: &str| key.strip_prefix("file ").unwrap_or(key).to_owned();
            let (new, old) = (file(&new), file(&old));
            warnings.push(format!("{new} gets a new name: with --keep, it does not replace {old}"));
        } else if let Some(name) = kept.names.remove(&old) {
            kept.names.insert(new, name);
        }
    }
    give(&mut kept.names, &unnamed);
    let text = toml::to_string(&kept)
        .map_err(|error| FileError::at(&path, "write the names")(io::Error::other(error)))?;
    if out.is_dir() {
        write_whole(&path, format!("{HEADING}{text}"))?;
    }
    let mut students: Vec<Student> = unnamed
        .into_iter()
        .map(|it| Student {
            name: kept.names.get(&it.key).cloned().unwrap_or_default(),
            items: it.items,
            submitted: it.submitted,
            handed_in: it.handed_in,
            fault: None,
        })
        .collect();
    students.sort_by(|one, other| one.name.cmp(&other.name));
    // A person may have written one name twice.
    let mut names = BTreeSet::new();
    match students.iter().find(|student| !names.insert(student.name.to_lowercase())) {
        Some(Student { name, .. }) => {
            let why = format!("expected different names, found `{name}` for two submissions");
            Err(PrepareError::Table { path, why })
        }
        None => Ok(students),
    }
}

/// Gives the keys of earlier versions, which have a number and no name, to the students with the same names.
/// Adds a warning for each student whose number belonged to another name before: it is not known whether the
/// two are one person.
fn keep_numbers(
    names: &mut BTreeMap<String, String>,
    unnamed: &[Unnamed],
    path: &Path,
    warnings: &mut Vec<String>,
) {
    for it in unnamed.iter().filter(|it| !it.number.is_empty()) {
        if names.contains_key(&it.key) {
            continue;
        }
        if names.get(&it.old_key).is_some_and(|name| is_name_of(name, it)) {
            let name = names.remove(&it.old_key).unwrap_or_default();
            names.insert(it.key.clone(), name);
            continue;
        }
        let student = without_attempt(&it.key);
        let is_other = |(key, name): &(&String, &String)| {
            let rest = key.strip_prefix(it.number.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                && without_attempt(key) != student
                && !is_name_of(name, it)
        };
        if let (Some((_, other)), Some(new)) = (names.iter().find(is_other), it.wanted.first()) {
            let (new, number, path) = (excerpt(new), excerpt(&it.number), path.display());
            warnings.push(format!(
                "`{new}` gets a new name, for `{number}` was `{other}` before: if the two are one person, write \
                 `{other}` in the line of `{new}` in {path}"
            ));
        }
    }
}

/// Returns the name or key of a student without the attempt.
fn without_attempt(name: &str) -> &str {
    name.rsplit_once(ATTEMPT).map_or(name, |(student, _)| student)
}

/// Returns true if the submission could have got this name.
fn is_name_of(name: &str, it: &Unnamed) -> bool {
    let name = without_attempt(name).to_lowercase();
    it.wanted.iter().any(|wanted| {
        let wanted = fit(without_attempt(wanted)).to_lowercase();
        let rest = name.strip_prefix(&wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number))
    })
}

/// Gives files of the same name in several folders different keys.
fn with_own_keys(mut unnamed: Vec<Unnamed>) -> Vec<Unnamed> {
    let mut seen = BTreeMap::new();
    for it in &mut unnamed {
        let number = seen.entry(it.key.clone()).and_modify(|number| *number += 1).or_insert(1);
        if *number > 1 {
            it.key = format!("{} {number}", it.key);
        }
    }
    unnamed
}

/// Returns the keys of plain files without a name, each with the key of the file that it replaces: a file
/// with the same stem that is no longer in the download.
fn replaced(names: &BTreeMap<String, String>, unnamed: &[Unnamed]) -> Vec<(String, String)> {
    let (mut found, mut taken) = (Vec::new(), BTreeSet::new());
    let keys: BTreeSet<&str> = unnamed.iter().map(|it| it.key.as_str()).collect();
    let stem_of = |key: &str| key.strip_prefix("file ").map(|file| stem(file).to_lowercase());
    for it in unnamed {
        let Some(own) = stem_of(&it.key).filter(|_| !names.contains_key(&it.key)) else { continue };
        let is_old = |key: &&String| {
            !keys.contains(key.as_str())
                && !taken.contains(key)
                && stem_of(key).as_ref() == Some(&own)
        };
        if let Some(old) = names.keys().find(is_old) {
            taken.insert(old);
            found.push((it.key.clone(), old.clone()));
        }
    }
    found
}

/// Gives a name to each submission that has no name. If several want the same name, each gets a longer one;
/// the last resort is a number.
fn give(names: &mut BTreeMap<String, String>, unnamed: &[Unnamed]) {
    let mut taken: BTreeSet<String> = names.values().map(|name| name.to_lowercase()).collect();
    let mut new: Vec<&Unnamed> = unnamed.iter().filter(|it| !names.contains_key(&it.key)).collect();
    new.sort_by(|one, other| one.key.cmp(&other.key));
    let wants = |it: &Unnamed, length: usize| {
        it.wanted.get(length).or(it.wanted.last()).map(|name| fit(name)).unwrap_or_default()
    };
    let longest = new.iter().map(|it| it.wanted.len()).max().unwrap_or_default();
    for length in 0..longest {
        let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
        for it in &new {
            *wanted.entry(wants(it, length).to_lowercase()).or_default() += 1;
        }
        new.retain(|it| {
            let name = wants(it, length);
            let is_free =
                wanted[&name.to_lowercase()] == 1 && !taken.contains(&name.to_lowercase());
            if is_free {
                taken.insert(name.to_lowercase());
                names.insert(it.key.clone(), name);
            }
            !is_free
        });
    }
    for it in new {
        let base = wants(it, usize::MAX);
        let numbered = (1_u32..).map(|number| match number {
            1 => base.clone(),
            number => format!("{base}-{number}"),
        });
        let mut free = numbered.filter(|name| !taken.contains(&name.to_lowercase()));
        let name = free.next().unwrap_or_default();
        taken.insert(name.to_lowercase());
        names.insert(it.key.clone(), name);
    }
}

/// Returns the name with only the characters that a folder, a command, a table and an address may have.
fn fit(name: &str) -> String {
    let is_fit = |c: char| c.is_alphanumeric() || " ._-+@'(),&#".contains(c);
    // A zip of macOS separates letters from their accents, which no table of names does.
    let composed = name.nfc();
    let name: String = composed.map(|c| if is_fit(c) { c } else { '_' }).take(LONGEST).collect();
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
    let longest = ends.take_while(|end| *end <= LONGEST).last().unwrap_or_default();
    let name = name[..longest].trim();
    if name.is_empty() || name.starts_with(['.', '-', '+', '@', '\'', '#']) {
        return format!("_{name}");
    }
    let mut reserved = GradeHistory::RESERVED.iter().chain(&TABLES).chain(&["handed-in.csv"]);
    if reserved.any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return format!("{name}_");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::{Choice, of_group, plain};
    use super::*;

    /// Returns the paths of these files, with or without names of a platform, and the names of their
    /// submissions.
    fn names_after(out: &Path, files: &[&str]) -> Vec<(String, String)> {
        names_with(out, files, false, &mut Vec::new())
    }

    fn names_with(
        out: &Path,
        files: &[&str],
        keep: bool,
        warnings: &mut Vec<String>,
    ) -> Vec<(String, String)> {
        let mut groups: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let mut unnamed = Vec::new();
        for file in files.iter().map(PathBuf::from) {
            match super::super::entry::parse(&file, false) {
                Some(entry) => groups.entry(entry.key()).or_default().push(entry),
                None => unnamed.push(plain(&file)),
            }
        }
        for entries in groups.values() {
            unnamed.extend(of_group(entries, Choice::Last));
        }
        let students = named(unnamed, out, keep, warnings).expect("names");
        let file = |student: &Student| student.items[0].path.display().to_string();
        students.into_iter().map(|student| (file(&student), student.name)).collect()
    }

    #[test]
    fn file_replaces_no_other_that_is_kept() {
        let out = tempfile::tempdir().expect("a folder");
        names_after(out.path(), &["bob.zip", "carl.zip"]);
        let mut warnings = Vec::new();
        let found = names_with(out.path(), &["bob.tar", "carl.zip"], true, &mut warnings);
        let names: Vec<&str> = found.iter().map(|(_, name)| &**name).collect();
        assert_eq!(names, ["bob.tar", "carl"]);
        assert_eq!(warnings, ["bob.tar gets a new name: with --keep, it does not replace bob.zip"]);
    }

    fn names(files: &[&str]) -> Vec<String> {
        let out = tempfile::tempdir().expect("a folder");
        let found = names_after(out.path(), files);
        files
            .iter()
            .filter_map(|file| found.iter().find(|(path, _)| path == file))
            .map(|(_, name)| name.clone())
            .collect()
    }

    #[test]
    fn students_are_named_as_their_systems_name_them() {
        for (file, name) in [
            ("zips/ann.zip", "ann"),
            ("ann.tar.gz", "ann"),
            ("leeann_12345_678901_prog-2.zip", "leeann"),
            ("leeann_LATE_12345_678901_prog 2.zip", "leeann"),
            ("Ann Lee_123456_assignsubmission_file_prog2.zip", "Ann Lee"),
            ("hw2_leeann_attempt_2026-10-04-23-50-10_prog.zip", "leeann"),
            ("submission_987654321", "submission_987654321"),
            ("programming2_v1.2", "programming2_v1"),
            ("O'Neil.zip", "O'Neil"),
            ("=cmd|' -C calc'!A0.zip", "_cmd_' -C calc'_A0"),
            ("--out.zip", "_--out"),
            ("{start}.zip", "_start_"),
            ("history.zip", "history_"),
            ("..zip", "_."),
            ("Jo\u{308}rg.zip", "J\u{f6}rg"),
        ] {
            assert_eq!(names(&[file]), [name], "{file}");
        }
    }

    #[test]
    fn long_names_are_cut_at_characters() {
        let name = format!("{}.zip", "\u{10348}".repeat(60));
        let found = names(&[&*name, &*format!("x/{name}")]);
        let cut = "\u{10348}".repeat(45);
        assert_eq!(found, [cut.clone(), format!("{cut}-2")]);
        assert!(found.iter().all(|name| format!("{name}.txt").len() <= 255));
    }

    /// A student of Canvas gives a file a name of Blackboard with another student in it.
    #[test]
    fn file_takes_no_name_of_another() {
        let blackboard = "hw_bob_attempt_2026-10-04-23-50-10_p.zip";
        let files =
            [format!("ann_1_2_{blackboard}"), "bob_3_4_p.zip".into(), "carl_5_6_p.zip".into()];
        let files = files.map(PathBuf::from);
        let platforms = super::super::Platforms::of(&files);
        let students =
            files.map(|file| platforms.parse(&file).ok().flatten().expect("a platform").student);
        assert_eq!(students, ["ann", "bob", "carl"]);
    }

    /// The name of a student or of a file has the separator that Moodle puts between the two.
    #[test]
    fn name_with_the_part_of_moodle_is_no_other_student() {
        let student = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let platforms = super::super::Platforms::of(&files);
            let entry = platforms.parse(&files[0]).map_err(|_| ())?;
            Ok(entry.map(|entry| (entry.student, entry.id)).unwrap_or_default())
        };
        let of = |name: &str, id: &str| Ok((name.to_owned(), id.to_owned()));
        let bob = "Bob_12_assignsubmission_file_p.c";
        let file = "Eve_9_assignsubmission_file_Bob_12_assignsubmission_file_p.c";
        assert_eq!(student(&[file, bob]), of("Eve", "9"));
        let two = "Eve_9_assignsubmission_file_p.c";
        assert_eq!(student(&[file, two]), Err(()));
        assert_eq!(student(&[bob, file]), of("Bob", "12"));
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("Bob_12_assignsubmission_file__9_assignsubmission_file_");
        std::fs::create_dir(&place).expect("a folder");
        let found = student(&[place.to_str().expect("a path")]);
        assert_eq!(found, of("Bob_12_assignsubmission_file_", "9"));
    }

    #[test]
    fn logins_of_blackboard_may_have_lines_in_them() {
        let ids = |files: &[PathBuf]| -> Vec<String> {
            let platforms = super::super::Platforms::of(files);
            let ids = files.iter().filter_map(|file| platforms.parse(file).ok()?);
            ids.map(|entry| entry.id).collect()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let file = |login: &str, end: &str| {
            folder.path().join(format!("HW_2_{login}_attempt_2026-10-04-23-50-10{end}"))
        };
        let (j_smith, smith) = (file("j_smith", "_p.zip"), file("smith", "_p.zip"));
        assert_eq!(ids(&[j_smith.clone(), smith]), ["j_smith", "smith"]);
        // A receipt tells the login of one alone.
        let receipt = file("j_smith", ".txt");
        std::fs::write(&receipt, "Name: Jo Smith (j_smith)\n").expect("a file");
        assert_eq!(ids(&[j_smith, receipt]), ["j_smith", "j_smith"]);
    }

    #[test]
    fn no_two_have_the_same_name() {
        assert_eq!(
            names(&["bob.zip", "bob.tar.gz", "x/bob.zip", "carl.zip"]),
            ["bob.zip", "bob.tar.gz", "bob.zip-2", "carl"]
        );
        assert_eq!(names(&["Ann.zip", "ann.zip"]), ["Ann.zip", "ann.zip-2"]);
        let [one, other] = ["Jo_1_assignsubmission_file_a.c", "Jo_2_assignsubmission_file_a.c"];
        assert_eq!(names(&[one, other]), ["Jo 1", "Jo 2"]);
    }

    #[test]
    fn people_with_one_number_stay_two() {
        let out = tempfile::tempdir().expect("a folder");
        let of = |name: &str| format!("{name}_12_assignsubmission_file_a.c");
        let after = |files: &[&str]| {
            let (files, mut warnings) = (files.iter().map(|name| of(name)), Vec::new());
            let files: Vec<String> = files.collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let found = names_with(out.path(), &files, false, &mut warnings);
            (found.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), warnings)
        };
        assert_eq!(after(&["m1/Ann Lee", "m2/Bob Ray"]).0, ["Ann Lee", "Bob Ray"]);
        assert_eq!(after(&["m2/Bob Ray"]), (vec!["Bob Ray".to_owned()], Vec::new()));
        // A class that an earlier version has prepared.
        let old = "[names]\n\"moodle 12\" = \"Ann Lee 12\"\n";
        let file = out.path().join(NAMES_FILE);
        std::fs::write(&file, old).expect("a file");
        let (names, warnings) = after(&["m2/Bob Ray"]);
        assert_eq!((names, warnings.len()), (vec!["Bob Ray".to_owned()], 1));
        assert!(
            warnings[0].starts_with("`Bob Ray` gets a new name, for `moodle 12` was `Ann Lee 12`")
        );
        assert_eq!(after(&["Ann Lee"]), (vec!["Ann Lee 12".to_owned()], Vec::new()));
        let same = "[names]\n\"moodle 12 ann lee\" = \"Ann\"\n\"moodle 12 bob ray\" = \"ann\"\n";
        std::fs::write(&file, same).expect("a file");
        let both = [of("Ann Lee"), of("Bob Ray")].map(PathBuf::from);
        let entries = both.map(|file| super::super::entry::parse(&file, false).expect("an entry"));
        let unnamed =
            entries.iter().flat_map(|it| of_group(std::slice::from_ref(it), Choice::Last));
        let error =
            named(unnamed.collect(), out.path(), false, &mut Vec::new()).expect_err("one name");
        assert!(error.to_string().ends_with("found `ann` for two submissions"), "{error}");
    }

    #[test]
    fn student_keeps_the_first_name() {
        let out = tempfile::tempdir().expect("a folder");
        let after = |files: &[&str]| -> Vec<String> {
            names_after(out.path(), files).into_iter().map(|(_, name)| name).collect()
        };
        let jo = |id: u32, file: &str| format!("Jo_{id}_assignsubmission_file_{file}");
        assert_eq!(after(&[&jo(1, "a.c"), "bob.zip"]), ["Jo", "bob"]);
        // Another student of the same name comes, the first hands in again, and a folder replaces a zip.
        assert_eq!(after(&[&jo(1, "b.c"), &jo(2, "a.c"), "bob"]), ["Jo", "Jo 2", "bob"]);
        assert_eq!(after(&[&jo(2, "a.c"), "bob", "bob.tar"]), ["Jo 2", "bob", "bob.tar"]);
        assert_eq!(after(&[&jo(1, "a.c")]), ["Jo"]);
        assert_eq!(after(&["leeann_7_1_p.zip"]), ["leeann"]);
        assert_eq!(after(&["leeann_7_1_p.zip", "leeann_7_2_p-1.zip"]), ["leeann"]);
    }
}
