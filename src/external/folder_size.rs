//! How much a program keeps in its folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::system::is_exhausted;

/// More files than this are too many, whatever is in them: to look through them takes time.
const MOST_FILES: usize = 10_000;

/// What the system says of a folder that was removed or replaced meanwhile.
const IS_GONE: [io::ErrorKind; 2] = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];

/// Whether the files in `folder` come to more than `limit` bytes. Links are not followed. What
/// cannot be looked into counts as too much: there may be anything in it.
pub(super) fn exceeds(folder: &Path, limit: u64) -> bool {
    let (mut folders, mut bytes, mut files) = (vec![PathBuf::from(folder)], 0u64, 0);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if IS_GONE.contains(&error.kind()) => continue,
            // If no files can be opened now, they are counted next time.
            Err(error) if is_exhausted(&error) => return false,
            // Its owner has locked it, or it is so deep that its path is too long.
            Err(_) => return true,
        };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            files += 1;
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file() {
                bytes = bytes.saturating_add(metadata.len());
            }
            if bytes > limit || files > MOST_FILES {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_wherever_they_are() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        assert!(!exceeds(folder.path(), 0));
        fs::create_dir_all(folder.path().join("a/b"))?;
        fs::write(folder.path().join("a/b/c"), [0; 600])?;
        fs::write(folder.path().join("d"), [0; 400])?;
        assert!(!exceeds(folder.path(), 1000));
        assert!(exceeds(folder.path(), 999));
        Ok(())
    }
}
