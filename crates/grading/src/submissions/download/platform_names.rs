//! The names that learning platforms give to files and folders, and the facts in them.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use plyground_host::external::{HandedIn, Platform};
use unicode_normalization::UnicodeNormalization;

/// The role of a file or folder in a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A file of a student, with its name without the platform's additions.
    File(String),
    /// A folder with the files of a student.
    Folder,
    /// A file or folder of the platform about a student.
    Receipt,
    /// A file of the platform about all students.
    Table,
}

/// A file or folder of a download, with the facts in its name.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) platform: Platform,
    /// The student, as in the name.
    pub(super) student: String,
    /// The number or the login of the student on the platform.
    pub(super) id: String,
    /// The facts about the student.
    pub(super) facts: HandedIn,
    /// The time of the attempt by the platform's clock, as `2025-11-20T23:59:00`.
    pub(super) time: Option<String>,
    /// The number of the file, which grows with time.
    pub(super) order: u64,
    pub(super) late: bool,
    pub(super) part: Part,
}

impl Entry {
    /// Returns the platform and the number, login or address of the student there, in a form in which no name
    /// can be a part of it.
    pub(super) fn number(&self) -> String {
        let id = self.id.replace('\\', r"\\").replace(' ', r"\ ");
        let platform = format!("{:?}", self.platform).to_lowercase();
        self.folded(&format!("{platform} {id}"))
    }

    /// Returns a key without regard to case; marks of students whose names are hidden may differ by it.
    fn folded(&self, key: &str) -> String {
        let key = key.trim_end();
        let is_hidden = self.platform == Platform::Canvas && self.student == self.id;
        if is_hidden { key.to_owned() } else { key.to_lowercase() }
    }

    /// Returns true if the entry is an address that was handed in.
    pub(super) fn is_address(&self) -> bool {
        let name = file_name(&self.path);
        let is_receipt = self.platform == Platform::Canvas && self.part == Part::Receipt;
        is_receipt && name.rsplit('_').next() == Some(ADDRESS)
    }

    /// Returns the identity of the student, which is the same in every download of the platform. Two courses
    /// may use the same number, and several people may give their files names like those of Canvas: the name
    /// tells such people apart.
    pub(super) fn key(&self) -> String {
        let name = if self.student == self.id { "" } else { self.student.as_str() };
        self.folded(&format!("{} {name}", self.number())).nfc().collect()
    }

    /// Returns the identity in classes that earlier versions have prepared.
    pub(super) fn old_key(&self) -> String {
        let name = if self.platform == Platform::Canvas { self.student.as_str() } else { "" };
        format!("{:?} {} {name}", self.platform, self.id).trim_end().to_lowercase()
    }

    /// Returns the entry as an entry of the student with this login.
    pub(super) fn with_login(mut self, login: &str) -> Entry {
        self.facts.login = login.to_owned();
        Entry { student: login.to_owned(), id: login.to_owned(), ..self }
    }

    /// Returns true if the download tells no time of a submission: the times of its files are those of the download, or
    /// may be.
    pub(super) fn has_no_time(&self) -> bool {
        use Platform::{Autolab, Canvas, Moodle, Sakai};
        [Autolab, Canvas, Moodle, Sakai].contains(&self.platform)
    }
}

/// The ends of names that tell the kind of a file.
const ENDS: [&str; 11] = [
    ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tar", ".zip", ".jar", ".gz", ".ZIP", ".7z", ".rar",
];

/// The part between the name of a student and the file in Moodle.
const MOODLE: &str = "_assignsubmission_";

/// The part between the name of a student and the time in Blackboard.
const BLACKBOARD: &str = "_attempt_";

/// The mark of a late submission in Canvas.
const LATE: &str = "LATE";

/// The word before the number of a question in a quiz of Canvas.
const QUESTION: &str = "question";

/// The word before the mark of a student whose name Canvas hides.
const ANONYMOUS: &str = "anon";

