//! Java classes of the courses as players: the search for the class that plays, the Java sources of the host
//! and their compilation, and the program that hosts the class and speaks the line protocol.

mod files;
mod jdk;

use std::path::{Path, PathBuf};
use std::{env, fs};

use plyground_host::external::{JavaProgram, ProgramCommand};
use plyground_sandbox::{ProcessLimits, SandboxPolicy, closed_folder};

use self::files::{Cache, JavaFile, Key, java_files, java_files_and_links, read};
use self::jdk::{JavaError, Jdk, MOST_BYTES};
use crate::color::Rules;

/// Returns the command that plays a Java class over the line protocol. The class is compiled first, which
/// takes a few seconds, unless that was done before.
///
/// The player looks `depth` plies ahead, or chooses its depth itself if `depth` is `None`.
pub(crate) fn command(
    program: &JavaProgram,
    rules: Rules,
    depth: Option<u32>,
    policy: &SandboxPolicy,
) -> Result<ProgramCommand, JavaError> {
    let place = fs::canonicalize(program.path()).map_err(JavaError::at(program.path()))?;
    let (jdk, cache) = (Jdk::find(policy)?, Cache::of_user()?);
    let classes = HostClasses::get(&jdk, &cache)?;
    let folder = if place.is_dir() { place } else { unpacked(&jdk, &cache, &place)? };
    let class = PlayerClass::find(&folder, program.class(), rules)?;
    // A closed folder of this computer around the submission is not the submission's fault.
    let closed = closed_folder(&class.root, policy.level);
    if let Some(path) = closed.filter(|path| path.starts_with(&folder)) {
        return Err(JavaError::Closed(path));
    }
    let mut folders = vec![classes.host];
    if let Some(source) = &class.source {
        folders.push(compiled(&jdk, &cache, &class.root, source, &classes.given)?);
    }
    folders.extend([class.root.clone(), classes.given]);
    let class_path = env::join_paths(&folders).map_err(|_| JavaError::BadName(class.root))?;

    let mut words = vec![jdk.program("java").display().to_string()];
    words.extend(machine_options(&policy.limits));
    words.extend(["-cp".to_owned(), class_path.to_string_lossy().into_owned()]);
    words.extend([HOST_CLASS.to_owned(), class.name]);
    words.extend(depth.map(|depth| depth.to_string()));
    Ok(ProgramCommand { words, files: folders })
}

