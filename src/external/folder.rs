//! The folder of a program.

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

/// The file with the position before the move.
pub(super) const INPUT: &str = "input.txt";
/// The file with the position after it.
pub(super) const OUTPUT: &str = "output.txt";

/// The name of a folder that the supervisor of a program will make and remove. It is removed from
/// here too, lest the supervisor should have been killed.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A name that nobody else has.
    pub(super) fn new() -> Folder {
        // The standard library seeds its hash maps with numbers from the system.
        let number = RandomState::new().build_hasher().finish();
        Folder(env::temp_dir().join(format!("plyground-{number:016x}")))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is gone already, as a rule.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes the folder, which must not exist, with the input file if there is to be one.
#[cfg(unix)]
pub(super) fn make(folder: &Path, input: Option<&str>) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(0o700).create(folder)?;
    input.map_or(Ok(()), |text| fs::write(folder.join(INPUT), text))
}
