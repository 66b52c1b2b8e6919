//! Facts that Java sources and class files tell.

use std::fs;
use std::path::{Path, PathBuf};

use super::JavaError;
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

/// The first bytes of a class file.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// Returns the name of the Java class in a class file, with its package; `None` if the file is not a class
/// file, or is damaged.
///
/// The format is that of chapter 4 of the Java Virtual Machine Specification: the constants come first; one
/// of them is the class, and refers to another that is its name.
pub(super) fn class_name(bytes: &[u8]) -> Option<String> {
    let mut rest = Reader(bytes);
    // The version follows.
    if rest.take(MAGIC.len())? != MAGIC || rest.take(4).is_none() {
        return None;
    }
    let count = usize::from(rest.number()?);
    let (mut texts, mut classes) = (vec![None; count], vec![None; count]);
    let mut index = 1;
    while index < count {
        let kind = rest.take(1)?[0];
        match kind {
            1 => {
                let length = usize::from(rest.number()?);
                texts[index] = Some(rest.take(length)?);
            }
            7 => classes[index] = Some(usize::from(rest.number()?)),
            8 | 16 | 19 | 20 => drop(rest.take(2)?),
            15 => drop(rest.take(3)?),
            3 | 4 | 9..=12 | 17 | 18 => drop(rest.take(4)?),
            5 | 6 => drop(rest.take(8)?),
            _ => return None,
        }
        // A long number counts for two.
        index += if matches!(kind, 5 | 6) { 2 } else { 1 };
    }
    // The access flags of the class.
    rest.take(2)?;
    let own = classes.get(usize::from(rest.number()?)).copied().flatten()?;
    let name = texts.get(own).copied().flatten()?;
    String::from_utf8(name.to_vec()).ok().map(|name| name.replace('/', "."))
}

/// A reader of the bytes that are left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }
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

    /// Returns the beginning of a class file: constants, a long one among them.
    fn class_file(name: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0, 0, 0, 61, 0, 6]);
        bytes.extend([1, 0, u8::try_from(name.len()).expect("a short name")]);
        bytes.extend(name.as_bytes());
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 9, 7, 0, 1, 10, 0, 4, 0, 1]);
        bytes.extend([0, 0x21, 0, 4]);
        bytes
    }

    #[test]
    fn name_is_read_and_damage_is_noticed() {
        let bytes = class_file("a/player/Bob");
        assert_eq!(class_name(&bytes).as_deref(), Some("a.player.Bob"));
        for length in 0..bytes.len() {
            assert_eq!(class_name(&bytes[..length]), None, "{length} bytes");
        }
        assert_eq!(class_name(b"#!/bin/sh and more"), None);
    }
}