/// Returns the options of the Java virtual machine.
fn machine_options(limits: &ProcessLimits) -> Vec<String> {
    let kibibytes = limits.memory.as_u64() / 1024;
    // The limit is on the memory that the process occupies. The heap may be a little larger, so that a
    // player that fills it exceeds the limit before Java throws an `OutOfMemoryError`.
    let most = (kibibytes / 4 * 5).max(SMALLEST_HEAP);
    // Without this option the size depends on the memory of the computer.
    let first = (most / 8).max(SMALLEST_HEAP);
    [
        &format!("-Xmx{most}k"),
        &format!("-Xms{first}k"),
        // The collector has one thread, and the heap stays close to the memory in use.
        "-XX:+UseSerialGC",
        "-XX:MinHeapFreeRatio=20",
        "-XX:MaxHeapFreeRatio=40",
        // Nothing is written outside the player's folder.
        "-XX:-UsePerfData",
        "-XX:+ErrorFileToStderr",
        "-Djava.awt.headless=true",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The least heap with which Java starts, in KiB.
const SMALLEST_HEAP: u64 = 2 * 1024;

/// Returns the folder with the contents of a jar or zip file.
fn unpacked(jdk: &Jdk, cache: &Cache, archive: &Path) -> Result<PathBuf, JavaError> {
    let mut key = Key::new("jar");
    key.add(read(archive).map_err(JavaError::at(archive))?);
    cache.get(&key, |folder| jdk.unpack(archive, folder))
}

/// Returns the folder with the compiled classes of `source` and of all sources below `root` that it needs.
fn compiled(
    jdk: &Jdk,
    cache: &Cache,
    root: &Path,
    source: &Path,
    given: &Path,
) -> Result<PathBuf, JavaError> {
    let mut key = Key::new("classes");
    // An older Java does not read the classes that a newer one compiles.
    let identity = jdk.identity().unwrap_or_default();
    for path in [source.strip_prefix(root).unwrap_or(source), given, &identity] {
        key.add(path.as_os_str().as_encoded_bytes());
    }
    let mut encoding = "UTF-8";
    let mut left = MOST_BYTES;
    let (files, has_links) = java_files_and_links(root)?;
    if has_links {
        // Links can lead to sources that are not part of the key, so the classes are for this folder alone.
        key.add(root.canonicalize().map_err(JavaError::at(root))?.as_os_str().as_encoded_bytes());
    }
    for file in files.into_iter().filter(|file| file.is_source()) {
        let text = read(&file.path).map_err(JavaError::at(&file.path))?;
        left = left.checked_sub(text.len() as u64).ok_or(JavaError::TooLong)?;
        if std::str::from_utf8(&text).is_err() {
            // Every byte is a character in this encoding, so that the compiler does not complain.
            encoding = "ISO-8859-1";
        }
        let below = file.path.strip_prefix(root).unwrap_or(&file.path);
        key.add(below.as_os_str().as_encoded_bytes());
        key.add(text);
    }
    cache.get(&key, |folder| {
        let path = |path: &Path| path.display().to_string();
        let mut arguments = ["-Xprefer:source", "-encoding", encoding].map(str::to_owned).to_vec();
        arguments.extend(["-sourcepath".to_owned(), path(root), "-cp".to_owned(), path(given)]);
        arguments.extend(beside(source, root)?.iter().map(|source| path(source)));
        jdk.compile(folder, arguments, vec![root.to_owned(), given.to_owned()])
    })
}

/// Returns the source, and the sources beside it if their folder is not the folder of their package, because
/// Java would not find them there.
fn beside(source: &Path, root: &Path) -> Result<Vec<PathBuf>, JavaError> {
    let below = source.strip_prefix(root).unwrap_or(source);
    let own = JavaFile { depth: below.components().count() - 1, path: source.to_owned() };
    let is_in_place = own.name().is_none_or(|name| own.root_of(&name) == Some(root));
    if is_in_place {
        return Ok(vec![source.to_owned()]);
    }
    let files = java_files(source.parent().unwrap_or(root))?;
    Ok(files
        .into_iter()
        .filter(|file| file.depth == 0 && file.is_source())
        .map(|file| file.path)
        .collect())
}

/// The class of the Berkeley assignment.
const MACHINE_PLAYER: &str = "player.MachinePlayer";
/// The same class without its package, which some submissions change.
const MACHINE: &str = "MachinePlayer";
/// The class of the USF assignment; for its tournament, students put their names before it.
const COMPUTER_PLAYER: &str = "ComputerPlayer";

/// A Java class that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PlayerClass {
    /// The name of the class, with its package.
    pub(super) name: String,
    /// The folder from which Java looks for classes.
    pub(super) root: PathBuf,
    /// The source of the class, if it must be compiled.
    pub(super) source: Option<PathBuf>,
}

impl PlayerClass {
    /// Looks for the class in a folder and below. Compiled classes go before sources, and files near the
    /// folder before deeper ones.
    pub(super) fn find(
        folder: &Path,
        class: Option<&str>,
        rules: Rules,
    ) -> Result<PlayerClass, JavaError> {
        let files = java_files(folder)?;
        let found = match class {
            Some(name) => {
                let may_be = |file: &JavaFile| may_be_named(file, name);
                candidates(&files, may_be, |file| class_named(file, name))
            }
            None => classes_of_course(&files, rules),
        };
        let [first, rest @ ..] = &found[..] else {
            return Err(nothing_found(&files, class, rules));
        };
        let rank = first.rank();
        let equals = rest.iter().take_while(|other| other.rank() == rank);
        let several: Vec<String> =
            std::iter::once(first).chain(equals).map(Candidate::shown).collect();
        if several.len() > 1 {
            return Err(JavaError::Several(several));
        }
        Ok(PlayerClass {
            name: first.name.clone(),
            root: first.root.to_owned(),
            source: first.file.is_source().then(|| first.file.path.clone()),
        })
    }
}

/// A file that may contain the player.
#[derive(Debug)]
struct Candidate<'a> {
    name: String,
    root: &'a Path,
    file: &'a JavaFile,
}

impl Candidate<'_> {
    /// Returns the rank of the candidate; the candidate of least rank is taken. A class whose name has no
    /// prefix goes before others beside it.
    fn rank(&self) -> (bool, usize, bool) {
        let is_usual = [COMPUTER_PLAYER, MACHINE_PLAYER].contains(&self.name.as_str());
        (self.file.is_source(), self.file.depth, !is_usual)
    }

    fn shown(&self) -> String {
        let below = self.file.path.strip_prefix(self.root).unwrap_or(&self.file.path);
        let root = self.root.file_name().map(Path::new).unwrap_or(self.root);
        root.join(below).display().to_string()
    }
}

