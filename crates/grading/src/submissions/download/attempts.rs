//! The attempts of a student: the files of each, their order, and the attempt that counts.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use plyground_host::external::{HandedIn, Platform};

use super::platform_names::{Entry, Item, Part, attempt_number, file_name, is_folder, stem};
use super::student_names::{ATTEMPT, Student, Unnamed};
use super::{entries, metadata};
use crate::submissions::file_kind::{
    Language, is_called_archive, is_header, is_of_build_tool, other_language,
};
use crate::submissions::files::SourceReader;
use crate::submissions::recipe::letters_of;

/// The attempt of a student that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first attempt.
    First,
    /// The last attempt.
    #[default]
    Last,
    /// Each attempt, as a submission of its own.
    All,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        match text {
            "first" => Ok(Choice::First),
            "last" => Ok(Choice::Last),
            "all" => Ok(Choice::All),
            _ => Err("expected first, last or all".to_owned()),
        }
    }
}

/// The files that a student handed in at one time.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    submitted: Option<String>,
    late: bool,
    items: Vec<Item>,
}

/// Returns the attempts in these entries of one student, in order. Receipts without files are not an
/// attempt. `program` is the name of the program in the assignment.
///
/// The platform's times, or its numbers of versions, separate the attempts, if it has them. Otherwise an attempt has no
/// two files of the same name, and its files are either all late or all on time: going back from the newest file, an
/// earlier attempt begins at the file that would break this rule.
fn attempts(entries: &[Entry], program: &str) -> Vec<Attempt> {
    let is_file = |entry: &&Entry| matches!(entry.part, Part::File(_) | Part::Folder);
    let mut files: Vec<&Entry> = entries.iter().filter(is_file).collect();
    files.sort_by_cached_key(|entry| {
        (entry.time.clone(), entry.order, modified(&entry.path), entry.path.clone())
    });
    let names = plain_names(&files, program);
    let mut groups: Vec<Vec<(&Entry, String)>> = Vec::new();
    for file in files.into_iter().zip(names).rev() {
        match groups.last_mut() {
            Some(group) if group.iter().all(|other| are_together(&file, other)) => group.push(file),
            _ => groups.push(vec![file]),
        }
    }
    groups.into_iter().rev().map(attempt).collect()
}

fn are_together((one, name): &(&Entry, String), (other, its): &(&Entry, String)) -> bool {
    if one.time.is_some() || other.time.is_some() {
        return one.time == other.time;
    }
    if one.platform == Platform::Autolab {
        return one.order == other.order;
    }
    one.late == other.late && name != its
}

/// Returns the names of all files of a student without the numbers that Canvas adds. A number is the student's own if
/// another file mentions the name with it, if it belongs to the name of the `program`, or if files of one download
/// differ only by such numbers and each has one.
fn plain_names(files: &[&Entry], program: &str) -> Vec<String> {
    let mentioned = LazyCell::new(|| mentioned(files));
    let plain_name = |entry: &&Entry| {
        let Part::File(name) = &entry.part else { return String::new() };
        let plain = without_number(name);
        if entry.platform != Platform::Canvas || plain == *name {
            return name.clone();
        }
        let is_beside = |other: &&&Entry| other.path.parent() == entry.path.parent();
        let beside = || files.iter().filter(is_beside).filter_map(|other| own_file(other));
        let is_program = || {
            Language::of(Path::new(name)).is_some() && letters_of(stem(name)) == letters_of(program)
        };
        let is_one_of_several = || {
            beside().all(|other| *other != plain)
                && beside().any(|other| other != name && without_number(other) == plain)
        };
        let is_own = is_program() || is_one_of_several() || mentioned.contains(name);
        if is_own { name.clone() } else { plain }
    };
    files.iter().map(plain_name).collect()
}

/// Returns the name of a file without the platform's additions; `None` for a folder or a receipt.
fn own_file(entry: &Entry) -> Option<&String> {
    if let Part::File(name) = &entry.part { Some(name) } else { None }
}

/// Returns the words with `-` in the sources among these files, each without the name of its own file.
fn mentioned(files: &[&Entry]) -> BTreeSet<String> {
    let texts = SourceReader::default();
    let is_in_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let mut words = BTreeSet::new();
    for entry in files {
        let Some(name) = own_file(entry) else { continue };
        let path = Path::new(name);
        if is_of_build_tool(path) || Language::of(path).is_some() || is_header(path) {
            let text = texts.text(&entry.path);
            let all = text.split(|c| !is_in_name(c)).map(|word| word.trim_matches('.'));
            let others = all.filter(|word| word.contains('-') && word != name);
            words.extend(others.map(str::to_owned));
        }
    }
    words
}

