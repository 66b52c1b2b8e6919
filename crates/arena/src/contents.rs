//! The contents of external programs, which show that a program is the same on another computer.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use plyground_durable::excerpt;
use plyground_durable::input::open_regular;
use plyground_durable::work::PieceError;
use plyground_host::HostedGame;
use plyground_host::external::NotReady;
use plyground_host::player::PlayerSpec;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::programs::{ProgramOptions, is_executable, place_of_program};

/// The hashes of programs, as words, by the text of the player.
pub type Contents = BTreeMap<String, String>;

/// Returns the hash of everything that a player's command names: the program that it starts, and
/// every file and folder among its arguments, with the contents. Returns `None` for built-in
/// players.
///
/// A prepared submission names its folder and therefore also the program that runs it, such as
/// `python3`.
pub fn program_content(spec: &PlayerSpec) -> Option<String> {
    let mut hash = ContentHash::default();
    match spec {
        PlayerSpec::Java(java) => {
            add_program(&mut hash, "java");
            hash.add_tree(java.path());
        }
        _ => {
            let command = spec.command()?.program(None);
            let (program, arguments) = command.words.split_first()?;
            hash.add(spec.to_string());
            add_program(&mut hash, program);
            arguments.iter().for_each(|word| add_start(&mut hash, word));
            command.files.iter().for_each(|path| hash.add_tree(path));
        }
    }
    Some(hash.word())
}

fn add_program(hash: &mut ContentHash, word: &str) {
    match place_of_program(word) {
        // The target counts and not the path, which may be a link.
        Some(place) => hash.add_tree(&place.canonicalize().unwrap_or(place)),
        None => hash.add("no program"),
    }
}

/// Adds the shell text that starts a submission, and the program after `exec`.
fn add_start(hash: &mut ContentHash, word: &str) {
    if let Some((_, start)) = word.split_once("exec ") {
        hash.add(start);
        let program = start.split_whitespace().next().unwrap_or_default();
        if !program.contains('/') {
            add_program(hash, program);
        }
    }
}

/// A check that programs have not changed since the work was prepared. Each program is checked
/// once.
#[derive(Debug)]
pub struct ContentCheck {
    expected: Contents,
    programs: ProgramOptions,
    /// The outcomes so far, by the text of the player.
    seen: Mutex<BTreeMap<String, Result<(), String>>>,
}

impl ContentCheck {
    /// Creates a check for these contents, with the options for external programs.
    pub fn new(expected: Contents, programs: ProgramOptions) -> ContentCheck {
        ContentCheck { expected, programs, seen: Mutex::default() }
    }

    /// Checks that a program is unchanged on this computer and can be started.
    ///
    /// # Errors
    ///
    /// Returns an error that names the difference, or the program that cannot be started.
    pub fn check(
        &self,
        game: &dyn HostedGame,
        spec: &PlayerSpec,
        depth: Option<u32>,
    ) -> Result<(), PieceError> {
        if !spec.is_external() {
            return Ok(());
        }
        let text = spec.to_string();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || self.look(game, spec, depth, &text);
        seen.entry(text.clone()).or_insert_with(look).clone().map_err(PieceError::Unfit)
    }

    fn look(
        &self,
        game: &dyn HostedGame,
        spec: &PlayerSpec,
        depth: Option<u32>,
        text: &str,
    ) -> Result<(), String> {
        let shown = excerpt(text);
        match self.programs.make_ready(game, spec, depth) {
            Err(NotReady::Program(why) | NotReady::Lacking(why) | NotReady::System(why)) => {
                return Err(format!("{shown}: {why}"));
            }
            Ok(()) => {}
        }
        let found = program_content(spec);
        if self.expected.get(text) == found.as_ref() {
            return Ok(());
        }
        Err(format!(
            "{shown}: its program or interpreter differs here from where the work was prepared"
        ))
    }
}

/// The greatest length of a file whose contents are hashed, in bytes.
const LONGEST: u64 = 8 << 30;

/// A hash of texts and files, each with its length, so that none runs into the next.
#[derive(Debug, Default)]
pub struct ContentHash(Sha256);

