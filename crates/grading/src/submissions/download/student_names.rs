//! The names of the students of a download. Each student keeps the name in all later downloads.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use plyground_arena::class_folder::{NAMES_FILE, PreparedNames};
use plyground_durable::output::write_whole;
use plyground_durable::{FileError, excerpt};
use plyground_host::external::HandedIn;
use unicode_normalization::UnicodeNormalization;

use super::platform_names::{Item, is_number, stem};
use crate::grade::{ClassReport, GradeHistory};
use crate::submissions::PrepareError;

/// A submission: a student, and the attempt that counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Student {
    /// The name of the submission; empty as long as it has none.
    pub(crate) name: String,
    /// The files of the attempt; none if the platform has only a receipt.
    pub(crate) items: Vec<Item>,
    /// If true, the student handed in an address.
    pub(crate) is_address: bool,
    /// The time of the attempt, if the platform tells it; empty if it tells none and the times of the files are those
    /// of the download.
    pub(crate) submitted: Option<String>,
    /// The facts for the tables.
    pub(crate) handed_in: HandedIn,
    /// The words about another attempt that has a program, if this attempt has none.
    pub(crate) other_attempt: Option<String>,
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
    pub(crate) student: Student,
}

/// The names of the students of a class, for the file that keeps them until the next download.
#[derive(Debug)]
pub(crate) struct NamesToKeep {
    path: PathBuf,
    text: String,
}

impl NamesToKeep {
    /// Writes the file, if there is a folder for it.
    pub(crate) fn write(&self) -> Result<(), FileError> {
        if self.path.parent().is_some_and(Path::is_dir) {
            write_whole(&self.path, &self.text)?;
        }
        Ok(())
    }
}

const HEADING: &str = "# Written by `plyground submissions prepare`: students keep these names.\n";

/// The beginning of the key of a file that no platform named, before its folder, `/` and its name.
pub(super) const FILE: &str = "file ";

/// The part of a key or name before the number of an attempt.
pub(super) const ATTEMPT: &str = " attempt ";

/// The longest name, in bytes: a number or the end of a report's name follows it in at most 255.
const LONGEST: usize = 180;