/// Returns the name without the `-1` that Canvas puts before its end when a student hands in again.
fn without_number(name: &str) -> String {
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) => (stem, format!(".{end}")),
        None => (name, String::new()),
    };
    // The end of `.tar.gz` has two parts.
    let (stem, end) = match stem.strip_suffix(".tar") {
        Some(stem) => (stem, format!(".tar{end}")),
        None => (stem, end),
    };
    let number = stem.rsplit_once('-').filter(|(before, number)| {
        !before.is_empty()
            && (1..=3).contains(&number.len())
            && number.bytes().all(|c| c.is_ascii_digit())
    });
    number.map_or_else(|| name.to_owned(), |(before, _)| format!("{before}{end}"))
}

/// Returns the attempt with these files, the newest first.
fn attempt(group: Vec<(&Entry, String)>) -> Attempt {
    let submitted = group[0].0.time.clone();
    let late = group.iter().any(|(entry, _)| entry.late);
    let items = group.into_iter().rev().map(|(entry, name)| Item {
        path: entry.path.clone(),
        name: if own_file(entry).is_some() { name } else { file_name(&entry.path) },
    });
    Attempt { submitted, late, items: items.collect() }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|found| found.modified()).ok()
}

/// Returns the name of a file, or the names of the files in a folder that a platform named.
fn names_of(item: &Item) -> Vec<String> {
    let inside = is_folder(&item.path).then(|| entries::inside(&item.path).ok()).flatten();
    let names: Vec<String> = inside.iter().flatten().map(|path| file_name(path)).collect();
    if names.is_empty() { vec![item.name.clone()] } else { names }
}

/// Returns the words about an attempt that has a program, if the attempt that counts has none.
fn other_attempt(attempts: &[Attempt], counts: usize) -> Option<String> {
    let is_program = |name: &String| {
        let path = Path::new(name);
        Language::of(path).is_some() || other_language(path).is_some() || is_called_archive(path)
    };
    let has_program = |attempt: &Attempt| {
        let is_outer = |item: &Item| {
            let inside = entries::inside(&item.path).unwrap_or_default();
            is_folder(&item.path) && inside.iter().any(|it| is_folder(it))
        };
        attempt.items.iter().any(|item| is_outer(item) || names_of(item).iter().any(is_program))
    };
    if attempts.get(counts).is_none_or(has_program) {
        return None;
    }
    let other = attempts.iter().rposition(has_program)?;
    let remedy = match other {
        0 => "`--attempt first` takes the first attempt of every student",
        _ if other + 1 == attempts.len() => {
            "`--attempt last` takes the last attempt of every student"
        }
        _ => "`--attempt all` takes every attempt",
    };
    let (other, counts, all) = (other + 1, counts + 1, attempts.len());
    Some(format!(
        "attempt {other} of {all} has a program, and attempt {counts}, which counts, has none: {remedy}"
    ))
}

/// Returns the attempts in the folder of a student, in order, and the folders that are left out; `None` if it has
/// anything but folders with numbered attempts. Teams puts these into a folder for each assignment: the only one
/// counts, or the one with the name of the `program`.
pub(super) fn numbered(path: &Path, program: &str) -> Option<(Vec<Attempt>, Vec<String>)> {
    let folders_in = |path: &Path| {
        let inside = entries::inside(path).ok().filter(|inside| !inside.is_empty())?;
        (!path.is_symlink() && inside.iter().all(|it| is_folder(it))).then_some(inside)
    };
    let attempts_in = |folders: Vec<PathBuf>| -> Option<Vec<Attempt>> {
        let attempt = |path: PathBuf| {
            let name = file_name(&path);
            let (number, late) = (attempt_number(&name)?, name.ends_with(" - Late"));
            Some((number, Attempt { submitted: None, late, items: vec![Item { path, name }] }))
        };
        let mut attempts: Vec<_> = folders.into_iter().map(attempt).collect::<Option<_>>()?;
        attempts.sort_by_key(|(number, _)| *number);
        Some(attempts.into_iter().map(|(_, attempt)| attempt).collect())
    };
    let inside = folders_in(path)?;
    if let Some(attempts) = attempts_in(inside.clone()) {
        return Some((attempts, Vec::new()));
    }
    let assignment = |it: PathBuf| Some((file_name(&it), attempts_in(folders_in(&it)?)?));
    // A folder without attempts has a program that would be lost.
    let mut assignments: Vec<_> = inside.into_iter().map(assignment).collect::<Option<_>>()?;
    let is_called = |(name, _): &(String, _)| letters_of(name) == letters_of(program);
    let own = match assignments.len() {
        1 => 0,
        _ => assignments.iter().position(is_called)?,
    };
    let (_, attempts) = assignments.remove(own);
    let left_out = assignments.into_iter().map(|(name, _)| format!("{name}: another assignment"));
    Some((attempts, left_out.collect()))
}

