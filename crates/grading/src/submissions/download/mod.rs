//! The download of a learning platform, sorted into students and their attempts.
//!
//! Learning platforms put their facts into the names of files or folders, or into receipts beside the files.
//! [`students`] accepts the download of each platform, as one zip or unpacked, and also plain files and folders, each
//! of which is a submission.

mod attempts;
mod entries;
mod metadata;
mod platform_names;
mod student_names;

use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use plyground_host::external::{HandedIn, Platform};

use self::attempts::{numbered, of_attempts, of_group};
use self::metadata::Tables;
use self::platform_names::{Entry, Part, before_time, file_name, is_folder, readings};
use self::student_names::{FILE, Unnamed};
use crate::submissions::PrepareError;
use crate::submissions::file_kind::{
    Language, folder_of, included, is_called_archive, is_header, is_of_build_tool,
};
use crate::submissions::files::SourceReader;
use crate::submissions::limited_folder::UnpackLimits;

pub use attempts::Choice;
pub(crate) use entries::{check, clean, followed};
pub(crate) use platform_names::{Item, attempt_number, is_platform_folder, own_name, stem};
pub(crate) use student_names::{NamesToKeep, Student};

/// Returns the students in these files and folders, with the attempts that count, and the names to keep if the download
/// is accepted. Zips of a platform are unpacked below `out`, where the names of earlier runs are kept, too. With
/// `keep`, no student takes the place of a student who is not in the download. `program` is the name of the program in
/// the assignment. Adds messages for a person to `warnings`.
///
/// # Errors
///
/// Returns an error if there are no files, if a file cannot be read, or if the table of a platform is
/// damaged.
pub(crate) fn students(
    sources: &[PathBuf],
    out: &Path,
    (choice, program): (Choice, &str),
    limits: UnpackLimits,
    keep: bool,
    warnings: &mut Vec<String>,
) -> Result<(Vec<Student>, NamesToKeep), PrepareError> {
    let mut found = entries::entries(sources, out, limits, keep, warnings)?;
    let platforms = Platforms::of(&found.paths);
    let mut groups: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    let (mut unnamed, mut lone) = (Vec::new(), Vec::new());
    let tables = Tables::of(&found.paths)?;
    let classrooms = found.paths.iter().filter(|path| classroom_login(path).is_some());
    let classrooms: BTreeSet<&Path> = classrooms.map(|path| folder_of(path)).collect();
    for path in &found.paths {
        let parsed = tables.entry(path).map_or_else(|| platforms.parse(path), |it| Ok(Some(it)));
        let entry = parsed.unwrap_or_else(|why| {
            found.faults.insert(path.clone(), why);
            None
        });
        match entry {
            Some(entry) if matches!(entry.part, Part::Table) => {}
            None if path.ends_with(ROSTER) && classrooms.contains(&folder_of(path)) => {}
            Some(entry) => groups.entry(entry.key()).or_default().push(entry),
            None => {
                lone.push(path.as_path());
                let (plain, numbered) =
                    (plain(path, &found.home(path, out)), numbered(path, program));
                match numbered {
                    Some((attempts, left_out)) => {
                        unnamed.extend(of_attempts(&plain, &attempts, &left_out, choice));
                    }
                    None => unnamed.push(plain),
                }
            }
        }
    }
    warnings.extend(sources.iter().filter_map(|source| one_submission(source, &lone)));
    // Two paths may lead to one file.
    let mut keys = BTreeSet::new();
    unnamed.retain(|it| keys.insert(it.key.clone()));
    for entries in groups.values() {
        unnamed.extend(of_group(entries, choice, program));
    }
    let (mut students, names) = student_names::named(unnamed, out, keep, warnings)?;
    for student in &mut students {
        let words = student.other_attempt.take();
        warnings.extend(words.map(|words| format!("{}: {words}", student.name)));
        for item in student.items.iter_mut().filter(|item| sources.contains(&item.path)) {
            item.path = entries::followed(&item.path);
        }
        let mut above = student.items.iter().flat_map(|item| item.path.ancestors());
        student.fault = above.find_map(|path| found.faults.get(path)).cloned();
    }
    Ok((students, names))
}

