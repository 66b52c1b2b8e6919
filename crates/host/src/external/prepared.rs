//! Submissions in any language that were made ready to play.

use std::path::{Component, Path, PathBuf, absolute};
use std::{fmt, fs, io};

use plyground_durable::input::{TomlError, TomlFile};
use plyground_durable::output::write_whole;
use plyground_durable::{FileError, excerpt};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The file that records how a submission is started.
const FILE: &str = "plyground.toml";
/// The folder with the files that were handed in and the files built from them. The program sees only this folder.
const PROGRAM: &str = "program";
/// The file with the output of the build.
const LOG: &str = "build.log";

/// The first line of the file.
const HEADING: &str = "# Written by `plyground submissions prepare`.\n";

/// The reason of a grade of 0 without a submission.
pub const NOTHING_HANDED_IN: &str = "nothing handed in";

/// A person who has handed in a submission, as a learning platform reports the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Submitter {
    /// The person's name.
    pub name: String,
    /// The number of the person on the platform.
    pub id: String,
    /// The name that the person logs in with.
    pub login: String,
    /// The person's address.
    pub email: String,
}

/// The learning platforms whose downloads are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// Canvas.
    Canvas,
    /// Blackboard.
    Blackboard,
    /// Moodle.
    Moodle,
    /// Brightspace.
    Brightspace,
    /// Gradescope.
    Gradescope,
    /// Sakai.
    Sakai,
    /// Autolab.
    Autolab,
}

/// The student of a submission and the attempt that counts, as a learning platform reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HandedIn {
    /// The student's name; for a group, the names with [`AND`] between them, as are the other facts.
    pub name: String,
    /// The number of the student on the platform.
    pub id: String,
    /// The name that the student logs in with.
    pub login: String,
    /// The student's address.
    pub email: String,
    /// If true, the platform marked the attempt as late.
    pub late: bool,
    /// The number of the attempt that was taken, from 1.
    pub attempt: usize,
    /// The number of attempts in the download.
    pub attempts: usize,
    /// The files that were taken, by their names.
    pub taken: Vec<String>,
    /// The files that were left out, with the reason.
    pub left_out: Vec<String>,
    /// The learning platform that named the files, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
    /// The student, or those of a group; none if the download does not tell them. This field is last, because it is
    /// a table of its own in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub submitters: Vec<Submitter>,
}

/// The word between the facts of several students, for people. A student's own name may have it, too.
pub const AND: &str = " & ";

impl HandedIn {
    /// Returns the persons who have handed in.
    ///
    /// An older version has prepared submissions without a list of persons. Their facts do not tell which name and
    /// which number of a group belong together, so that each is a person of its own here.
    #[must_use]
    pub fn persons(&self) -> Vec<Submitter> {
        let [name, id, login, email] = [&self.name, &self.id, &self.login, &self.email];
        if !self.submitters.is_empty() {
            return self.submitters.clone();
        }
        if [name, id, login, email].iter().all(|fact| fact.is_empty()) {
            return Vec::new();
        }
        if ![name, id, email].iter().any(|fact| fact.contains(AND)) {
            let [name, id, login, email] = [name, id, login, email].map(String::clone);
            return vec![Submitter { name, id, login, email }];
        }
        let of = |fact: &str, person: fn(String) -> Submitter| -> Vec<Submitter> {
            let words = fact.split(AND).filter(|word| !word.is_empty());
            words.map(|word| person(word.to_owned())).collect()
        };
        [
            of(name, |name| Submitter { name, ..Submitter::default() }),
            of(id, |id| Submitter { id, ..Submitter::default() }),
            of(email, |email| Submitter { email, ..Submitter::default() }),
        ]
        .concat()
    }
}

/// Returns `true` if the path of a submitted file may stand in a command. A sandbox takes the text between `=` and `:`
/// for the path of a file of this computer, and braces hold placeholders.
#[must_use]
pub fn is_plain_path(path: &Path) -> bool {
    let text = path.to_str();
    text.is_some_and(|text| !text.chars().any(|c| c.is_control() || "=:{}".contains(c)))
}