/// Returns the submissions of one student: one, or with [`Choice::All`] one for each attempt.
pub(super) fn of_group(entries: &[Entry], choice: Choice, program: &str) -> Vec<Unnamed> {
    let attempts = attempts(entries, program);
    // Blackboard has one for each attempt of each student, which is nothing to look at.
    let is_told =
        |entry: &&Entry| entry.part == Part::Receipt && entry.platform != Platform::Blackboard;
    let receipts = match entries.iter().filter(is_told).count() {
        0 => None,
        1 => Some("1 receipt".to_owned()),
        count => Some(format!("{count} receipts")),
    };
    let first = &entries[0];
    let longer = format!("{} {}", first.student, first.id).trim().to_owned();
    let student = Student {
        is_address: entries.iter().any(Entry::is_address),
        submitted: first.has_no_time().then(String::new),
        handed_in: metadata::facts(entries),
        ..Student::default()
    };
    let one = Unnamed {
        key: first.key(),
        old_key: first.old_key(),
        number: first.number(),
        wanted: vec![first.student.clone(), longer],
        student,
    };
    of_attempts(&one, &attempts, receipts.as_slice(), choice)
}

/// Returns the submissions of one student with these attempts: `one`, or with [`Choice::All`] one for each attempt. The
/// words `left_out` name all else that is left out.
pub(super) fn of_attempts(
    one: &Unnamed,
    attempts: &[Attempt],
    left_out: &[String],
    choice: Choice,
) -> Vec<Unnamed> {
    let with = |index: usize| {
        let attempt = attempts.get(index);
        let others = attempts.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.flat_map(|(index, other)| {
            other.items.iter().map(move |item| format!("{}: attempt {}", item.name, index + 1))
        });
        // With all attempts, no attempt is left out.
        let others = others.filter(|_| choice != Choice::All);
        let handed_in = HandedIn {
            late: attempt.is_some_and(|attempt| attempt.late),
            attempt: (index + 1).min(attempts.len()),
            attempts: attempts.len(),
            taken: few(attempt.iter().flat_map(|it| &it.items).flat_map(names_of)),
            left_out: few(others.chain(left_out.iter().cloned())),
            ..one.student.handed_in.clone()
        };
        let submitted = attempt.and_then(|attempt| attempt.submitted.clone());
        let student = Student {
            items: attempt.map_or_else(Vec::new, |attempt| attempt.items.clone()),
            submitted: submitted.or_else(|| one.student.submitted.clone()),
            handed_in,
            ..one.student.clone()
        };
        Unnamed { student, ..one.clone() }
    };
    let last = attempts.len().saturating_sub(1);
    let only = |index: usize| {
        let mut only = with(index);
        only.student.other_attempt = other_attempt(attempts, index);
        vec![only]
    };
    match choice {
        _ if attempts.is_empty() => only(0),
        Choice::First => only(0),
        Choice::Last => only(last),
        Choice::All => attempts
            .iter()
            .enumerate()
            .map(|(index, attempt)| {
                let time = attempt.submitted.clone().unwrap_or_default();
                let end = format!("{ATTEMPT}{} {time}", index + 1);
                let of = |name: &String| format!("{name}{ATTEMPT}{}", index + 1);
                let (key, old_key) = (one.key.clone() + &end, one.old_key.clone() + &end);
                let wanted = one.wanted.iter().map(of).collect();
                Unnamed { key, old_key, wanted, ..with(index) }
            })
            .collect(),
    }
}

/// The greatest number of names in a list for people.
const MOST_NAMES: usize = 100;