/// The greatest number of files of a fitting name that are read.
const MOST_READ: usize = 1_000;

/// Returns the files that `select` takes, the best first. Only files that `may_be` takes by their names are
/// read, and no more than [`MOST_READ`].
fn candidates<'a>(
    files: &'a [JavaFile],
    may_be: impl Fn(&JavaFile) -> bool,
    select: impl Fn(&'a JavaFile) -> Option<Candidate<'a>>,
) -> Vec<Candidate<'a>> {
    let mut fitting: Vec<&JavaFile> = files.iter().filter(|file| may_be(file)).collect();
    fitting.sort_by_key(|file| (file.is_source(), file.depth));
    let mut found: Vec<_> = fitting.into_iter().take(MOST_READ).filter_map(select).collect();
    found.sort_by_key(Candidate::rank);
    found
}

/// Returns true if the file of a class may have this name.
fn may_be_named(file: &JavaFile, name: &str) -> bool {
    name.ends_with(file.stem())
}

/// Returns true if the file of a class that plays by these rules may have this name.
fn may_be_of_course(file: &JavaFile, rules: Rules) -> bool {
    let name = file.stem();
    match rules {
        Rules::Berkeley => name == MACHINE,
        Rules::Usf => name.ends_with(COMPUTER_PLAYER) && !name.contains('$'),
    }
}

/// Returns the files of classes that may play by these rules, the best first.
fn classes_of_course(files: &[JavaFile], rules: Rules) -> Vec<Candidate<'_>> {
    let may_be = |file: &JavaFile| may_be_of_course(file, rules);
    candidates(files, may_be, |file| class_of_course(file, rules))
}

fn class_named<'a>(file: &'a JavaFile, name: &str) -> Option<Candidate<'a>> {
    let root = file.root_of(name).or_else(|| {
        // The compiler puts the class of a source into the right folder.
        let is_elsewhere = file.is_source() && may_be_named(file, name);
        file.path.parent().filter(|_| is_elsewhere && file.name().as_deref() == Some(name))
    })?;
    Some(Candidate { name: name.to_owned(), root, file })
}

fn class_of_course(file: &JavaFile, rules: Rules) -> Option<Candidate<'_>> {
    let (name, is_player) = (file.stem(), may_be_of_course(file, rules));
    let said = is_player.then(|| file.name()).flatten();
    match (rules, said) {
        _ if !is_player => None,
        (_, Some(name)) if name.contains('.') => class_named(file, &name),
        (Rules::Berkeley, _) => class_named(file, MACHINE_PLAYER),
        (Rules::Usf, _) => class_named(file, name),
    }
}

fn nothing_found(files: &[JavaFile], class: Option<&str>, rules: Rules) -> JavaError {
    let other = if rules == Rules::Berkeley { Rules::Usf } else { Rules::Berkeley };
    if class.is_none()
        && let [found, ..] = &*classes_of_course(files, other)
    {
        return JavaError::OtherRules { found: found.name.clone(), rules: other };
    }
    let expected = match (class, rules) {
        (Some(name), _) => format!("the class {name}"),
        (None, Rules::Berkeley) => format!("the class {MACHINE_PLAYER}"),
        (None, Rules::Usf) => format!("a class whose name ends with {COMPUTER_PLAYER}"),
    };
    JavaError::NoClass(expected)
}

/// The class that plays a submission's class over the line protocol.
const HOST_CLASS: &str = "plyground.host.Host";

/// A source, and its name in the folder of Java programs.
type Source = (&'static str, &'static str);

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../java/", $name)))),*]
    };
}

const HOST: &[Source] = sources![
    "host/plyground/host/BerkeleySubmission.java",
    "host/plyground/host/ChipMove.java",
    "host/plyground/host/Conversation.java",
    "host/plyground/host/Host.java",
    "host/plyground/host/Mirror.java",
    "host/plyground/host/Position.java",
    "host/plyground/host/Setup.java",
    "host/plyground/host/Side.java",
    "host/plyground/host/Square.java",
    "host/plyground/host/Submission.java",
    "host/plyground/host/SubmissionClass.java",
    "host/plyground/host/UsfSubmission.java",
];

/// The folder of the classes that the courses gave.
const GIVEN_FOLDER: &str = "given/";

/// Returns the sources that the courses gave, by their paths below the root of the packages.
pub(crate) fn given() -> Vec<Source> {
    let name = |name: &'static str| name.strip_prefix(GIVEN_FOLDER).unwrap_or(name);
    GIVEN.iter().map(|(path, text)| (name(path), *text)).collect()
}