/// The state of a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreparedStatus {
    /// The submission can be started.
    Ready,
    /// The files that were handed in could not be unpacked.
    NotUnpacked,
    /// The submission does not compile, or its build has failed.
    NotBuilt,
    /// The submission has nothing that can be started.
    NoProgram,
    /// The platform has a receipt of the student, but no file.
    NothingHandedIn,
    /// The system lacks something that the submission needs.
    Lacking,
    /// The preparation was stopped before the end.
    #[default]
    NotPrepared,
}

impl PreparedStatus {
    /// Returns the status in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            PreparedStatus::Ready => "ready",
            PreparedStatus::NotUnpacked => "not unpacked",
            PreparedStatus::NotBuilt => "not built",
            PreparedStatus::NoProgram => "no program",
            PreparedStatus::NothingHandedIn => NOTHING_HANDED_IN,
            PreparedStatus::Lacking => "cannot run here",
            PreparedStatus::NotPrepared => "not prepared",
        }
    }
}

/// The error of a game that no class of Java plays. It has the name of the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0} knows no Java classes; a Java program plays as `file:java ...` or `line:java ...`")]
pub struct NoJavaClasses(pub String);

/// The reason, found before any game, why the program of a player cannot be started. The text is one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotReady {
    /// The program is missing or broken.
    #[error("{0}")]
    Program(String),
    /// The system lacks something that this program alone needs, so that the others can play. This is not a
    /// fault of the player.
    #[error("{0}")]
    Lacking(String),
    /// The system lacks something that such programs need to start. This is not a fault of the player.
    #[error("{0}")]
    System(String),
}

/// The thing that the system lacks for a submission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// An interpreter, a compiler or another tool of this name.
    Program(String),
    /// A newer version of an interpreter, a compiler or another tool of this name.
    Newer(String),
    /// A module of Python.
    Module(String),
    /// A package of JavaScript.
    Package(String),
    /// A crate of Rust.
    Crate(String),
}

impl Lack {
    /// Returns the names of these things in words: ``the modules `a` and `b` of Python``.
    #[must_use]
    pub fn all(lacks: &[Lack]) -> String {
        let mut words = Vec::new();
        for same in lacks.chunk_by(|one, other| one.parts().0 == other.parts().0) {
            let (kind, _) = same[0].parts();
            let name = |lack: &Lack| match lack {
                Lack::Newer(name) => format!("a newer `{name}`"),
                lack => format!("`{}`", lack.parts().1),
            };
            let names: Vec<String> = same.iter().map(name).collect();
            words.push(match (kind, &*names) {
                (Some((noun, language)), [names @ .., last]) if !names.is_empty() => {
                    format!("the {noun}s {} and {last} of {language}", names.join(", "))
                }
                (Some((noun, language)), _) => format!("the {noun} {} of {language}", names[0]),
                (None, _) => names.join(" and "),
            });
        }
        words.join(" and ")
    }

    /// Returns the noun and the language of a part of a program, with its name; without them, it is a program.
    fn parts(&self) -> (Option<(&'static str, &'static str)>, &str) {
        match self {
            Lack::Program(name) | Lack::Newer(name) => (None, name),
            Lack::Module(name) => (Some(("module", "Python")), name),
            Lack::Package(name) => (Some(("package", "JavaScript")), name),
            Lack::Crate(name) => (Some(("crate", "Rust")), name),
        }
    }

    /// Returns true if it must lie beside the program, because an installed one is not found.
    #[must_use]
    pub fn is_beside(&self) -> bool {
        matches!(self, Lack::Package(_) | Lack::Crate(_))
    }

    /// Returns the reason why a submission that needs these things is not ready, with the remedy, in one line. `place`
    /// are the words for the folder of the program, or empty.
    #[must_use]
    pub fn why(lacks: &[Lack], place: &str) -> String {
        let all = Lack::all(lacks);
        let (are, them) = if lacks.len() == 1 { ("is", "it") } else { ("are", "them") };
        let remedy = match lacks.first() {
            Some(Lack::Package(_)) => Some("the folder `node_modules` that `npm install` makes"),
            Some(Lack::Crate(_)) => {
                Some("the folder of `cargo vendor` and the `.cargo/config.toml` that it tells")
            }
            _ => None,
        };
        if let Some(remedy) = remedy {
            return format!(
                "{all}{place} {are} not among the files, and a submission has no network: add {remedy} to what was \
                 handed in, or say in --override where it is; then prepare the submission again"
            );
        }
        // A file that a student forgot is not told from a package.
        if lacks.iter().any(|lack| matches!(lack, Lack::Module(_))) {
            return format!(
                "{all}{place} {are} neither handed in nor installed here: install {them} for all users, since \
                 submissions see no virtual environment, or, if the student forgot a file, say `build = \"\"` in \
                 --override; then prepare the submission again"
            );
        }
        format!("{all} {are} not installed here: install {them}, and prepare the submission again")
    }
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Lack::all(std::slice::from_ref(self)))
    }
}

