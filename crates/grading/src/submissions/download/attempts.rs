//! The attempts of a student: the files of each, and the order of the attempts.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::time::SystemTime;

use super::entry::{Entry, Item, Part};

/// The attempt of a student that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first one.
    First,
    /// The last one.
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
    pub(super) submitted: Option<String>,
    pub(super) late: bool,
    pub(super) items: Vec<Item>,
}

/// Returns the attempts in these entries of one student, the first one first. An attempt has files; receipts
/// alone are no attempt.
///
/// The platform's times separate the attempts, if it has them. Otherwise an attempt has no two files of the
/// same name, and its files are either all late or all on time: going back from the newest file, an earlier
/// attempt begins at the file that would break this rule.
pub(super) fn attempts(entries: &[Entry]) -> Vec<Attempt> {
    let is_file = |entry: &&Entry| matches!(entry.part, Part::File(_) | Part::Folder);
    let mut files: Vec<&Entry> = entries.iter().filter(is_file).collect();
    files.sort_by_cached_key(|entry| {
        (entry.time.clone(), entry.order, modified(&entry.path), entry.path.clone())
    });
    let mut groups: Vec<Vec<&Entry>> = Vec::new();
    for entry in files.into_iter().rev() {
        match groups.last_mut() {
            Some(group) if group.iter().all(|other| are_together(entry, other)) => {
                group.push(entry);
            }
            _ => groups.push(vec![entry]),
        }
    }
    groups.iter().rev().map(|group| attempt(group)).collect()
}

fn are_together(one: &Entry, other: &Entry) -> bool {
    if one.time.is_some() || other.time.is_some() {
        return one.time == other.time;
    }
    one.late == other.late && plain_name(one) != plain_name(other)
}

/// Returns the name of a file without the number that Canvas adds.
fn plain_name(entry: &Entry) -> String {
    let Part::File(name) = &entry.part else { return String::new() };
    if entry.has_numbered_files() { without_number(name) } else { name.clone() }
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
fn attempt(group: &[&Entry]) -> Attempt {
    let items = group.iter().rev().map(|entry| Item {
        path: entry.path.clone(),
        name: match entry.part {
            Part::File(_) => plain_name(entry),
            _ => super::entry::file_name(&entry.path),
        },
    });
    Attempt {
        submitted: group[0].time.clone(),
        late: group.iter().any(|entry| entry.late),
        items: items.collect(),
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::entry::parse;
    use super::*;

    /// Returns the names of the files of each attempt.
    fn found(files: &[&str]) -> Vec<Vec<String>> {
        let entries: Vec<Entry> =
            files.iter().map(|file| parse(Path::new(file), false).expect("a platform")).collect();
        let names = |attempt: Attempt| attempt.items.into_iter().map(|item| item.name).collect();
        attempts(&entries).into_iter().map(names).collect()
    }

    #[test]
    fn files_of_one_attempt_stay_together() {
        let of = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (files, expected) in [
            (&["a_1_5_B-1.java", "a_1_6_M-1.java"][..], vec![of(&["B.java", "M.java"])]),
            (&["a_1_5_p.zip", "a_1_6_p-1.zip"], vec![of(&["p.zip"]), of(&["p.zip"])]),
            (&["a_1_5_p.zip", "a_LATE_1_6_q.zip"], vec![of(&["p.zip"]), of(&["q.zip"])]),
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
}