/// The name that Canvas gives a text that was typed in.
const TYPED: &str = "text.html";

/// The name that Canvas gives an address that was handed in.
const ADDRESS: &str = "link.html";

/// The tables of Sakai beside the folders of the students.
const TABLES: [&str; 2] = ["grades.csv", "grades.xls"];

/// Returns the entry of a file or folder of this name; `None` if no platform named it.
pub(super) fn parse(path: &Path, is_folder: bool) -> Option<Entry> {
    readings(path, is_folder).next()
}

/// Returns the entries of a file or folder of this name by all platforms that may have named it.
pub(super) fn readings(path: &Path, is_folder: bool) -> impl Iterator<Item = Entry> {
    let name = file_name(path);
    let readings = blackboard(&name)
        .into_iter()
        .chain(moodle(&name, is_folder))
        .chain(brightspace(&name, is_folder))
        .chain(sakai(&name, is_folder))
        .chain(canvas(&name))
        .chain(autolab(&name));
    let readings: Vec<Entry> = readings.collect();
    readings.into_iter().map(|found| Entry { path: path.to_owned(), ..found })
}

/// Returns the name of a lone file without the prefix of a platform, because a Java source file must have
/// its own name.
pub(crate) fn own_name(path: &Path) -> String {
    match parse(path, false).map(|entry| entry.part) {
        Some(Part::File(name)) if !name.is_empty() => name,
        _ => file_name(path),
    }
}