/// The classes that the courses gave, which submissions do not include.
const GIVEN: &[Source] = sources![
    "given/Move.java",
    "given/Player.java",
    "given/player/Move.java",
    "given/player/Player.java",
];

/// The compiled Java programs of this crate.
#[derive(Clone, Debug)]
struct HostClasses {
    /// The folder with the host.
    pub(super) host: PathBuf,
    /// The folder with the classes that the courses gave.
    pub(super) given: PathBuf,
}

impl HostClasses {
    /// Compiles the programs, if that was not done before.
    pub(super) fn get(jdk: &Jdk, cache: &Cache) -> Result<HostClasses, JavaError> {
        let mut key = Key::new("host");
        for (name, text) in HOST.iter().chain(GIVEN) {
            key.add(name);
            key.add(text);
        }
        let folder = cache.get(&key, |folder| {
            compile(jdk, HOST, folder, "host")?;
            compile(jdk, GIVEN, folder, "given")
        });
        let folder = folder.map_err(|error| match error {
            error @ (JavaError::Tool { .. } | JavaError::Slow { .. }) => {
                JavaError::Host(Box::new(error))
            }
            error => error,
        })?;
        Ok(HostClasses { host: folder.join("host"), given: folder.join("given") })
    }
}

/// Compiles sources into the folder `name` of `folder`.
fn compile(jdk: &Jdk, sources: &[Source], folder: &Path, name: &str) -> Result<(), JavaError> {
    let written = tempfile::tempdir_in(folder).map_err(JavaError::at(folder))?;
    let mut paths = Vec::new();
    for (name, text) in sources {
        let path = written.path().join(name);
        let parent = path.parent().unwrap_or(written.path());
        fs::create_dir_all(parent).map_err(JavaError::at(parent))?;
        fs::write(&path, text).map_err(JavaError::at(&path))?;
        paths.push(path);
    }
    let classes = folder.join(name);
    fs::create_dir_all(&classes).map_err(JavaError::at(&classes))?;
    let options = ["--release", "17", "-encoding", "UTF-8"].map(str::to_owned);
    let paths = paths.iter().map(|path| path.display().to_string());
    let named = vec![written.path().to_owned()];
    jdk.compile(&classes, options.into_iter().chain(paths).collect(), named)
}

#[cfg(test)]
mod tests {
    use std::io;

    use tempfile::TempDir;

    use super::*;

