//! Trees as compressed `tar` archives.

use std::io::Write;

use anyhow::Result;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::tree::Tree;

const FOLDER_MODE: u32 = 0o755;

/// Makes an archive whose files have the time `time`, and paths that begin with `prefix`.
pub fn tar_gz(tree: &Tree, prefix: &str, time: u64) -> Result<Vec<u8>> {
    let mut tar = Builder::new(GzBuilder::new().write(Vec::new(), Compression::best()));
    let mut add = |path: &str, kind: EntryType, mode: u32, bytes: &[u8]| {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, format!("{prefix}{path}"), bytes)
    };
    if !prefix.is_empty() {
        add("", EntryType::Directory, FOLDER_MODE, &[])?;
    }
    for folder in tree.folders() {
        add(&format!("{folder}/"), EntryType::Directory, FOLDER_MODE, &[])?;
    }
    for (path, file) in tree.files() {
        add(path, EntryType::Regular, file.mode, &file.bytes)?;
    }
    let mut gz = tar.into_inner()?;
    gz.flush()?;
    Ok(gz.finish()?)
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;
    use tar::Archive;

    use super::*;

    #[test]
    fn archive_is_sorted_and_always_the_same() -> Result<()> {
        let mut tree = Tree::default();
        tree.add_program("bin/play", b"#!".to_vec());
        tree.add("a", "text");
        let bytes = tar_gz(&tree, "x/", 7)?;
        assert_eq!(bytes, tar_gz(&tree, "x/", 7)?);
        let mut archive = Archive::new(GzDecoder::new(&bytes[..]));
        let mut found = Vec::new();
        for entry in archive.entries()? {
            let entry = entry?;
            let header = entry.header();
            assert_eq!((header.mtime()?, header.uid()?, header.gid()?), (7, 0, 0));
            found.push((entry.path()?.to_string_lossy().into_owned(), header.mode()?));
        }
        let expected = [("x/", 0o755), ("x/bin/", 0o755), ("x/a", 0o644), ("x/bin/play", 0o755)];
        let expected = expected.map(|(path, mode)| (path.to_owned(), mode));
        assert_eq!(found, expected);
        Ok(())
    }
}