/// Returns the warning about a folder whose files look like those of one submission, although each counts as one: a
/// file of a build tool or a header that another file includes is among them. `lone` are the files and folders that no
/// platform has named.
fn one_submission(source: &Path, lone: &[&Path]) -> Option<String> {
    let files: Vec<&Path> =
        lone.iter().copied().filter(|path| path.parent() == Some(source)).collect();
    let names = LazyCell::new(|| {
        let texts = SourceReader::default();
        let sources = files.iter().filter(|file| Language::of(file).is_some());
        let names = sources.flat_map(|file| {
            let text = texts.text(file);
            let names = included(&text).filter_map(Path::file_name);
            names.map(OsStr::to_owned).collect::<Vec<_>>()
        });
        names.collect::<BTreeSet<OsString>>()
    });
    let is_of_project = |path: &Path| {
        let is_included = || path.file_name().is_some_and(|name| names.contains(name));
        is_of_build_tool(path) || is_header(path) && is_included()
    };
    let is_file = |path: &Path| !is_folder(path) && !is_called_archive(path);
    let is_one = files.len() > 1
        && files.iter().all(|path| is_file(path))
        && files.iter().any(|path| is_of_project(path));
    is_one.then(|| {
        format!(
            "{}: each file counts as a submission, but together they look like one: for one, name a folder that has \
             only this folder in it",
            source.display()
        )
    })
}

/// The names that platforms have given in each folder of a download.
///
/// A student of one platform can give a file a name that looks like a name of another platform, with another
/// student in it. All names of a folder come from the same platform, so the most frequent platform counts.
#[derive(Debug, Default)]
struct Platforms(BTreeMap<PathBuf, Names>);

/// The names that platforms have given in a folder.
#[derive(Debug, Default)]
struct Names {
    /// The number of names of each platform.
    counts: BTreeMap<Platform, usize>,
    /// The students in the names of Moodle and Brightspace with only one reading, by number.
    students: BTreeMap<String, BTreeSet<String>>,
    blackboard: Vec<Entry>,
    /// The title of the assignment of Blackboard, with `_` at the end.
    title: Option<String>,
    /// The numbers of each student of Canvas, by the first reading of the names.
    canvas: BTreeMap<String, BTreeSet<String>>,
    /// The addresses of students of Autolab.
    addresses: BTreeSet<String>,
}

/// The least number of numbers of one name that are a part of the name, as in `team_1` and `team_2`: so many students
/// of a course hardly have one name.
const NUMBERED: usize = 3;

impl Names {
    fn add(&mut self, readings: impl Iterator<Item = Entry>) {
        let mut by_platform: BTreeMap<Platform, Vec<Entry>> = BTreeMap::new();
        for entry in readings {
            by_platform.entry(entry.platform).or_default().push(entry);
        }
        for (platform, own) in by_platform {
            *self.counts.entry(platform).or_default() += 1;
            let Entry { student, id, .. } = own[0].clone();
            match platform {
                Platform::Moodle | Platform::Brightspace if own.len() == 1 => {
                    self.students.entry(id).or_default().insert(student);
                }
                Platform::Canvas => drop(self.canvas.entry(student).or_default().insert(id)),
                Platform::Autolab => drop(self.addresses.insert(id)),
                Platform::Blackboard => self.blackboard.extend(own),
                _ => {}
            }
        }
    }
}

impl Platforms {
    fn of(found: &[PathBuf]) -> Platforms {
        let mut folders: BTreeMap<PathBuf, Names> = BTreeMap::new();
        for path in found {
            folders
                .entry(folder_of(path).to_owned())
                .or_default()
                .add(readings(path, is_folder(path)));
        }
        for names in folders.values_mut() {
            names.title = metadata::title(&names.blackboard);
        }
        Platforms(folders)
    }