    fn folder(files: &[&str]) -> io::Result<TempDir> {
        let folder = tempfile::tempdir()?;
        for name in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(path, "")?;
        }
        Ok(folder)
    }

    /// Returns the class that is found and the file behind it, or the error.
    fn find(files: &[&str], class: Option<&str>, rules: Rules) -> io::Result<(String, String)> {
        let folder = folder(files)?;
        let found = PlayerClass::find(folder.path(), class, rules);
        let below = |path: &Path| {
            let below = path.strip_prefix(folder.path()).unwrap_or(path);
            below.display().to_string()
        };
        Ok(match found {
            Ok(found) => (found.name, below(&found.source.unwrap_or(found.root))),
            Err(error) => ("error".to_owned(), error.to_string()),
        })
    }

    /// A program sees the root of its class, and the author of a source chooses its package.
    #[test]
    fn root_is_never_above_the_folder() -> Result<(), Box<dyn std::error::Error>> {
        let class = folder(&["subs/ann/player/Board.java"])?;
        let eve = class.path().join("subs/eve");
        for place in ["player", "."] {
            let file = eve.join(place).join("MachinePlayer.java");
            fs::create_dir_all(eve.join(place))?;
            let packages = file.parent().ok_or("a folder")?.strip_prefix(class.path())?;
            let packages: Vec<_> = packages.iter().map(|part| part.to_string_lossy()).collect();
            fs::write(&file, format!("package {};\nclass MachinePlayer {{}}", packages.join(".")))?;
            let found = PlayerClass::find(&eve, None, Rules::Berkeley)?;
            assert!(found.root.starts_with(&eve), "{found:?}");
            fs::remove_file(file)?;
        }
        Ok(())
    }

    #[test]
    fn nearest_files_of_a_name_are_read_and_no_more() -> io::Result<()> {
        let names: Vec<String> = (0..MOST_READ)
            .map(|number| format!("{number}/MachinePlayer.class"))
            .chain(["a/b/MachinePlayer.class", "MachinePlayer.java", "c.class"].map(str::to_owned))
            .collect();
        let folder = folder(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let files = java_files(folder.path()).unwrap_or_default();
        let read = std::cell::Cell::new(0);
        let found = candidates(
            &files,
            |file| may_be_of_course(file, Rules::Berkeley),
            |file| {
                read.set(read.get() + 1);
                assert!(file.depth == 1 && !file.is_source());
                None
            },
        );
        assert_eq!((files.len(), read.get(), found.len()), (MOST_READ + 3, MOST_READ, 0));
        Ok(())
    }

    #[test]
    fn class_of_the_course_is_found_wherever_it_is() -> io::Result<()> {
        let berkeley = |files: &[&str]| find(files, None, Rules::Berkeley);
        let machine = |place: &str| (MACHINE_PLAYER.to_owned(), place.to_owned());
        let source = "pj2/player/MachinePlayer.java";
        assert_eq!(berkeley(&[source, "pj2/player/Board.java"])?, machine(source));
        assert_eq!(berkeley(&[source, "bin/player/MachinePlayer.class"])?, machine("bin"));
        assert_eq!(berkeley(&[source, "old/pj2/player/MachinePlayer.java"])?, machine(source));
        let usf = |files: &[&str]| find(files, None, Rules::Usf);
        let found = |class: &str, place: &str| (class.to_owned(), place.to_owned());
        assert_eq!(
            usf(&["gallesComputerPlayer.java", "gallesBoard.java"])?,
            found("gallesComputerPlayer", "gallesComputerPlayer.java")
        );
        assert_eq!(
            usf(&[
                "x/RandomComputerPlayer.class",
                "x/ComputerPlayer$1.class",
                "x/ComputerPlayer.class"
            ])?,
            found("ComputerPlayer", "x")
        );
        Ok(())
    }

    #[test]
    fn package_line_says_what_the_class_is_called() -> io::Result<()> {
        let text = "// mine\npackage a.player;\npublic class X {}";
        for (place, root, rules, name) in [
            ("a/player/BobComputerPlayer.java", "", Rules::Usf, "a.player.BobComputerPlayer"),
            ("flat/BobComputerPlayer.java", "flat", Rules::Usf, "a.player.BobComputerPlayer"),
            ("x/a/player/MachinePlayer.java", "x", Rules::Berkeley, "a.player.MachinePlayer"),
        ] {
            let folder = folder(&[place])?;
            fs::write(folder.path().join(place), text)?;
            let found = PlayerClass::find(folder.path(), None, rules).expect("a player");
            assert_eq!((found.name.as_str(), found.root), (name, folder.path().join(root)));
            let named = PlayerClass::find(folder.path(), Some(name), rules).expect("a player");
            assert_eq!(named.source, Some(folder.path().join(place)));
        }
        Ok(())
    }

    #[test]
    fn class_may_be_named() -> io::Result<()> {
        let files = ["a/player/MachinePlayer.java", "a/player/Other.java", "b/Other.java"];
        let named = |class| find(&files, Some(class), Rules::Berkeley);
        assert_eq!(named("player.Other")?.1, "a/player/Other.java");
        assert_eq!(named("Other")?.1, "b/Other.java");
        assert_eq!(
            named("player.None")?.1,
            "expected the class player.None in it, compiled or as source"
        );
        Ok(())
    }

    #[test]
    fn ambiguous_submission_is_refused() -> io::Result<()> {
        let files = ["a/player/MachinePlayer.java", "b/player/MachinePlayer.java"];
        let (_, error) = find(&files, None, Rules::Berkeley)?;
        assert!(
            error.contains("a/player/MachinePlayer.java, b/player/MachinePlayer.java"),
            "{error}"
        );
        let (_, error) = find(&files, None, Rules::Usf)?;
        assert!(
            error.starts_with("found only player.MachinePlayer: add `--rules berkeley`"),
            "{error}"
        );
        let (_, error) = find(&["Board.java"], None, Rules::Usf)?;
        assert!(error.contains("a class whose name ends with ComputerPlayer"), "{error}");
        Ok(())
    }

    #[test]
    fn no_source_is_forgotten() -> io::Result<()> {
        let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
        for (sources, folder) in
            [(HOST, "host/plyground/host"), (GIVEN, "given"), (GIVEN, "given/player")]
        {
            for entry in fs::read_dir(java.join(folder))? {
                let name = entry?.file_name().to_string_lossy().into_owned();
                let name = format!("{folder}/{name}");
                let known = sources.iter().any(|(known, _)| *known == name);
                assert!(known || !name.ends_with(".java"), "{name}");
            }
        }
        Ok(())
    }
}
