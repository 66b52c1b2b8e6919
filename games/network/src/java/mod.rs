//! Java classes of the courses as players, hosted by a Java program that speaks the line protocol.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use plyground_host::external::{JavaProgram, NotReady, ProgramCommand};
use plyground_sandbox::{ProcessLimits, SandboxPolicy, closed_folder, is_exhausted};
use thiserror::Error;

use self::files::{Cache, JavaFile, Key, MOST_BYTES, java_files, read};
use self::jdk::Jdk;
use self::sources::{HOST_CLASS, HostClasses};
use self::submission::PlayerClass;
use crate::legal::Rules;

mod files;
mod jdk;
mod sources;
mod submission;

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
    let place = fs::canonicalize(program.path()).map_err(JavaError::Missing)?;
    let (jdk, cache) = (Jdk::find(policy)?, Cache::of_user()?);
    let classes = HostClasses::get(&jdk, &cache)?;
    let folder = if place.is_dir() { place } else { unpacked(&jdk, &cache, &place)? };
    let class = PlayerClass::find(&folder, program.class(), rules)?;
    // A folder of this computer around the submission is no fault of the submission.
    let closed = closed_folder(&class.root, policy.level);
    if let Some(path) = closed.filter(|path| path.starts_with(&folder)) {
        return Err(JavaError::Closed { path });
    }
    let mut folders = vec![classes.host];
    if let Some(source) = &class.source {
        folders.push(compiled(&jdk, &cache, &class.root, source, &classes.given)?);
    }
    folders.extend([class.root.clone(), classes.given]);
    let class_path =
        env::join_paths(&folders).map_err(|_| JavaError::BadName { path: class.root })?;

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
        // One thread, and not much more memory than is in use.
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
    key.add_file(archive).map_err(JavaError::at(archive))?;
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
    for file in java_files(root)?.into_iter().filter(|file| file.is_source()) {
        let text = read(&file.path).map_err(JavaError::at(&file.path))?;
        left =
            left.checked_sub(text.len() as u64).ok_or(JavaError::TooLong { limit: MOST_BYTES })?;
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

/// Returns the source, and those beside it if they are in another folder than that of their package, where
/// Java would not find them.
fn beside(source: &Path, root: &Path) -> Result<Vec<PathBuf>, JavaError> {
    let own = JavaFile { depth: 0, path: source.to_owned() };
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

/// The reason that a Java submission cannot play. The text is one line, and does not name the submission.
#[derive(Debug, Error)]
pub(crate) enum JavaError {
    /// There is no Java compiler.
    #[error(
        "java: players need a JDK, version 17 or newer, and there is no `{program}` in JAVA_HOME \
         or PATH; on Debian and Ubuntu `apt install default-jdk-headless` installs one"
    )]
    NoJdk {
        /// The program that is missing.
        program: String,
    },
    /// The Java programs that come with this crate do not compile.
    #[error("java: players need a JDK, version 17 or newer; {0}")]
    Host(Box<JavaError>),
    /// A program of the JDK failed.
    #[error("{program}: {complaint}")]
    Tool {
        /// The program.
        program: &'static str,
        /// The message of the program.
        complaint: String,
    },
    /// The compiler rejects the submission.
    #[error("it does not compile, {complaint}")]
    NotCompiled {
        /// The message of the compiler, one line.
        complaint: String,
    },
    /// A program of the JDK took too long.
    #[error("{program}: not done after {}", humantime::format_duration(*limit))]
    Slow {
        /// The program.
        program: &'static str,
        /// The time limit.
        limit: Duration,
    },
    /// A program of the JDK could not be run at all.
    #[error("{program}: {why}")]
    NoSandbox {
        /// The program.
        program: &'static str,
        /// The reason, from the system.
        why: String,
    },
    /// There is no such submission.
    #[error("{0}")]
    Missing(io::Error),
    /// The submission has no class that plays.
    #[error("expected {expected} in it, compiled or as source")]
    NoClass {
        /// The class that was looked for.
        expected: String,
    },
    /// The submission has only a class of the other course.
    #[error("found only {found}: add `--rules {rules}`")]
    OtherRules {
        /// The class that there is.
        found: String,
        /// The rules by which it plays.
        rules: Rules,
    },
    /// The submission has several classes that play.
    #[error(
        "found several players, {}: add `:CLASS`, or name the folder that has only one",
        found.join(", ")
    )]
    Several {
        /// The files.
        found: Vec<String>,
    },
    /// There are too many files to look for a class among them.
    #[error("more than {limit} files and folders")]
    TooLarge {
        /// The greatest number allowed.
        limit: usize,
    },
    /// The sources are too long to be read.
    #[error("its sources have more than {limit} bytes")]
    TooLong {
        /// The greatest number of bytes allowed.
        limit: u64,
    },
    /// At the level `user`, a program is another user, who may not enter the folder.
    #[error("{}: its mode lets no other user in: `chmod o+x` it", path.display())]
    Closed {
        /// The folder.
        path: PathBuf,
    },
    /// The name cannot be part of a class path.
    #[error("{}: Java cannot read from a folder with such a name", path.display())]
    BadName {
        /// The folder.
        path: PathBuf,
    },
    /// There is no folder for compiled classes.
    #[error("no folder for compiled Java: set HOME or XDG_CACHE_HOME")]
    NoCache,
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl JavaError {
    /// Converts the error for the referee: it says that either the submission or the system is at fault.
    pub(crate) fn not_ready(&self) -> NotReady {
        let is_of_system = match self {
            JavaError::NoJdk { .. }
            | JavaError::Host(_)
            | JavaError::NoSandbox { .. }
            | JavaError::NoCache => true,
            JavaError::File { source, .. } => is_exhausted(source),
            _ => false,
        };
        let why = self.to_string();
        if is_of_system { NotReady::System(why) } else { NotReady::Program(why) }
    }

    /// Returns a function that makes the error of a file, for [`Result::map_err`].
    fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> JavaError {
        let path = path.into();
        move |source| JavaError::File { path, source }
    }
}