/// Returns true if a platform has given a folder its name, and its files their times.
pub(crate) fn is_platform_folder(path: &Path) -> bool {
    parse(path, true).is_some_and(|entry| entry.part == Part::Folder)
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name without the end that tells the kind of the file.
pub(crate) fn stem(name: &str) -> &str {
    let end = ENDS.iter().find_map(|end| name.strip_suffix(end));
    let stem = end.or_else(|| {
        let (stem, end) = name.rsplit_once('.')?;
        let is_end = (1..=5).contains(&end.len()) && end.bytes().all(|c| c.is_ascii_alphanumeric());
        is_end.then_some(stem)
    });
    stem.filter(|stem| !stem.is_empty()).unwrap_or(name)
}

fn entry(platform: Platform, student: &str, id: &str, part: Part) -> Entry {
    let (student, id) = (student.trim().to_owned(), id.to_owned());
    let facts = match platform {
        // Canvas writes a name without blanks, the family name first.
        Platform::Canvas => HandedIn { id: id.clone(), ..HandedIn::default() },
        Platform::Blackboard => HandedIn { login: id.clone(), ..HandedIn::default() },
        Platform::Sakai => {
            HandedIn { name: student.clone(), login: id.clone(), ..HandedIn::default() }
        }
        Platform::Autolab => HandedIn { email: id.clone(), ..HandedIn::default() },
        _ => HandedIn { name: student.clone(), id: id.clone(), ..HandedIn::default() },
    };
    Entry {
        path: PathBuf::new(),
        platform,
        student,
        id,
        facts: HandedIn { platform: Some(platform), ..facts },
        time: None,
        order: 0,
        late: false,
        part,
    }
}

/// Parses `leeann_LATE_123_456_prog-1.zip`, or `leeann_123_text.html` for a text that was typed in. The name
/// of a group may have `_` and numbers in it, and so may the name of the file: every reading of the first
/// numbers in a row is returned.
fn canvas(name: &str) -> Vec<Entry> {
    if let Some(found) = anonymous(name) {
        return vec![found];
    }
    let parts: Vec<&str> = name.split('_').collect();
    let readings = (1..parts.len()).map(|at| canvas_part(&parts[..at], &parts[at..]));
    readings.skip_while(Option::is_none).map_while(|reading| reading).collect()
}

fn canvas_part(before: &[&str], rest: &[&str]) -> Option<Entry> {
    let (late, before) = match before {
        [student @ .., late] if late.eq_ignore_ascii_case(LATE) && !student.is_empty() => {
            (true, student)
        }
        _ => (false, before),
    };
    let (person, rest) = match rest {
        // The number of a question of a quiz is no student's.
        [person, QUESTION, question, rest @ ..] if is_number(question) => (person, rest),
        [person, rest @ ..] => (person, rest),
        [] => return None,
    };
    let (student, file) = (before.join("_"), canvas_file(rest));
    // Canvas leaves signs out of names, and Autolab begins with an address.
    let file = file.filter(|_| !student.contains('@'));
    // Other people write short numbers into names of several words, too.
    let is_plain =
        before.len() > 1 && file.as_ref().is_some_and(|(order, _)| (1..100).contains(order));
    // Canvas writes no number between other words of a name.
    let has_inner = before.iter().skip(1).rev().skip(1).any(|word| is_number(word));
    let is_plain = is_plain || has_inner;
    let (order, part) = file.filter(|_| is_number(person) && !student.is_empty() && !is_plain)?;
    Some(Entry { late, order, ..entry(Platform::Canvas, &student, person, part) })
}

/// Returns the number and the part in the end of a name of Canvas, behind the student.
fn canvas_file(parts: &[&str]) -> Option<(u64, Part)> {
    match parts {
        [TYPED | ADDRESS] => Some((0, Part::Receipt)),
        [number, file @ ..] if is_number(number) => {
            let number = number.parse().unwrap_or(u64::MAX);
            match file.join("_") {
                file if file.is_empty() => None,
                // Some versions of Canvas write a number before the name of such a text, too.
                file if file == TYPED => Some((number, Part::Receipt)),
                file => Some((number, Part::File(file))),
            }
        }
        _ => None,
    }
}

/// Parses `LATE_anon_aB3xQ_456_prog.zip`, as Canvas names the files of students whose names it hides. The
/// mark of the student may consist of digits, and is not the student's number.
fn anonymous(name: &str) -> Option<Entry> {
    let parts: Vec<&str> = name.split('_').collect();
    let (late, parts) = match parts.as_slice() {
        [LATE, rest @ ..] => (true, rest),
        parts => (false, parts),
    };
    let [ANONYMOUS, mark, rest @ ..] = parts else { return None };
    let (order, part) = canvas_file(rest)?;
    let student = format!("{ANONYMOUS}_{mark}");
    let is_mark = !mark.is_empty() && mark.bytes().all(|c| c.is_ascii_alphanumeric());
    let found = entry(Platform::Canvas, &student, &student, part);
    is_mark.then(|| Entry { late, order, facts: HandedIn::default(), ..found })
}

/// Returns the part of a name of Blackboard before the time: the title of the assignment and the login.
pub(super) fn before_time(name: &str) -> Option<&str> {
    name.split_once(BLACKBOARD).map(|(before, _)| before)
}

/// Parses `Homework 2_leeann_attempt_2026-10-04-23-50-10_prog.zip`, or a receipt without the file.
fn blackboard(name: &str) -> Option<Entry> {
    let (before, rest) = name.split_once(BLACKBOARD)?;
    let (_, student) = before.rsplit_once('_').unwrap_or(("", before));
    let (time, rest) = rest.split_at_checked("2026-10-04-23-50-10".len())?;
    let part = match rest {
        ".txt" => Part::Receipt,
        file => Part::File(file.strip_prefix('_').filter(|file| !file.is_empty())?.to_owned()),
    };
    let time = DateTime::strptime("%Y-%m-%d-%H-%M-%S", time).ok()?;
    let found = entry(Platform::Blackboard, student, student, part);
    (!student.is_empty()).then(|| Entry { time: Some(time.to_string()), ..found })
}

/// Parses `Ann Lee_123_assignsubmission_file_prog.zip`, or a folder of that name without the file. The
/// separator may also occur in the name of the student or of the file, so every reading is returned. The
/// name of a folder has no name of a file, so only the last reading is right.
fn moodle(name: &str, is_folder: bool) -> Vec<Entry> {
    let parts = name.match_indices(MOODLE);
    let readings = parts.map(|(at, part)| (&name[..at], &name[at + part.len()..]));
    let mut readings: Vec<Entry> =
        readings.filter_map(|(before, rest)| moodle_part(before, rest, is_folder)).collect();
    if is_folder {
        readings.drain(..readings.len().saturating_sub(1));
    }
    let whole = name.split_once(MOODLE).filter(|_| readings.is_empty());
    readings.extend(whole.and_then(|(group, rest)| moodle_group(group, rest, is_folder)));
    readings
}

/// Returns the entry of a group without a number: the default group of the course.
fn moodle_group(group: &str, rest: &str, is_folder: bool) -> Option<Entry> {
    let found = moodle_part(&format!("{group}_0"), rest, is_folder)?;
    let facts = HandedIn { id: String::new(), ..found.facts };
    (!group.is_empty()).then(|| Entry { id: group.to_owned(), facts, ..found })
}

fn moodle_part(before: &str, rest: &str, is_folder: bool) -> Option<Entry> {
    let (student, number) = before.rsplit_once('_')?;
    let (kind, file) = rest.split_once('_').unwrap_or((rest, ""));
    let part = match (kind, is_folder) {
        ("file", true) => Part::Folder,
        ("file", false) if !file.is_empty() => Part::File(file.to_owned()),
        _ => Part::Receipt,
    };
    is_number(number).then(|| entry(Platform::Moodle, student, number, part))
}

/// Parses a folder `123-456 - Ann Lee - Nov 20, 2025 1159 PM`, or a file with ` - prog.zip` at the end. The
/// list `index.html` is about all students. The separator may also occur in the name of the student or of the file, so
/// every reading with a time is returned. The name of a folder ends with its time.
fn brightspace(name: &str, is_folder: bool) -> Vec<Entry> {
    const BETWEEN: &str = " - ";
    if name == "index.html" && !is_folder {
        return vec![entry(Platform::Brightspace, "", "", Part::Table)];
    }
    let Some((numbers, rest)) = name.split_once(BETWEEN) else { return Vec::new() };
    let person = numbers.split_once('-').filter(|(person, it)| is_number(person) && is_number(it));
    let Some((person, _)) = person else { return Vec::new() };
    let words: Vec<&str> = rest.split(BETWEEN).collect();
    let reading = |at: usize| {
        let part = match (is_folder, words[at + 1..].join(BETWEEN)) {
            (true, file) if file.is_empty() => Part::Folder,
            (false, file) if !file.is_empty() => Part::File(file),
            _ => return None,
        };
        let found = entry(Platform::Brightspace, &words[..at].join(BETWEEN), person, part);
        let is_entry = !found.student.is_empty();
        is_entry.then(|| Entry { time: brightspace_time(words[at]), ..found })
    };
    let readings: Vec<Entry> = (1..words.len()).filter_map(reading).collect();
    let (timed, others): (Vec<Entry>, Vec<Entry>) =
        readings.into_iter().partition(|entry| entry.time.is_some());
    // A time of another form is known by its place alone.
    if timed.is_empty() { others.into_iter().take(1).collect() } else { timed }
}

/// Returns `Nov 20, 2025 1159 PM` or `20 November, 2025 1159 PM` in the form of the other tables.
fn brightspace_time(text: &str) -> Option<String> {
    const FORMS: [&str; 4] =
        ["%b %d, %Y %I%M %p", "%d %B, %Y %I%M %p", "%B %d, %Y %I%M %p", "%d %b, %Y %I%M %p"];
    // An hour of one digit has no zero before it.
    let (day, clock) = text.rsplit_once(", ")?;
    let mut words = clock.split(' ');
    let (year, time, half) = (words.next()?, words.next()?, words.next()?);
    let text = format!("{day}, {year} {time:0>4} {half}");
    let found = FORMS.iter().find_map(|form| DateTime::strptime(form, &text).ok());
    found.map(|time| time.to_string())
}

/// Parses a folder `Lee, Ann(alee)`, or a table about all students.
pub(super) fn sakai(name: &str, is_folder: bool) -> Option<Entry> {
    if !is_folder {
        let is_table = TABLES.contains(&name);
        return is_table.then(|| entry(Platform::Sakai, "", "", Part::Table));
    }
    let (person, login) = name.strip_suffix(')')?.rsplit_once('(')?;
    let (last, first) = person.split_once(", ")?;
    let is_login = !login.is_empty() && !login.contains(' ') && !person.ends_with(' ');
    is_login.then(|| entry(Platform::Sakai, &format!("{first} {last}"), login, Part::Folder))
}

/// Parses `alee@school.edu_2_prog.zip`, the second version of a file.
fn autolab(name: &str) -> Option<Entry> {
    let at = name.find('@').filter(|at| *at > 0)?;
    let (domain, rest) = name[at..].split_once('_')?;
    let (version, file) = rest.split_once('_').filter(|(_, file)| !file.is_empty())?;
    let (email, part) = (&name[..at + domain.len()], Part::File(file.to_owned()));
    let is_address = domain.contains('.') && !email.contains(' ') && is_number(version);
    let order = version.parse().unwrap_or(u64::MAX);
    is_address.then(|| Entry { order, ..entry(Platform::Autolab, email, email, part) })
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A file or folder that was handed in, and its name without the platform's additions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
}

/// The words before the number of an attempt in the names of folders: those of Schoology and of Teams.
const NUMBERED_ATTEMPTS: [&str; 2] = ["Revision ", "Version "];

/// Returns the number in the name of a folder with an attempt, such as `Revision 2 - Late` or `Version 2`.
pub(crate) fn attempt_number(name: &str) -> Option<u64> {
    let rest = NUMBERED_ATTEMPTS.iter().find_map(|word| name.strip_prefix(word))?;
    let (number, mark) =
        rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    number.parse().ok().filter(|_| mark.is_empty() || mark.starts_with(" - "))
}

/// Returns true if a path leads to a folder, and not to a link to a folder.
pub(super) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_of_all_platforms_are_read() {
        use Part::{Folder, Receipt, Table};
        let file = |name: &str| Part::File(name.to_owned());
        for (name, is_folder, student, id, part) in [
            ("leeann_12_345_prog-2.zip", false, "leeann", "12", file("prog-2.zip")),
            ("leeann_LATE_12_345_a_b.c", false, "leeann", "12", file("a_b.c")),
            ("leeann_12_text.html", false, "leeann", "12", Receipt),
            ("leeann_12_345_text.html", false, "leeann", "12", Receipt),
            ("leeann_12_345_my_text.html", false, "leeann", "12", file("my_text.html")),
            ("leeann_LATE_12_link.html", false, "leeann", "12", Receipt),
            ("leeann_12_345_link.html", false, "leeann", "12", file("link.html")),
            ("team_alpha_12_345_p.zip", false, "team_alpha", "12", file("p.zip")),
            ("a_b_LATE_12_345_p_1_2_q.c", false, "a_b", "12", file("p_1_2_q.c")),
            ("lee-ann_12_question_5_345_p.c", false, "lee-ann", "12", file("p.c")),
            ("leeann_late_12_345_p.c", false, "leeann", "12", file("p.c")),
            ("team_alpha_12_text.html", false, "team_alpha", "12", Receipt),
            ("LATE_anon_aB3_345_p_1.c", false, "anon_aB3", "anon_aB3", file("p_1.c")),
            ("anon_12_345_p.zip", false, "anon_12", "anon_12", file("p.zip")),
            ("anon_12_text.html", false, "anon_12", "anon_12", Receipt),
            ("HW 2_ann_attempt_2026-10-04-23-50-10.txt", false, "ann", "ann", Receipt),
            ("HW 2_ann_attempt_2026-10-04-23-50-10_p.txt", false, "ann", "ann", file("p.txt")),
            ("Ann Lee_12_assignsubmission_file_", true, "Ann Lee", "12", Folder),
            ("Ann Lee_12_assignsubmission_file_p.zip", false, "Ann Lee", "12", file("p.zip")),
            ("Ann Lee_12_assignsubmission_onlinetext_", true, "Ann Lee", "12", Receipt),
            (
                "Default group_assignsubmission_file_",
                true,
                "Default group",
                "Default group",
                Folder,
            ),
            ("Group A_assignsubmission_onlinetext_", true, "Group A", "Group A", Receipt),
            ("12-9 - Ann Lee - Nov 20, 2025 1159 PM", true, "Ann Lee", "12", Folder),
            ("12-9 - Ann Lee - 4 May, 2025 759 AM - p.c", false, "Ann Lee", "12", file("p.c")),
            ("index.html", false, "", "", Table),
            ("Lee, Ann(alee)", true, "Ann Lee", "alee", Folder),
            ("grades.csv", false, "", "", Table),
            ("a_b@x.edu_1_2_p.c", false, "a_b@x.edu", "a_b@x.edu", file("2_p.c")),
        ] {
            let entry = parse(Path::new(name), is_folder).expect(name);
            assert_eq!((entry.student.as_str(), entry.id.as_str()), (student, id), "{name}");
            assert_eq!(entry.part, part, "{name}");
            assert_eq!(entry.late, name.to_lowercase().contains("late"), "{name}");
        }
        for name in [
            "ann.zip",
            "submission_987",
            "a_b_c.zip",
            "programming2_v1.2",
            "1_2.zip",
            "cs_hw_2_1_bob.zip",
            "Lee, Ann(alee)",
            "icon@2x_1_p.zip",
        ] {
            assert!(parse(Path::new(name), false).is_none(), "{name}");
        }
        let anonymous = ["anon_aB3_4_p.c", "anon_ab3_4_p.c", "anon_12_4_p.c", "ann_12_4_p.c"]
            .map(|name| parse(Path::new(name), false).expect("an entry"));
        let keys: BTreeSet<String> = anonymous.iter().map(Entry::key).collect();
        assert_eq!(keys.len(), 4);
        // Classes that were prepared before have these keys.
        assert_eq!(anonymous[0].key(), "canvas anon_aB3");
        assert!(anonymous[..3].iter().all(|entry| entry.facts == HandedIn::default()));
    }

    #[test]
    fn times_of_platforms_are_read() {
        for (text, time) in [
            ("Nov 20, 2025 1159 PM", "2025-11-20T23:59:00"),
            ("20 November, 2025 759 AM", "2025-11-20T07:59:00"),
        ] {
            assert_eq!(brightspace_time(text).as_deref(), Some(time));
        }
        let first = "Nov 19, 2025 100 PM";
        let then = "Nov 25, 2025 1159 PM";
        for (name, is_folder, readings) in [
            (format!("1-2 - Bo - Ray - {then}"), true, &[("Bo - Ray", "11-25")][..]),
            (format!("1-2 - Bo - Ray - {then} - a - b.py"), false, &[("Bo - Ray", "11-25")]),
            // A name with a time must not move the time of the platform.
            (
                format!("1-2 - Eve - {first} - {then} - a.py"),
                false,
                &[("Eve", "11-19"), (&format!("Eve - {first}"), "11-25")],
            ),
            ("1-2 - Ann - gestern - a.py".to_owned(), false, &[("Ann", "")]),
        ] {
            let found = brightspace(&name, is_folder);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|it| (&*it.student, it.time.as_deref().map_or("", |time| &time[5..10])))
                .collect();
            assert_eq!(found, readings, "{name}");
        }
        let entry = parse(Path::new("h_a_attempt_2026-10-04-23-50-10_p.c"), false).expect("a file");
        assert_eq!(entry.time.as_deref(), Some("2026-10-04T23:50:10"));
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
