//! A key for the inputs of a prepared submission, as one word.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use plyground_arena::contents::ContentHash;
use plyground_durable::input::open_regular;
use plyground_sandbox::is_exhausted;
use serde::Serialize;

use crate::submissions::archive::LARGEST;
use crate::submissions::download::{Item, is_platform_folder};
use crate::submissions::error::PrepareError;

/// The version of the preparation, which changes if the same submission may be prepared differently.
const VERSION: &str = concat!("prepare 2, plyground ", env!("CARGO_PKG_VERSION"));

/// The number of bytes that are read: more than any limit lets a submission have.
const MOST_READ: u64 = 2 << 30;

/// Returns the key of files and folders with their names, and of the options and overrides in `said`.
pub(crate) fn key(items: &[Item], said: &impl Serialize) -> Result<String, PrepareError> {
    key_of_beginning(items, said, MOST_READ)
}

/// Returns the key of files of which so many bytes are read.
fn key_of_beginning(
    items: &[Item],
    said: &impl Serialize,
    most: u64,
) -> Result<String, PrepareError> {
    let (mut hash, mut left) = (ContentHash::default(), most);
    hash.add(VERSION);
    hash.add_json(said);
    for item in items {
        hash.add(&item.name);
        add_tree(&mut hash, &item.path, &mut left).map_err(PrepareError::at(&item.path))?;
    }
    Ok(hash.word())
}

/// Adds a file or a folder, and no more contents than are `left`, in bytes.
fn add_tree(hash: &mut ContentHash, path: &Path, left: &mut u64) -> io::Result<()> {
    match add_readable(hash, path, left) {
        // Unpacking tells what is wrong with it.
        Err(error) if !is_exhausted(&error) => hash.add(error.to_string()),
        added => return added,
    }
    Ok(())
}

fn add_readable(hash: &mut ContentHash, path: &Path, left: &mut u64) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        hash.add(found.len().to_le_bytes());
        // A file that is too large is not unpacked, nor are too many. They may be as long as their author
        // says without having any contents.
        if found.len() > LARGEST.min(*left) {
            return Ok(());
        }
        *left -= found.len();
        return hash.add_contents(open_regular(path)?.take(found.len()));
    }
    for entry in sorted(path)? {
        hash.add(entry.file_name().as_encoded_bytes());
        let kind = entry.file_type()?;
        // Links are not followed in unpacking either, and reading a pipe would never end.
        if kind.is_dir() || kind.is_file() {
            add_tree(hash, &entry.path(), left)?;
        }
    }
    hash.add(b"end");
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}

/// Returns the time of the last change of these files, as text; empty if it is not known.
///
/// The times of files in a folder may be those that its author gave them, so only those count that lie right
/// in a folder which a platform has named: the platform gives these their times.
pub(crate) fn last_change(items: &[Item]) -> String {
    let time = items.iter().filter_map(|item| newest(&item.path)).max();
    let time = time.and_then(|time| Timestamp::try_from(time).ok());
    time.map(|time| format!("{time:.0}")).unwrap_or_default()
}

fn newest(path: &Path) -> Option<SystemTime> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_dir() {
        return found.modified().ok();
    }
    let inside = if is_platform_folder(path) { sorted(path).ok()? } else { Vec::new() };
    let files = inside.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_another_key() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        let items = [Item { path: folder.path().to_owned(), name: "x".to_owned() }];
        fs::write(&path, "b")?;
        let first = key(&items, &"said")?;
        assert_eq!(key(&items, &"said")?, first);
        assert_ne!(key(&items, &"else")?, first);
        fs::write(&path, "c")?;
        let second = key(&items, &"said")?;
        fs::rename(&path, folder.path().join("c"))?;
        assert!(first != second && second != key(&items, &"said")?);
        // Files without any end would be read for hours.
        let beginning = |most| key_of_beginning(&items, &"said", most);
        let (short, long) = (beginning(0)?, beginning(1)?);
        fs::write(folder.path().join("c"), "d")?;
        assert!(beginning(0)? == short && beginning(1)? != long);
        // The author of a folder chooses the times of its files; a platform does not let that happen.
        let named = "Ann Lee_12_assignsubmission_file_";
        fs::create_dir(folder.path().join(named))?;
        fs::write(folder.path().join(named).join("a.zip"), "")?;
        assert_eq!(last_change(&items), "");
        for name in ["c", named] {
            let items = [Item { path: folder.path().join(name), name: name.to_owned() }];
            assert!(last_change(&items).ends_with('Z'));
        }
        Ok(())
    }
}