    /// Returns the entry of a file or folder by the platform of most names beside it.
    ///
    /// # Errors
    ///
    /// Returns the reason, as one line, if the file or folder may belong to several students.
    fn parse(&self, path: &Path) -> Result<Option<Entry>, String> {
        let Some(beside) = self.0.get(folder_of(path)) else { return Ok(None) };
        let readings: Vec<Entry> = readings(path, is_folder(path)).collect();
        let count = |entry: &&Entry| Reverse(beside.counts.get(&entry.platform));
        let Some(platform) = readings.iter().min_by_key(count).map(|it| it.platform) else {
            return Ok(metadata::single(path).map(handed_in));
        };
        // A student's own names may have an address in them.
        if platform == Platform::Autolab && beside.addresses.len() < 2 {
            return Ok(None);
        }
        let mut own: Vec<Entry> =
            readings.into_iter().filter(|entry| entry.platform == platform).collect();
        if platform == Platform::Canvas {
            let is_alone = beside.canvas.values().flatten().nth(1).is_none();
            // People name their files like this, too.
            if is_alone && own[0].student.contains('_') && own[0].student != own[0].id {
                return Ok(None);
            }
            // A file may have numbers in its name, and so may a group, but one student has one number.
            let numbers = beside.canvas.get(&own[0].student).map_or(0, BTreeSet::len);
            let at = usize::from(numbers >= NUMBERED && own.len() > 1);
            own = own.into_iter().skip(at).take(1).collect();
        }
        if own.len() > 1 {
            // The number of a student belongs to one name.
            own.retain(|entry| {
                let known = beside.students.get(&entry.id);
                known.is_none_or(|known| known.contains(&entry.student))
            });
            if own.len() != 1 {
                return Err("its name fits two students: rename the file".to_owned());
            }
        }
        let Some(entry) = own.pop() else { return Ok(None) };
        let name = file_name(path);
        let title = beside.title.as_deref().filter(|_| platform == Platform::Blackboard);
        let login = title.and_then(|title| before_time(&name)?.strip_prefix(title));
        Ok(Some(match login.filter(|login| !login.is_empty()) {
            Some(login) => entry.with_login(login),
            None => handed_in(entry),
        }))
    }
}

/// The table of the students of GitHub Classroom, which teachers put beside the repositories.
const ROSTER: &str = "classroom_roster.csv";

/// Returns the login of a student of GitHub Classroom, whose repository `hw2-LOGIN` is in the folder
/// `hw2-submissions`, where `gh classroom clone student-repos` puts it.
fn classroom_login(path: &Path) -> Option<String> {
    let (folder, repository) = (file_name(path.parent()?), file_name(path));
    is_folder(path).then(|| login_in(&folder, &repository).map(str::to_owned))?
}

fn login_in<'a>(folder: &str, repository: &'a str) -> Option<&'a str> {
    let assignment = folder.strip_suffix("-submissions")?;
    let login = repository.strip_prefix(assignment)?.strip_prefix('-')?;
    (!login.is_empty()).then_some(login)
}

/// Returns the submission of a file or folder that no platform named, in this folder or zip.
fn plain(path: &Path, home: &str) -> Unnamed {
    let file = file_name(path);
    let item = Item { path: path.to_owned(), name: file.clone() };
    let login = classroom_login(path);
    let handed_in = HandedIn {
        login: login.clone().unwrap_or_default(),
        attempt: 1,
        attempts: 1,
        taken: vec![file.clone()],
        ..HandedIn::default()
    };
    Unnamed {
        key: format!("{FILE}{home}/{file}"),
        old_key: format!("{FILE}{file}"),
        number: String::new(),
        wanted: login.into_iter().chain([stem(&file).to_owned(), file]).collect(),
        student: Student { items: vec![item], handed_in, ..Student::default() },
    }
}

