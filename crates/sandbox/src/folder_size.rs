//! The size of a program's folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::is_exhausted;
use crate::folder::MOST_FILES;

/// The errors for a folder that was removed or replaced meanwhile.
const IS_GONE: [io::ErrorKind; 2] = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];

/// Returns whether the files in `folder` come to more than `limit` bytes.
///
/// Links are not followed. A folder that cannot be read counts as too much, since anything may be
/// in it.
pub(crate) fn exceeds(folder: &Path, limit: u64) -> bool {
    let (mut folders, mut bytes, mut files) = (vec![PathBuf::from(folder)], 0u64, 0);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if IS_GONE.contains(&error.kind()) => continue,
            // If the OS cannot open files now, the next look counts them.
            Err(error) if is_exhausted(&error) => return false,
            // The program has locked it, or its path is too long.
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
    fn exceeds_counts_files_in_subfolders() -> std::io::Result<()> {
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