/// The facts about a prepared submission, kept in its folder: in the file `plyground.toml` beside the folder
/// `program` with the submission's own files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedSubmission {
    /// The name of the file or folder that was handed in.
    pub source: String,
    /// The time of its last change, as text with a time zone; empty if it is not known.
    #[serde(default)]
    pub submitted: String,
    /// A word that changes whenever anything changes that the other fields depend on.
    pub key: String,
    /// The status.
    pub status: PreparedStatus,
    /// The reason why the submission is not ready, in one line.
    #[serde(default)]
    pub why: String,
    /// A line that names equally good programs of the submission; empty if the choice is clear.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doubt: String,
    /// The programming language; may be empty.
    #[serde(default)]
    pub language: String,
    /// The command that built it, as a line for a shell; empty if there is nothing to build.
    #[serde(default)]
    pub build: String,
    /// The folder in `program` in which it was built and is started.
    #[serde(default)]
    pub folder: PathBuf,
    /// The command that starts it, as words for a shell; the arguments follow.
    #[serde(default)]
    pub start: String,
    /// The source files that were handed in and that its build has removed or changed, in its folder `program`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<PathBuf>,
    /// The things that the system lacks, if the status says so. This field and the next are last, because each
    /// has tables of its own in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Lack>,
    /// The student and the attempt.
    #[serde(default)]
    pub handed_in: HandedIn,
}

impl PreparedSubmission {
    /// The file that marks the folder of a submission that is being prepared.
    pub const PREPARING: &str = ".preparing";

    /// Returns the folder of a submission's own files, in the folder of the submission.
    #[must_use]
    pub fn program(submission: &Path) -> PathBuf {
        submission.join(PROGRAM)
    }

    /// Returns the file with the output of a submission's build.
    #[must_use]
    pub fn log(submission: &Path) -> PathBuf {
        submission.join(LOG)
    }

    /// Returns a submission with a damaged file, which cannot be started.
    #[must_use]
    pub fn damaged(why: &TomlError) -> PreparedSubmission {
        PreparedSubmission {
            status: PreparedStatus::NoProgram,
            why: format!("{why}; prepare it again"),
            ..PreparedSubmission::default()
        }
    }

    /// Returns the submission in this folder if its preparation was stopped before the end.
    #[must_use]
    pub fn stopped(submission: &Path) -> Option<PreparedSubmission> {
        let why = "its preparation was stopped; the same command again goes on".to_owned();
        let is_stopped = submission.join(PreparedSubmission::PREPARING).exists();
        is_stopped.then(|| PreparedSubmission { why, ..PreparedSubmission::default() })
    }

    /// Reads the submission in this folder. Returns `None` if the submission was not prepared, or not to the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or is wrong.
    pub fn read(submission: &Path) -> Result<Option<PreparedSubmission>, TomlError> {
        let path = submission.join(FILE);
        match TomlFile::read_regular(&path) {
            Err(TomlError::Unreadable(error)) if error.is_not_found() => Ok(None),
            file => file?.parse().map(Some),
        }
    }

    /// Checks that the [folder with the files](PreparedSubmission::program) of a prepared submission has them. Any
    /// other path passes.
    ///
    /// # Errors
    ///
    /// Returns the reason why the submission was not unpacked.
    pub fn check_program(path: &Path) -> Result<(), String> {
        let submission = path.parent().filter(|_| path.ends_with(PROGRAM));
        match submission.map(PreparedSubmission::read) {
            Some(Ok(Some(it))) if it.status == PreparedStatus::NotUnpacked => Err(it.reason()),
            _ => Ok(()),
        }
    }

