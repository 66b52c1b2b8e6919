//! Java classes of the courses as players, hosted by a Java program that speaks the line protocol.

mod cache;
mod error;
mod files;
mod jdk;
mod sources;
mod submission;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use network::Rules;
use plyground::external::ProcessLimits;
use plyground::player::JavaProgram;

use cache::{Cache, Key};
use error::JavaError;
use files::java_files;
use jdk::Jdk;
use sources::{HOST_CLASS, HostClasses};
use submission::PlayerClass;

/// The command that plays a Java class over the line protocol, which may take a few seconds to
/// find: what must be compiled is, unless that was done before.
///
/// The players look `depth` plies ahead, if that is not for themselves to decide.
pub fn command(
    program: &JavaProgram,
    rules: Rules,
    depth: Option<u32>,
    limits: &ProcessLimits,
) -> Result<Vec<String>, JavaError> {
    let place = fs::canonicalize(program.path()).map_err(JavaError::Missing)?;
    let (jdk, cache) = (Jdk::find()?, Cache::of_user()?);
    let classes = HostClasses::get(&jdk, &cache)?;
    let folder = if place.is_dir() { place } else { unpacked(&jdk, &cache, &place)? };
    let class = PlayerClass::find(&folder, program.class(), rules)?;
    let mut folders = vec![classes.host];
    if let Some(source) = &class.source {
        folders.push(compiled(&jdk, &cache, &class.root, source, &classes.given)?);
    }
    folders.extend([class.root.clone(), classes.given]);
    let class_path =
        env::join_paths(&folders).map_err(|_| JavaError::BadName { path: class.root })?;

    let mut words = vec![jdk.program("java").display().to_string()];
    words.extend(machine_options(limits));
    words.extend(["-cp".to_owned(), class_path.to_string_lossy().into_owned()]);
    words.extend([HOST_CLASS.to_owned(), class.name]);
    words.extend(depth.map(|depth| depth.to_string()));
    Ok(words)
}

/// The options of the Java virtual machine.
fn machine_options(limits: &ProcessLimits) -> Vec<String> {
    let kibibytes = limits.memory.as_u64() / 1024;
    // The memory that it occupies is what counts. Its heap may be a little larger, so that who
    // fills it exceeds the limit before Java sees to it that he does not.
    let most = (kibibytes / 4 * 5).max(SMALLEST_HEAP);
    // Otherwise it would depend on the memory of the computer.
    let first = (most / 8).max(SMALLEST_HEAP);
    [
        &format!("-Xmx{most}k"),
        &format!("-Xms{first}k"),
        // One thread, and no more memory than is in use and somewhat above.
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

/// Below this Java does not start, in KiB.
const SMALLEST_HEAP: u64 = 2 * 1024;

/// The folder with what is in a jar or zip file.
fn unpacked(jdk: &Jdk, cache: &Cache, archive: &Path) -> Result<PathBuf, JavaError> {
    let mut key = Key::new("jar");
    key.add_file(archive).map_err(JavaError::at(archive))?;
    cache.get(&key, |folder| jdk.unpack(archive, folder))
}

/// The folder with the classes that come of `source`, and of all sources below `root` that it
/// needs.
fn compiled(
    jdk: &Jdk,
    cache: &Cache,
    root: &Path,
    source: &Path,
    given: &Path,
) -> Result<PathBuf, JavaError> {
    let mut key = Key::new("classes");
    // What a newer Java compiles, an older one does not read.
    key.add((source.strip_prefix(root).ok(), given, jdk.identity()));
    let mut encoding = "UTF-8";
    for file in java_files(root)?.into_iter().filter(|file| file.is_source()) {
        let text = fs::read(&file.path).map_err(JavaError::at(&file.path))?;
        if std::str::from_utf8(&text).is_err() {
            // All bytes mean something there, and the compiler would complain of others.
            encoding = "ISO-8859-1";
        }
        key.add((file.path.strip_prefix(root).ok(), text));
    }
    cache.get(&key, |folder| {
        jdk.compile(|command| {
            command.args(["-Xprefer:source", "-encoding", encoding]);
            command.arg("-sourcepath").arg(root).arg("-cp").arg(given);
            command.arg("-d").arg(folder).arg(source);
        })
    })
}
