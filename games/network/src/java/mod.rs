//! Java classes of the courses as players, hosted by a Java program that speaks the line protocol.

use std::path::{Path, PathBuf};
use std::{env, fs};

use plyground_host::external::{JavaProgram, ProgramCommand};
use plyground_sandbox::{ProcessLimits, SandboxPolicy, closed_folder};

use self::files::{Cache, JavaFile, Key, MOST_BYTES, java_files, java_files_and_links, read};
use self::jdk::{JavaError, Jdk};
use self::submission::{HOST_CLASS, HostClasses, PlayerClass};
use crate::color::Rules;

mod files;
mod jdk;
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
    let (files, has_links) = java_files_and_links(root)?;
    if has_links {
        // They can lead to sources that are no part of the key: such classes are those of this folder alone.
        key.add(root.canonicalize().map_err(JavaError::at(root))?.as_os_str().as_encoded_bytes());
    }
    for file in files.into_iter().filter(|file| file.is_source()) {
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