    /// Returns the reason why the submission cannot be started: the status, and its reason.
    fn reason(&self) -> String {
        format!("{}, {}", self.status.words(), self.why)
    }

    /// Writes the facts to this folder, which from then on is prepared.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or the folder has no name in UTF-8.
    pub fn write(&self, submission: &Path) -> Result<(), FileError> {
        let path = submission.join(FILE);
        match toml::to_string(self) {
            Ok(text) => write_whole(&path, format!("{HEADING}{text}")),
            Err(error) => Err(FileError::at(&path, "write the file")(io::Error::other(error))),
        }
    }

    /// Returns the name of the installed program that starts the submission, if one does.
    #[must_use]
    pub fn tool(&self) -> Option<String> {
        let words = shlex::split(&self.start)?;
        // Variables come first.
        let program = words.into_iter().find(|word| !word.contains('='))?;
        let is_installed = self.status == PreparedStatus::Ready && !program.contains('/');
        is_installed.then_some(program)
    }

    /// Marks the submission in this folder as not prepared.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and cannot be removed.
    pub fn forget(submission: &Path) -> io::Result<()> {
        match fs::remove_file(submission.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// The start of a prepared submission.
pub(super) struct Start {
    /// The words, before the arguments.
    pub(super) words: Vec<String>,
    pub(super) folder: PathBuf,
    /// The name of the installed program that starts the submission, if one does.
    pub(super) tool: Option<String>,
}

/// Returns the words that start the prepared submission in this folder.
///
/// The words run the program in the folder of its sandbox, where it may write. It finds its own files there, because
/// the words name their folder.
///
/// # Errors
///
/// Returns the reason why the submission cannot be started.
pub(super) fn start_words(submission: &Path) -> Result<Start, NotReady> {
    let prepared = PreparedSubmission::read(submission);
    match prepared {
        Ok(Some(prepared)) if prepared.status == PreparedStatus::Lacking => {
            Err(NotReady::Lacking(prepared.reason()))
        }
        prepared => start_of(submission, prepared).map_err(NotReady::Program),
    }
}

fn start_of(
    submission: &Path,
    prepared: Result<Option<PreparedSubmission>, TomlError>,
) -> Result<Start, String> {
    let place = excerpt(&submission.to_string_lossy());
    let prepared = prepared.map_err(|error| error.to_string())?;
    let Some(prepared) = prepared.or_else(|| PreparedSubmission::stopped(submission)) else {
        return Err(format!(
            "{place} is not prepared: expected a folder that `plyground submissions prepare` has made"
        ));
    };
    if prepared.status == PreparedStatus::NothingHandedIn {
        return Err(NOTHING_HANDED_IN.to_owned());
    }
    if prepared.status != PreparedStatus::Ready {
        return Err(prepared.reason());
    }
    if prepared.start.is_empty() {
        return Err("it is a class of Java, which plays as `java:{folder}`".to_owned());
    }
    if !is_plain_path(&prepared.folder) {
        return Err(format!(
            "{place}: expected a folder without `=`, `:`, `{{` and `}}` in its name"
        ));
    }
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !prepared.folder.components().all(is_inside) {
        return Err(format!("{place}: expected a folder inside of {PROGRAM}"));
    }
    let folder = PreparedSubmission::program(submission).join(&prepared.folder);
    let folder = absolute(&folder).map_err(|error| format!("{place}: {error}"))?;
    let text = folder.to_str().ok_or_else(|| format!("{place}: expected a path in UTF-8"))?;
    // In the script, `$0` is the folder of the program.
    let script = format!("cd \"$TMPDIR\" && exec {} \"$@\"", prepared.start);
    let words = ["sh", "-c", &script, text].map(str::to_owned).to_vec();
    Ok(Start { words, folder, tool: prepared.tool() })
}

/// The files in which a program saves the position in a game against a person: after its own move, and after the
/// person's.
pub const SAVED: [&str; 2] = ["computer.txt", "human.txt"];

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared() -> PreparedSubmission {
        PreparedSubmission {
            source: "ann.zip".to_owned(),
            key: "k".to_owned(),
            status: PreparedStatus::Ready,
            language: "Python".to_owned(),
            folder: PathBuf::from("code"),
            start: "python3 ./'my play.py'".to_owned(),
            handed_in: HandedIn { name: "Ann Lee".to_owned(), attempt: 1, ..HandedIn::default() },
            ..PreparedSubmission::default()
        }
    }

    #[test]
    fn submission_is_read_as_it_is_written() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        assert_eq!(PreparedSubmission::read(folder.path())?, None);
        prepared().write(folder.path())?;
        assert_eq!(PreparedSubmission::read(folder.path())?, Some(prepared()));
        let words = start_words(folder.path())?.words;
        assert_eq!(words[..2], ["sh", "-c"]);
        assert!(words[2].contains("exec python3 ./'my play.py' \"$@\""), "{words:?}");
        assert!(words[3].ends_with("program/code"), "{words:?}");
        PreparedSubmission::forget(folder.path())?;
        assert!(
            start_words(folder.path())
                .is_err_and(|why| why.to_string().contains("is not prepared"))
        );
        fs::write(folder.path().join(PreparedSubmission::PREPARING), "")?;
        let why = start_words(folder.path()).err().expect("no program").to_string();
        assert!(why.starts_with("not prepared, its preparation was stopped"), "{why}");
        Ok(())
    }

    #[test]
    fn persons_are_those_of_the_list() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let person = |name: &str, id: &str| Submitter {
            name: name.to_owned(),
            id: id.to_owned(),
            ..Submitter::default()
        };
        let (name, id) = ("Ann & Co & Bob".to_owned(), "1 & 2".to_owned());
        let submitters = vec![person("Bob", "2"), person("Ann & Co", "1")];
        let handed_in = HandedIn { name, id, submitters, ..HandedIn::default() };
        let with = |handed_in: &HandedIn| -> Result<Vec<Submitter>, Box<dyn std::error::Error>> {
            PreparedSubmission { handed_in: handed_in.clone(), ..prepared() }
                .write(folder.path())?;
            let read = PreparedSubmission::read(folder.path())?.expect("a submission");
            assert_eq!(&read.handed_in, handed_in);
            Ok(read.handed_in.persons())
        };
        assert_eq!(with(&handed_in)?, handed_in.submitters);
        // The file of an older version has no list.
        let words = [person("Ann", ""), person("Co", ""), person("Bob", "")];
        let old = HandedIn { submitters: Vec::new(), ..handed_in };
        let expected = [&words[..], &[person("", "1"), person("", "2")]].concat();
        assert_eq!(with(&old)?, expected);
        assert_eq!(with(&prepared().handed_in)?, [person("Ann Lee", "")]);
        assert_eq!(with(&HandedIn::default())?, []);
        Ok(())
    }

