//! The content of texts, files and folders as one word.

use std::fmt::Debug;
use std::fs;
use std::io::{self, BufRead};
use std::path::Path;

use plyground_durable::input::open_regular;
use sha2::{Digest, Sha256};

/// The greatest length of a file of which the contents are hashed, in bytes.
const LONGEST: u64 = 8 << 30;

/// Hashes texts and files, each with its length, so that none runs into the next.
#[derive(Default)]
pub(crate) struct ContentHash(Sha256);

impl ContentHash {
    pub(crate) fn add(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(crate) fn add_debug(&mut self, value: &impl Debug) {
        self.add(format!("{value:?}"));
    }

    /// A folder with all that is in it, or a file. What cannot be read is different from what can.
    pub(crate) fn add_tree(&mut self, path: &Path) {
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
            Ok(found) if found.is_symlink() => self.add_debug(&fs::read_link(path).ok()),
            // A build may leave anything. From a pipe there would be no end to read.
            Ok(found) if !found.is_file() => self.add("neither file nor folder"),
            Ok(found) => {
                self.add_debug(&is_executable(&found));
                self.add(found.len().to_le_bytes());
                // Piece by piece: a file may be larger than the memory.
                // One that says it is longer than any that a person has may have no contents at all.
                if found.len() > LONGEST {
                    self.add_debug(&found.modified().ok());
                } else if let Err(error) = self.add_file(path) {
                    self.add(error.to_string());
                }
            }
            Err(error) => self.add(error.to_string()),
        }
    }

    fn add_file(&mut self, path: &Path) -> io::Result<()> {
        let mut file = io::BufReader::with_capacity(1 << 16, open_regular(path)?);
        loop {
            let bytes = file.fill_buf()?;
            let count = bytes.len();
            if count == 0 {
                return Ok(());
            }
            self.0.update(bytes);
            file.consume(count);
        }
    }

    /// The hash, as a word.
    pub(crate) fn word(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(unix)]
fn is_executable(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::io;

    use super::*;

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