/// Returns the submissions with their names, sorted by name, and the names to keep. The names differ even without
/// regard to case, and consist of characters that a command, a table and a path may have.
///
/// With `keep`, a file replaces only the file of the same name and folder, because any other may belong to
/// another student.
pub(super) fn named(
    unnamed: Vec<Unnamed>,
    out: &Path,
    keep: bool,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Student>, NamesToKeep), PrepareError> {
    let path = out.join(NAMES_FILE);
    let mut kept = PreparedNames::read(out)?;
    keep_numbers(&mut kept.names, &unnamed, &path, warnings);
    let files =
        Files { unnamed: unnamed.iter().filter(|it| it.number.is_empty()).collect(), out, keep };
    files.keep_names(&mut kept.names, warnings);
    give(&mut kept.names, &unnamed);
    let text = toml::to_string(&kept)
        .map_err(|error| FileError::at(&path, "write the names")(io::Error::other(error)))?;
    let text = format!("{HEADING}{text}");
    let mut students: Vec<Student> = unnamed
        .into_iter()
        .map(|it| Student {
            name: kept.names.get(&it.key).cloned().unwrap_or_default(),
            ..it.student
        })
        .collect();
    students.sort_by(|one, other| one.name.cmp(&other.name));
    // A person may have written one name twice.
    let mut names = BTreeSet::new();
    match students.iter().find(|student| !names.insert(student.name.to_lowercase())) {
        Some(Student { name, .. }) => {
            let why = format!("expected different names, found `{name}` for two submissions");
            Err(PrepareError::fault(&path, why))
        }
        None => Ok((students, NamesToKeep { path, text })),
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
                "`{new}` gets a new name, because `{number}` was `{other}` before: if the two are one person, write \
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

/// The files that no platform named.
struct Files<'a> {
    unnamed: Vec<&'a Unnamed>,
    /// The folder of the submissions, from which the keys name the files.
    out: &'a Path,
    keep: bool,
}

/// Returns the folder or zip and the name of the file of this key. A key of an earlier version has no folder.
fn file_of(key: &str) -> Option<(Option<&str>, &str)> {
    let file = key.strip_prefix(FILE)?;
    Some(file.rsplit_once('/').map_or((None, file), |(home, file)| (Some(home), file)))
}

fn stem_of(file: &str) -> String {
    stem(file).to_lowercase()
}

fn stem_in(key: &str) -> Option<String> {
    file_of(key).map(|(_, file)| stem_of(file))
}

impl Files<'_> {
    /// Gives each file the name that it had in an earlier run. Where it is not known whether a file is of the
    /// same student, the file has a new name, and a warning says so.
    fn keep_names(&self, names: &mut BTreeMap<String, String>, warnings: &mut Vec<String>) {
        for (new, old) in self.of_earlier_version(names) {
            if let Some(name) = names.remove(&old) {
                if self.keep {
                    let file = self.shown(&new);
                    warnings.push(format!(
                        "{file} is taken for the new file of `{name}`, whose folder an earlier version did not note"
                    ));
                }
                names.insert(new, name);
            }
        }
        if !self.keep {
            for (new, old) in self.moved(names) {
                let of_old =
                    |key: &String| file_of(key).is_some_and(|(home, _)| home == Some(&*old));
                let keys: Vec<String> = names.keys().filter(|key| of_old(key)).cloned().collect();
                for key in keys {
                    let file = file_of(&key).map_or("", |(_, file)| file);
                    let name = names.remove(&key).unwrap_or_default();
                    names.entry(format!("{FILE}{new}/{file}")).or_insert(name);
                }
                let [new, old] = [new, old].map(|home| self.out.join(home).display().to_string());
                warnings.push(format!(
                    "{new} is taken for the new {old}, which this run lacks, since most of their files have the \
                     same names: prepare another class into another folder"
                ));
            }
        }
        let replaced = self.replaced(names);
        for (new, old) in &replaced {
            let file = |key| file_of(key).map_or(key, |(_, file)| file);
            if self.keep {
                let (new, old) = (file(new), file(old));
                warnings
                    .push(format!("{new} gets a new name: with --keep, it does not replace {old}"));
            } else if let Some(name) = names.remove(old) {
                names.insert(new.clone(), name);
            }
        }
        for it in
            self.without_name(names).filter(|it| replaced.iter().all(|(new, _)| *new != it.key))
        {
            let own = stem_in(&it.key);
            let is_alike = |(key, _): &(&String, &String)| {
                let number = key.strip_prefix(&*it.old_key).and_then(|it| it.strip_prefix(' '));
                let is_numbered = number.is_some_and(is_number);
                (stem_in(key) == own || is_numbered) && !self.has(key)
            };
            if let Some((key, name)) = names.iter().find(is_alike) {
                let (new, old) = (self.shown(&it.key), self.shown(key));
                let path = self.out.join(NAMES_FILE);
                let path = path.display();
                warnings.push(format!(
                    "{new} gets a new name, because `{name}` was {old} before: if the two are of one person, write \
                     `{name}` in its line of {path}"
                ));
            }
        }
    }

    fn has(&self, key: &str) -> bool {
        self.unnamed.iter().any(|it| it.key == key)
    }

    /// Returns the path of the file of this key.
    fn shown(&self, key: &str) -> String {
        match file_of(key) {
            Some((Some(home), file)) => self.out.join(home).join(file).display().to_string(),
            Some((None, file)) => file.to_owned(),
            None => key.to_owned(),
        }
    }

    fn without_name<'n>(
        &'n self,
        names: &'n BTreeMap<String, String>,
    ) -> impl Iterator<Item = &'n Unnamed> {
        self.unnamed.iter().copied().filter(|it| !names.contains_key(&it.key))
    }

    /// Returns the keys of files, each with its key of an earlier version, which numbered files of one name in
    /// order. If there are now more or fewer files of the name, or if the key may also be that of a file with
    /// the number in its name, the owner is not known.
    fn of_earlier_version(&self, names: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let mut alike: BTreeMap<&str, Vec<&Unnamed>> = BTreeMap::new();
        for it in self.without_name(names) {
            alike.entry(&it.old_key).or_default().push(it);
        }
        let numbered = |key: &str| -> Vec<String> {
            let others = (2_u32..).map(|number| format!("{key} {number}"));
            let keys = std::iter::once(key.to_owned()).chain(others);
            keys.take_while(|key| names.contains_key(key)).collect()
        };
        let mut claims: BTreeMap<String, usize> = BTreeMap::new();
        for key in alike.keys().flat_map(|key| numbered(key)) {
            *claims.entry(key).or_default() += 1;
        }
        let mut found = Vec::new();
        for (key, files) in alike {
            let old = numbered(key);
            if old.len() == files.len() {
                let pairs = files.into_iter().map(|it| it.key.clone()).zip(old);
                found.extend(pairs.filter(|(_, old)| claims[old] == 1));
            }
        }
        found
    }

    /// Returns the folders of this run that no earlier run had, each with the folder that it replaces: this run
    /// lacks that folder, and most of the files of each have names of the other.
    fn moved(&self, names: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let mut now: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (home, file) in self.unnamed.iter().filter_map(|it| file_of(&it.key)) {
            now.entry(home.unwrap_or_default()).or_default().insert(stem_of(file));
        }
        let mut before: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (home, file) in names.keys().filter_map(|key| file_of(key)) {
            if let Some(home) = home.filter(|home| !now.contains_key(home)) {
                before.entry(home).or_default().insert(stem_of(file));
            }
        }
        let known = self.unnamed.iter().filter(|it| names.contains_key(&it.key));
        let known: BTreeSet<_> = known.filter_map(|it| file_of(&it.key)?.0).collect();
        let new = now.iter().filter(|(home, _)| !known.contains(*home));
        let pairs = new.flat_map(|new| before.iter().map(move |old| (new, old)));
        let pairs = pairs.filter(|((_, new), (_, old))| {
            new.intersection(old).count() * 2 > new.len().max(old.len())
        });
        let pairs: Vec<(&str, &str)> = pairs.map(|((new, _), (old, _))| (*new, *old)).collect();
        let is_only = |(new, old): &&(&str, &str)| {
            pairs.iter().filter(|pair| pair.0 == *new || pair.1 == *old).count() == 1
        };
        let only = pairs.iter().filter(is_only);
        only.map(|(new, old)| ((*new).to_owned(), (*old).to_owned())).collect()
    }

    /// Returns the keys of files without a name, each with the key of the file that it replaces: a file of the
    /// same folder with the same stem that is no longer there.
    fn replaced(&self, names: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let (mut found, mut taken) = (Vec::new(), BTreeSet::new());
        for it in self.without_name(names) {
            let Some((home, file)) = file_of(&it.key) else { continue };
            let has_stem = |key: &str| stem_in(key) == Some(stem_of(file));
            let is_alone = self.unnamed.iter().filter(|other| has_stem(&other.key)).count() == 1;
            let is_there = |(old_home, old): (Option<&str>, &str)| {
                // An earlier version did not note the folder.
                old_home == home || old_home.is_none() && is_alone && file != old
            };
            let is_old = |key: &&String| {
                let is_like = file_of(key).is_some_and(is_there) && has_stem(key);
                is_like && !self.has(key) && !taken.contains(*key)
            };
            if let Some(old) = names.keys().find(is_old) {
                taken.insert(old);
                found.push((it.key.clone(), old.clone()));
            }
        }
        found
    }
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
    let tables = ClassReport::names();
    let mut reserved = GradeHistory::RESERVED.iter().chain(&tables).chain(&["handed-in.csv"]);
    if reserved.any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return format!("{name}_");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::platform_names::parse;
    use super::super::{Choice, folder_of, of_group, plain};
    use super::*;

    /// The paths of files, with or without names of a platform, each with the name of its submission; and the warnings.
    type Names = (Vec<(String, String)>, Vec<String>);

    fn names_after(out: &Path, keep: bool, files: &[&str]) -> Names {
        try_names(out, keep, files).expect("names")
    }

    fn try_names(out: &Path, keep: bool, files: &[&str]) -> Result<Names, PrepareError> {
        let mut groups: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let mut unnamed = Vec::new();
        for file in files.iter().map(PathBuf::from) {
            match parse(&file, false) {
                Some(entry) => groups.entry(entry.key()).or_default().push(entry),
                None => {
                    let home = folder_of(&file).display().to_string();
                    unnamed.push(plain(&file, &home));
                }
            }
        }
        for entries in groups.values() {
            unnamed.extend(of_group(entries, Choice::Last, "p"));
        }
        let mut warnings = Vec::new();
        let (students, names) = named(unnamed, out, keep, &mut warnings)?;
        names.write()?;
        let file = |student: &Student| student.items[0].path.display().to_string();
        Ok((students.into_iter().map(|it| (file(&it), it.name)).collect(), warnings))
    }

    #[test]
    fn file_replaces_no_other_that_is_kept() {
        let out = tempfile::tempdir().expect("a folder");
        names_after(out.path(), false, &["bob.zip", "carl.zip"]);
        let (found, warnings) = names_after(out.path(), true, &["bob.tar", "carl.zip"]);
        let names: Vec<&str> = found.iter().map(|(_, name)| &**name).collect();
        assert_eq!(names, ["bob.tar", "carl"]);
        assert_eq!(warnings, ["bob.tar gets a new name: with --keep, it does not replace bob.zip"]);
    }

    fn names(files: &[&str]) -> Vec<String> {
        let out = tempfile::tempdir().expect("a folder");
        let (found, _) = names_after(out.path(), false, files);
        let found: BTreeMap<String, String> = found.into_iter().collect();
        files.iter().map(|file| found[*file].clone()).collect()
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

    #[test]
    fn no_two_have_the_same_name() {
        let found = names(&["bob.zip", "bob.tar.gz", "x/bob.zip", "carl.zip"]);
        assert_eq!(found, ["bob.zip", "bob.tar.gz", "bob.zip-2", "carl"]);
        assert_eq!(names(&["Ann.zip", "ann.zip"]), ["Ann.zip", "ann.zip-2"]);
        let [one, other] = ["Jo_1_assignsubmission_file_a.c", "Jo_2_assignsubmission_file_a.c"];
        assert_eq!(names(&[one, other]), ["Jo 1", "Jo 2"]);
    }

    #[test]
    fn people_with_one_number_stay_two() {
        let out = tempfile::tempdir().expect("a folder");
        let of = |name: &str| format!("{name}_12_assignsubmission_file_a.c");
        let after = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|name| of(name)).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let (found, warnings) = names_after(out.path(), false, &files);
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
        let said = "`Bob Ray` gets a new name, because `moodle 12` was `Ann Lee 12`";
        assert!(warnings[0].starts_with(said));
        assert_eq!(after(&["Ann Lee"]), (vec!["Ann Lee 12".to_owned()], Vec::new()));
        let same = "[names]\n\"moodle 12 ann lee\" = \"Ann\"\n\"moodle 12 bob ray\" = \"ann\"\n";
        std::fs::write(&file, same).expect("a file");
        let both = [of("Ann Lee"), of("Bob Ray")];
        let error = try_names(out.path(), false, &[&both[0], &both[1]]).expect_err("one name");
        assert!(error.to_string().ends_with("found `ann` for two submissions"), "{error}");
    }

    #[test]
    fn file_keeps_its_name_whatever_the_other_folders() {
        let out = tempfile::tempdir().expect("a folder");
        let after = |keep: bool, files: &[&str]| {
            let (found, warnings) = names_after(out.path(), keep, files);
            let found = found.iter().map(|(file, name)| format!("{file}={name}"));
            (found.collect::<Vec<_>>().join(" "), warnings.len())
        };
        let of = |found: &str, warnings| (found.to_owned(), warnings);
        let two = ["s2/ann.zip", "s2/zoe.zip"];
        assert_eq!(after(false, &two), of("s2/ann.zip=ann s2/zoe.zip=zoe", 0));
        let both = "s2/ann.zip=ann s1/ann.zip=ann.zip s2/zoe.zip=zoe";
        assert_eq!(after(false, &["s1/ann.zip", two[0], two[1]]), of(both, 0));
        assert_eq!(after(false, &["s1/ann.zip"]), of("s1/ann.zip=ann.zip", 0));
        assert_eq!(after(false, &two), of("s2/ann.zip=ann s2/zoe.zip=zoe", 0));
        // Another folder may have files of other students.
        let other = after(true, &["s3/ann.zip", "s3/zoe.zip"]);
        assert_eq!(other, of("s3/ann.zip=ann.zip-2 s3/zoe.zip=zoe.zip", 2));
        std::fs::remove_file(out.path().join(NAMES_FILE)).expect("a file");
        // A folder that was named anew.
        after(false, &["a/ann.zip", "a/bob.zip", "a/carl.zip"]);
        let found = after(false, &["b/ann.zip", "b/bob.tar"]);
        assert_eq!(found, of("b/ann.zip=ann b/bob.tar=bob", 1));
        assert_eq!(after(false, &["b/carl.zip"]), of("b/carl.zip=carl", 0));
        assert_eq!(after(false, &["c/ann.zip", "c/x", "c/y"]).1, 1);
        // The number of a file is a part of its name, and not that of another.
        std::fs::remove_file(out.path().join(NAMES_FILE)).expect("a file");
        let three = ["s1/ann", "s2/ann", "s3/ann 2"];
        assert_eq!(after(false, &three), of("s1/ann=ann s3/ann 2=ann 2 s2/ann=ann-2", 0));
    }

    #[test]
    fn names_of_an_earlier_version_are_kept() {
        let out = tempfile::tempdir().expect("a folder");
        let after = |old: &str, keep: bool, files: &[&str]| {
            std::fs::write(out.path().join(NAMES_FILE), format!("[names]\n{old}")).expect("a file");
            let (found, warnings) = names_after(out.path(), keep, files);
            let names: Vec<String> = found.into_iter().map(|(_, name)| name).collect();
            (names.join(" "), warnings.len())
        };
        let of = |found: &str, warnings| (found.to_owned(), warnings);
        let one = "\"file ann.zip\" = \"ann\"\n\"file bob.zip\" = \"b\"\n";
        assert_eq!(after(one, false, &["x/ann.zip", "x/bob.tar"]), of("ann b", 0));
        assert_eq!(after(one, true, &["x/ann.zip"]), of("ann", 1));
        assert_eq!(after(one, false, &["x/ann.zip", "y/ann.zip"]), of("ann.zip ann.zip-2", 2));
        let two = "\"file ann\" = \"ann\"\n\"file ann 2\" = \"ann-2\"\n";
        assert_eq!(after(two, false, &["x/ann", "y/ann"]), of("ann ann-2", 0));
        // The submission of one of the two had replaced the other's.
        let three = ["x/ann", "y/ann", "z/ann 2"];
        assert_eq!(after(two, false, &three), of("ann ann 2 ann-3", 2));
    }

    #[test]
    fn student_keeps_the_first_name() {
        let out = tempfile::tempdir().expect("a folder");
        let after = |files: &[&str]| -> Vec<String> {
            names_after(out.path(), false, files).0.into_iter().map(|(_, name)| name).collect()
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