    #[test]
    fn what_is_not_built_says_why() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let why = "a.c:1:1: error: no".to_owned();
        let status = PreparedStatus::NotBuilt;
        PreparedSubmission { status, why, ..prepared() }.write(folder.path())?;
        let told = start_words(folder.path()).err().expect("no program");
        assert_eq!(told, NotReady::Program("not built, a.c:1:1: error: no".to_owned()));
        // A missing module is the fault of the system, and not of the submission.
        let lacks = ["numpy", "scipy"].map(|name| Lack::Module(name.to_owned())).to_vec();
        let (status, why) = (PreparedStatus::Lacking, Lack::why(&lacks, " (in `a`)"));
        let lacking = PreparedSubmission { status, why, lacks, ..prepared() };
        lacking.write(folder.path())?;
        assert_eq!(PreparedSubmission::read(folder.path())?, Some(lacking));
        let told = start_words(folder.path()).err().expect("no program");
        let why = "cannot run here, the modules `numpy` and `scipy` of Python (in `a`) are neither handed in nor \
                   installed here: install them for all users, since";
        assert!(matches!(&told, NotReady::Lacking(found) if found.starts_with(why)), "{told}");
        fs::write(folder.path().join(FILE), "status = 5\n")?;
        let told = start_words(folder.path()).err().expect("no such status").to_string();
        assert!(told.contains("plyground.toml:1:") && told.lines().count() == 1, "{told}");
        Ok(())
    }
}
