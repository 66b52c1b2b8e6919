//! The Java sources of the host, and their compilation.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::JavaError;
use super::files::{Cache, Key};
use super::jdk::Jdk;

/// The class that plays a submission's class over the line protocol.
pub(super) const HOST_CLASS: &str = "plyground.host.Host";

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

/// The classes that the courses gave, which submissions do not include.
const GIVEN: &[Source] = sources![
    "given/Move.java",
    "given/Player.java",
    "given/player/Move.java",
    "given/player/Player.java",
];

/// The compiled Java programs of this crate.
#[derive(Clone, Debug)]
pub(super) struct HostClasses {
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
    use std::{fs, io};

    use super::*;

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