impl ContentHash {
    /// Adds a text or bytes.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds a value as JSON.
    pub fn add_json(&mut self, value: &impl Serialize) {
        // A value without a form in JSON counts as the error, which names the value.
        self.add(serde_json::to_vec(value).unwrap_or_else(|error| error.to_string().into_bytes()));
    }

    /// Adds a file, or a folder with everything in it. The error of an unreadable file counts as
    /// its content.
    pub fn add_tree(&mut self, path: &Path) {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => {
                let mut entries: Vec<_> =
                    fs::read_dir(path).into_iter().flatten().flatten().collect();
                entries.sort_by_key(std::fs::DirEntry::file_name);
                self.add(format!("folder of {}", entries.len()));
                for entry in entries {
                    self.add(entry.file_name().as_encoded_bytes());
                    self.add_tree(&entry.path());
                }
            }
            Ok(found) if found.is_symlink() => {
                self.add(fs::read_link(path).unwrap_or_default().as_os_str().as_encoded_bytes());
            }
            // A build may leave anything, and reading a pipe might never end.
            Ok(found) if !found.is_file() => self.add("neither file nor folder"),
            Ok(found) => {
                self.add_json(&is_executable(&found));
                self.add(found.len().to_le_bytes());
                // A file of absurd length may be empty, so its contents are not read.
                if found.len() > LONGEST {
                    self.add_json(&found.modified().ok());
                } else if let Err(error) = open_regular(path).and_then(|it| self.add_contents(it)) {
                    self.add(error.to_string());
                }
            }
            Err(error) => self.add(error.to_string()),
        }
    }

    /// Adds the bytes of a reader, in parts, because they may be larger than the memory. Their
    /// length is not added.
    pub fn add_contents(&mut self, mut from: impl io::Read) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match from.read(&mut buffer)? {
                0 => return Ok(()),
                length => self.0.update(&buffer[..length]),
            }
        }
    }

    /// Returns the hash as a word.
    pub fn word(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::{fs, io};

    use plyground_host::toy::toy;

    use super::*;

    type Failure = Box<dyn std::error::Error>;

    #[test]
    fn every_change_of_a_program_is_another_content() -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("player.py");
        fs::write(&path, "one")?;
        let spec: PlayerSpec = format!("line:sh {}", path.display()).parse()?;
        let first = program_content(&spec);
        assert!(first.is_some());
        let programs = ProgramOptions::default();
        let check = |content: &Option<String>| {
            let expected = content.iter().map(|word| (spec.to_string(), word.clone())).collect();
            ContentCheck::new(expected, programs.clone()).check(&*toy(), &spec, None)
        };
        assert_eq!(check(&first), Ok(()));
        fs::write(&path, "two")?;
        assert_ne!(program_content(&spec), first);
        let error = check(&first).expect_err("another program").to_string();
        assert!(error.contains("differs here from where the work was prepared"), "{error}");
        let gone: PlayerSpec = "line:no-such-program".parse()?;
        let error = ContentCheck::new(Contents::new(), programs).check(&*toy(), &gone, None);
        assert!(matches!(error, Err(PieceError::Unfit(why)) if why.contains("no program")));
        assert_eq!(program_content(&"random".parse()?), None);
        Ok(())
    }

    fn tree(folder: &Path) -> String {
        let mut hash = ContentHash::default();
        hash.add_tree(folder);
        hash.word()
    }

    #[test]
    fn every_change_of_a_folder_is_another_tree() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        let mut seen = HashSet::new();
        let mut changed = || assert!(seen.insert(tree(folder.path())), "the same as before");
        changed();
        fs::write(path("a"), "b")?;
        changed();
        fs::write(path("a"), "c")?;
        changed();
        fs::rename(path("a"), path("b"))?;
        changed();
        fs::create_dir(path("d"))?;
        changed();
        fs::rename(path("b"), path("d/b"))?;
        changed();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(path("d/b"), fs::Permissions::from_mode(0o755))?;
            changed();
        }
        assert_eq!(tree(folder.path()), tree(folder.path()));
        Ok(())
    }
}