/// Returns the first of these names, and the number of the others.
fn few(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    let others = names.len().saturating_sub(MOST_NAMES);
    if others > 0 {
        names.truncate(MOST_NAMES);
        names.push(format!("and {others} more"));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::submissions::PrepareError;
    use crate::submissions::download::platform_names::parse;
    use crate::submissions::download::students;
    use crate::submissions::download::tests::students_of;
    use crate::submissions::limited_folder::UnpackLimits;

    /// Returns the names of the files of each attempt.
    fn found(files: &[&str]) -> Vec<Vec<String>> {
        let entries: Vec<Entry> =
            files.iter().map(|file| parse(Path::new(file), false).expect("a platform")).collect();
        let names = |attempt: Attempt| attempt.items.into_iter().map(|item| item.name).collect();
        attempts(&entries, "max-connect-4").into_iter().map(names).collect()
    }

    #[test]
    fn files_of_one_attempt_stay_together() {
        let of = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (files, expected) in [
            (&["a_1_5_B-1.java", "a_1_6_M-1.java"][..], vec![of(&["B.java", "M.java"])]),
            (&["a_1_5_p.zip", "a_1_6_p-1.zip"], vec![of(&["p.zip"]), of(&["p.zip"])]),
            (&["a_1_5_p.zip", "a_LATE_1_6_q.zip"], vec![of(&["p.zip"]), of(&["q.zip"])]),
            (&["a_1_5_part-1.py", "a_1_6_part-2.py"], vec![of(&["part-1.py", "part-2.py"])]),
            (&["a_1_5_hw-10.zip", "a_1_6_hw-11.zip"], vec![of(&["hw-10.zip", "hw-11.zip"])]),
            (
                &["a_1_5_p.zip", "a_1_6_p-1.zip", "a_1_7_p-2.zip"],
                vec![of(&["p.zip"]), of(&["p.zip"]), of(&["p.zip"])],
            ),
            (&["a@x.y_10_p.c", "a@x.y_9_q.c"], vec![of(&["q.c"]), of(&["p.c"])]),
            // Two downloads.
            (&["x/a_1_5_p-1.zip", "y/a_1_6_p-2.zip"], vec![of(&["p.zip"]), of(&["p.zip"])]),
            (&["a_1_5_max-connect-4.py"], vec![of(&["max-connect-4.py"])]),
            (&["a_1_5_max-connect-4-1.py"], vec![of(&["max-connect-4.py"])]),
            (&["a_1_10_M-1.c", "a_1_9_M.c", "a_1_11_h.c"], vec![of(&["M.c"]), of(&["M.c", "h.c"])]),
            (
                &[
                    "hw_a_attempt_2025-11-20-10-00-00_x.c",
                    "hw_a_attempt_2025-11-20-10-00-00_y.c",
                    "hw_a_attempt_2025-11-19-10-00-00_x.c",
                    "hw_a_attempt_2025-11-21-10-00-00.txt",
                ],
                vec![of(&["x.c"]), of(&["x.c", "y.c"])],
            ),
        ] {
            assert_eq!(found(files), expected, "{files:?}");
        }
    }

    #[test]
    fn number_in_a_name_that_another_file_mentions_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let found = |text: &str, others: &[&str]| {
            let main = folder.path().join("a_1_5_main.c");
            fs::write(&main, text).expect("a file");
            let others = others.iter().map(|name| folder.path().join(name));
            let files: Vec<PathBuf> = [main].into_iter().chain(others).collect();
            found(&files.iter().filter_map(|file| file.to_str()).collect::<Vec<_>>())
        };
        let includes = "#include \"board-2.h\"\n";
        assert_eq!(found(includes, &["a_1_6_board-2.h"]), [["main.c", "board-2.h"]]);
        let both = ["a_1_6_board-2.h", "a_1_7_board.h"];
        assert_eq!(found(includes, &both), [["main.c", "board-2.h", "board.h"]]);
        assert_eq!(found("#include \"board.h\"\n", &both[..1]), [["main.c", "board.h"]]);
    }

    #[test]
    fn number_of_the_platform_is_no_part_of_a_name() {
        for (name, plain) in [
            ("M-1.java", "M.java"),
            ("p-12.tar.gz", "p.tar.gz"),
            ("p-2", "p"),
            ("-1.c", "-1.c"),
            ("a-b.c", "a-b.c"),
            ("hw 2 (1).zip", "hw 2 (1).zip"),
        ] {
            assert_eq!(without_number(name), plain);
        }
    }

    #[test]
    fn numbered_folders_of_a_student_are_attempts() -> Result<(), PrepareError> {
        let found = |files: &[&str], choice| -> Result<Vec<[String; 4]>, PrepareError> {
            let (folder, out) = (fixtures::tree(files), fixtures::tree(&["x"]));
            let (limits, sources) = (UnpackLimits::default(), [folder.path().to_owned()]);
            let choice = (choice, "max connect 4");
            let (all, _) = students(&sources, out.path(), choice, limits, false, &mut Vec::new())?;
            let row = |it: Student| {
                let HandedIn { attempt, attempts, left_out, late, .. } = it.handed_in;
                let late = if late { " late" } else { "" };
                let item = file_name(&it.items[0].path);
                [it.name, item, format!("{attempt} of {attempts}{late}"), left_out.join("; ")]
            };
            Ok(all.into_iter().map(row).collect())
        };
        let of = |row: [&str; 4]| row.map(str::to_owned);
        let schoology = [
            "Lee, Ann/Revision 9 - On Time/p.c",
            "Lee, Ann/Revision 10 - Late/p.c",
            "bob/Version 1/p.c",
            "bob/readme.txt",
        ];
        let bob = of(["bob", "bob", "1 of 1", ""]);
        let left_out = "Revision 9 - On Time: attempt 1";
        let ann = of(["Lee, Ann", "Revision 10 - Late", "2 of 2 late", left_out]);
        assert_eq!(found(&schoology, Choice::Last)?, [ann, bob.clone()]);
        let first = found(&schoology, Choice::First)?;
        assert_eq!(first[0][1..3], ["Revision 9 - On Time", "1 of 2"].map(str::to_owned));
        let all = found(&schoology, Choice::All)?;
        let names: Vec<&str> = all.iter().map(|row| &*row[0]).collect();
        assert_eq!(names, ["Lee, Ann attempt 1", "Lee, Ann attempt 2", "bob"]);
        let teams = [
            "ann/HW 1/Version 1/p.c",
            "ann/Max-Connect4/Version 1/p.c",
            "ann/Max-Connect4/Version 2/p.c",
            "bob/HW 1/Version 1/p.c",
            "bob/HW 2/Version 2/p.c",
            "carl/HW 2/Version 1/p.c",
            "carl/HW 2/Version 02x/p.c",
            "dan/old/Version 1/p.c",
            "dan/src/p.c",
        ];
        let left_out = "Version 1: attempt 1; HW 1: another assignment";
        let ann = of(["ann", "Version 2", "2 of 2", left_out]);
        let carl = of(["carl", "carl", "1 of 1", ""]);
        let dan = of(["dan", "dan", "1 of 1", ""]);
        assert_eq!(found(&teams, Choice::Last)?, [ann, bob, carl, dan]);
        Ok(())
    }

    #[test]
    fn files_of_canvas_and_moodle_have_no_time() {
        let submitted = |name: &str| {
            let entry = parse(Path::new(name), false).expect("a platform");
            of_group(&[entry], Choice::Last, "p")[0].student.submitted.clone()
        };
        assert_eq!(submitted("ann_LATE_1_2_p.zip").as_deref(), Some(""));
        assert_eq!(submitted("Ann Lee_12_assignsubmission_file_p.zip").as_deref(), Some(""));
        let time = submitted("12-9 - Ann Lee - Nov 20, 2025 1159 PM - p.c");
        assert_eq!(time.as_deref(), Some("2025-11-20T23:59:00"));
    }

    #[test]
    fn attempt_without_a_program_hides_no_other() -> Result<(), PrepareError> {
        let warnings = |days: &[(&str, &str)]| -> Result<Vec<String>, PrepareError> {
            let of = |(day, file): &(&str, &str)| {
                (format!("hw_ann_attempt_2026-10-{day}-23-50-10_{file}"), "")
            };
            Ok(students_of(&days.iter().map(of).collect::<Vec<_>>())?.1)
        };
        let report = ("06", "report.pdf");
        let found = warnings(&[("04", "p.zip"), report])?;
        let first = "ann: attempt 1 of 2 has a program, and attempt 2, which counts, has none: `--attempt \
                     first` takes the first attempt of every student";
        assert_eq!(found, [first]);
        let found = warnings(&[("03", "notes.txt"), ("04", "p.c"), report])?;
        assert!(found[0].ends_with("`--attempt all` takes every attempt"), "{found:?}");
        assert_eq!(warnings(&[("04", "p.zip"), report, ("06", "p.py")])?.len(), 0);
        assert_eq!(warnings(&[("04", "notes.txt"), report])?.len(), 0);
        Ok(())
    }
}
