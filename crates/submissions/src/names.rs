//! The names of submissions, from those of the files that a learning management system gives out.

use std::collections::BTreeMap;
use std::path::Path;

/// The ends of names that say what kind of file it is.
const ENDS: [&str; 7] = [".tar.gz", ".tgz", ".tar", ".zip", ".jar", ".gz", ".ZIP"];

/// What is between the name of a student and the file in Moodle.
const MOODLE: &str = "assignsubmission_";

/// What is between the name of a student and the time in Blackboard.
const BLACKBOARD: &str = "_attempt_";

/// How a late submission is marked in Canvas.
const LATE: &str = "LATE";

/// Names that the commands which use submissions need themselves.
const RESERVED: [&str; 6] =
    ["history", "instructor", "grades.csv", "canvas.csv", "moodle.csv", "class.html"];

/// The longest name, in characters.
const LONGEST: usize = 80;

/// The name of each submission, in the order of the files: different from all others, and made of
/// characters that a command, a table and a path may have.
pub(crate) fn submission_names(files: &[&Path]) -> Vec<String> {
    let file_names: Vec<String> = files.iter().map(|file| file_name(file)).collect();
    let short = file_names.iter().map(|name| fit(student(stem(name)).unwrap_or(stem(name))));
    let mut names: Vec<String> = short.collect();
    // Who shares a name has a longer one, whatever the order; the last resort is a number.
    for longer in [|name: &str| fit(stem(name)), |name: &str| fit(name)] {
        let taken = names.clone();
        let is_shared = |name: &String| {
            taken.iter().filter(|other| other.eq_ignore_ascii_case(name)).count() > 1
        };
        for (name, file) in names.iter_mut().zip(&file_names) {
            if is_shared(name) {
                *name = longer(file);
            }
        }
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for name in &mut names {
        let mut number = *seen.get(&name.to_lowercase()).unwrap_or(&0);
        let first = name.clone();
        while seen.contains_key(&name.to_lowercase()) {
            number += 1;
            *name = format!("{first}-{}", number + 1);
        }
        seen.insert(name.to_lowercase(), number);
    }
    names
}

/// The name under which the file was handed in, without what the system has put before it: a source
/// file of Java must have its own.
pub(crate) fn own_name(file: &Path) -> String {
    let name = file_name(file);
    let own = canvas(&name).map(|(_, own)| own.to_owned()).or_else(|| {
        let (_, rest) = name.split_once(MOODLE)?;
        rest.split_once('_').map(|(_, own)| own.to_owned())
    });
    own.filter(|own| !own.is_empty()).unwrap_or(name)
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name without what says which kind of file it is.
fn stem(name: &str) -> &str {
    let end = ENDS.iter().find_map(|end| name.strip_suffix(end));
    let stem = end.or_else(|| {
        let (stem, end) = name.rsplit_once('.')?;
        let is_end = (1..=5).contains(&end.len()) && end.bytes().all(|c| c.is_ascii_alphanumeric());
        is_end.then_some(stem)
    });
    stem.filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// The student's part of a name, in the manner of Canvas (`leeann_LATE_123_456_prog.zip`), Moodle
/// (`Ann Lee_123_assignsubmission_file_prog.zip`) or Blackboard (`hw2_leeann_attempt_2026-...`).
fn student(name: &str) -> Option<&str> {
    if let Some((before, _)) = name.split_once(MOODLE) {
        let (student, number) = before.strip_suffix('_')?.rsplit_once('_')?;
        return is_number(number).then_some(student);
    }
    if let Some((before, _)) = name.split_once(BLACKBOARD) {
        return before.rsplit_once('_').map(|(_, student)| student);
    }
    canvas(name).map(|(student, _)| student)
}

/// The student's part of a name of Canvas, and that of the file.
fn canvas(name: &str) -> Option<(&str, &str)> {
    let (student, rest) = name.split_once('_')?;
    let rest = rest.strip_prefix(LATE).and_then(|rest| rest.strip_prefix('_')).unwrap_or(rest);
    let (person, rest) = rest.split_once('_')?;
    let (number, file) = rest.split_once('_')?;
    (!student.is_empty() && is_number(person) && is_number(number)).then_some((student, file))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name as one of a folder that may stand in a command, a table or an address.
fn fit(name: &str) -> String {
    let is_fit = |c: char| c.is_alphanumeric() || " ._-+@'(),&#".contains(c);
    let name: String =
        name.chars().map(|c| if is_fit(c) { c } else { '_' }).take(LONGEST).collect();
    let name = name.trim();
    if name.is_empty() || name.starts_with(['.', '-', '+', '@', '\'', '#']) {
        return format!("_{name}");
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return format!("{name}_");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str]) -> Vec<String> {
        submission_names(&files.iter().map(Path::new).collect::<Vec<_>>())
    }

    #[test]
    fn students_are_named_as_their_systems_name_them() {
        for (file, name) in [
            ("zips/ann.zip", "ann"),
            ("ann.tar.gz", "ann"),
            ("leeann_12345_678901_prog-2.zip", "leeann"),
            ("leeann_LATE_12345_678901_prog 2.zip", "leeann"),
            ("Ann Lee_123456_assignsubmission_file_prog2.zip", "Ann Lee"),
            ("Ann Lee_123456_assignsubmission_file_", "Ann Lee"),
            ("hw2_leeann_attempt_2026-10-04-23-50-10_prog.zip", "leeann"),
            ("submission_987654321", "submission_987654321"),
            ("programming2_v1.2", "programming2_v1"),
            ("O'Neil.zip", "O'Neil"),
            ("=cmd|' -C calc'!A0.zip", "_cmd_' -C calc'_A0"),
            ("--out.zip", "_--out"),
            ("{start}.zip", "_start_"),
            ("history.zip", "history_"),
            ("..zip", "_."),
        ] {
            assert_eq!(names(&[file]), [name], "{file}");
        }
    }

    #[test]
    fn no_two_have_the_same_name() {
        assert_eq!(
            names(&[
                "ann_1_2_a.zip",
                "ann_1_3_b.zip",
                "bob.zip",
                "bob.tar.gz",
                "x/bob.zip",
                "carl.zip"
            ]),
            ["ann_1_2_a", "ann_1_3_b", "bob.zip", "bob.tar.gz", "bob.zip-2", "carl"]
        );
        assert_eq!(names(&["Ann.zip", "ann.zip"]), ["Ann.zip", "ann.zip-2"]);
    }

    #[test]
    fn lone_file_has_its_own_name() {
        for (file, name) in [
            ("leeann_12345_678901_maxconnect4.py", "maxconnect4.py"),
            ("Ann Lee_12_assignsubmission_file_Main.java", "Main.java"),
            ("maxconnect4.py", "maxconnect4.py"),
        ] {
            assert_eq!(own_name(Path::new(file)), name);
        }
    }
}