/// Returns the entry of the files that were handed in, without those of the platform.
fn handed_in(entry: Entry) -> Entry {
    metadata::inner(entry, |folder| entries::inside(folder).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixtures;

    /// Returns the students in these sources, and the warnings.
    pub(super) fn students_in(
        sources: &[PathBuf],
        out: &Path,
    ) -> Result<(Vec<Student>, Vec<String>), PrepareError> {
        let (limits, mut warnings) = (UnpackLimits::default(), Vec::new());
        let choice = (Choice::Last, "p");
        let (found, names) = students(sources, out, choice, limits, false, &mut warnings)?;
        names.write()?;
        Ok((found, warnings))
    }

    /// Returns the students in a folder with these files, and the warnings.
    pub(super) fn students_of(
        tree: &[(impl AsRef<str>, &str)],
    ) -> Result<(Vec<Student>, Vec<String>), PrepareError> {
        let (folder, out) = (fixtures::folder(tree), fixtures::folder(&[("x", "")]));
        students_in(&[folder.path().to_owned()], out.path())
    }

    #[test]
    fn folder_with_one_submission_is_told_from_a_class() -> Result<(), PrepareError> {
        let includes = "#include \"board.h\"\n";
        let warns = |tree: &[(&str, &str)]| -> Result<bool, PrepareError> {
            let (_, warnings) = students_of(tree)?;
            Ok(warnings.iter().any(|it| it.contains("together they look like one")))
        };
        for tree in [
            &[("main.cpp", includes), ("board.h", "")][..],
            &[("main.c", ""), ("Makefile", "all:\n")],
        ] {
            assert!(warns(tree)?, "{tree:?}");
        }
        for tree in [
            &[("ann.cpp", "#include <vector>\n"), ("bob.cpp", ""), ("bob.h", "")][..],
            &[("ann_1_2_main.cpp", includes), ("ann_1_2_board.h", ""), ("bob_3_4_p.c", "")],
            &[("ann/main.cpp", includes), ("Makefile", "all:\n")],
            &[("Makefile", "all:\n")],
        ] {
            assert!(!warns(tree)?, "{tree:?}");
        }
        Ok(())
    }

    /// Returns the student and the number of each file that a platform has named; one of them if they are equal.
    fn named(files: &[impl AsRef<Path>]) -> Vec<String> {
        let files: Vec<PathBuf> = files.iter().map(|it| it.as_ref().to_owned()).collect();
        let platforms = Platforms::of(&files);
        let entries = files.iter().filter_map(|file| platforms.parse(file).ok()?);
        let words = entries.map(|Entry { student, id, .. }| match student == id {
            true => id,
            false => format!("{student} {id}"),
        });
        words.collect()
    }

    /// The names of groups of Canvas have numbers in them, and so do the files of a student.
    #[test]
    fn numbers_of_canvas_are_told_from_those_in_names() {
        // A student of Canvas gives a file a name of Blackboard with another student in it.
        let blackboard = "ann_1_2_hw_bob_attempt_2026-10-04-23-50-10_p.zip";
        let files = [blackboard, "bob_3_4_p.zip", "carl_5_6_p.zip"];
        assert_eq!(named(&files), ["ann 1", "bob 3", "carl 5"]);
        let groups = [
            "team_1_205_9105_x.zip",
            "team_2_206_9106_x.zip",
            "a_b_207_9107_x.zip",
            "team_3_208_text.html",
        ];
        assert_eq!(named(&groups), ["team_1 205", "team_2 206", "a_b 207", "team_3 208"]);
        // Students write their numbers into the names of their files.
        let numbered = ["ann_101_9101_1001_p.zip", "bob_102_9102_1002_p.zip"];
        assert_eq!(named(&numbered), ["ann 101", "bob 102"]);
        // The class names its files by itself.
        let own = ["hw_max_connect_4_1001_lee.zip", "hw_max_connect_4_1002_ray.zip"];
        assert_eq!(named(&own), [""; 0]);
        let attack =
            ["ann_101_9001_205_9105_x.zip", "ann_101_9001_3_4_x.zip", "bob_205_9105_x.zip"];
        assert_eq!(named(&attack), ["ann 101", "ann 101", "bob 205"]);
        let longer = ["ann_101_9001_205_91050_x.zip", "bob_205_9105_x.zip"];
        assert_eq!(named(&longer), ["ann 101", "bob 205"]);
    }

    #[test]
    fn names_with_one_address_are_not_those_of_autolab() {
        assert_eq!(named(&["a@x.edu_1_board.py", "a@x.edu_2_player.py"]), [""; 0]);
        assert_eq!(named(&["a@x.edu_1_p.py", "b@x.edu_1_p.py"]), ["a@x.edu", "b@x.edu"]);
    }

    /// The name of a student or of a file has the separator that Moodle puts between the two.
    #[test]
    fn name_with_the_part_of_moodle_is_no_other_student() {
        let student = |files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let platforms = Platforms::of(&files);
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
        fs::create_dir(&place).expect("a folder");
        let found = student(&[place.to_str().expect("a path")]);
        assert_eq!(found, of("Bob_12_assignsubmission_file_", "9"));
    }

    #[test]
    fn repositories_of_github_classroom_have_logins() -> Result<(), Box<dyn std::error::Error>> {
        let class = tempfile::tempdir()?;
        let place = |path: &str| class.path().join(path);
        for name in ["hw2-a-lee", "hw2-bob", "hw3-carl"] {
            fixtures::write(&place("in/hw2-submissions").join(name), "p.c", "");
        }
        fixtures::write(&place("in/hw2-submissions"), ROSTER, "");
        fs::create_dir(place("out"))?;
        let (found, _) = students_in(&[place("in/hw2-submissions")], &place("out"))?;
        let found: Vec<_> =
            found.iter().map(|it| [it.name.as_str(), it.handed_in.login.as_str()]).collect();
        assert_eq!(found, [["a-lee", "a-lee"], ["bob", "bob"], ["hw3-carl", ""]]);
        Ok(())
    }

    #[test]
    fn logins_of_blackboard_may_have_lines_in_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |login: &str, end: &str| {
            folder.path().join(format!("HW_2_{login}_attempt_2026-10-04-23-50-10{end}"))
        };
        let (j_smith, smith) = (file("j_smith", "_p.zip"), file("smith", "_p.zip"));
        assert_eq!(named(&[&j_smith, &smith]), ["j_smith", "smith"]);
        // A receipt tells the login of one alone.
        let receipt = file("j_smith", ".txt");
        fs::write(&receipt, "Name: Jo Smith (j_smith)\n").expect("a file");
        assert_eq!(named(&[j_smith, receipt]), ["j_smith", "j_smith"]);
    }

    /// The same files keep their names, in whatever order and beside whatever others the sources are given.
    #[test]
    fn file_is_known_by_its_folder_or_zip() -> Result<(), Box<dyn std::error::Error>> {
        let class = tempfile::tempdir()?;
        let place = |path: &str| class.path().join(path);
        for file in ["s1/ann.zip", "s2/ann.zip", "s2/zoe.zip", "s3/ann.zip 2"] {
            fixtures::write(class.path(), file, "");
        }
        for name in ["a.zip", "b.zip"] {
            fs::write(place(name), fixtures::zip(&[("eve.zip", ""), ("leo.zip", "")]))?;
        }
        fs::create_dir(place("out"))?;
        let found = |sources: &[&str]| -> Result<Vec<(String, String)>, PrepareError> {
            let sources: Vec<PathBuf> = sources.iter().map(|path| place(path)).collect();
            let (found, warnings) = students_in(&sources, &place("out"))?;
            assert_eq!(warnings, Vec::<String>::new());
            let folder = |it: &Student| file_name(folder_of(&it.items[0].path));
            Ok(found.into_iter().map(|it| (it.name.clone(), folder(&it))).collect())
        };
        let of = |names: &[(&str, &str)]| -> Vec<(String, String)> {
            names.iter().map(|(name, folder)| ((*name).into(), (*folder).into())).collect()
        };
        assert_eq!(found(&["s2"])?, of(&[("ann", "s2"), ("zoe", "s2")]));
        let all = [("ann", "s2"), ("ann.zip", "s1"), ("ann.zip 2", "s3"), ("zoe", "s2")];
        assert_eq!(found(&["s1", "s2", "s3", "out/../s1"])?, of(&all));
        assert_eq!(found(&["s1"])?, of(&[("ann.zip", "s1")]));
        assert_eq!(found(&["b.zip"])?, of(&[("eve", "1"), ("leo", "1")]));
        let both = [("eve", "2"), ("eve.zip", "1"), ("leo", "2"), ("leo.zip", "1")];
        assert_eq!(found(&["a.zip", "b.zip"])?, of(&both));
        Ok(())
    }
}
