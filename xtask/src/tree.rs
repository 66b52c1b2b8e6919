//! The files of a package, and their compressed `tar` archive.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use lzma_rust2::{XzOptions, XzWriter};
use tar::{Builder, EntryType, Header};

/// The folder of the files that belong to no program.
pub const DOC: &str = "share/doc/plyground";

const RUN_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// A file of a package.
#[derive(Clone)]
pub struct File {
    pub mode: u32,
    pub bytes: Vec<u8>,
}

/// The files of a package, by their paths with `/` between the names.
#[derive(Default)]
pub struct Tree(BTreeMap<String, File>);

impl Tree {
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), File { mode: FILE_MODE, bytes: bytes.into() });
    }

    pub fn add_program(&mut self, path: impl Into<String>, bytes: Vec<u8>) {
        self.0.insert(path.into(), File { mode: RUN_MODE, bytes });
    }

    /// Adds a file of another tree.
    pub fn add_file(&mut self, path: String, file: &File) {
        self.0.insert(path, file.clone());
    }

    /// Adds all files in a folder, below `path`.
    pub fn add_folder(&mut self, path: &str, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let path = format!("{path}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.add_folder(&path, &entry.path())?;
            } else {
                self.add(path, fs::read(entry.path())?);
            }
        }
        Ok(())
    }

    /// Returns the files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Returns all folders that have files in them, each before the folders in it.
    pub fn folders(&self) -> BTreeSet<&str> {
        let folders = |path: &'_ str| -> Vec<usize> {
            path.match_indices('/').map(|(index, _)| index).collect()
        };
        let paths = self.0.keys();
        paths.flat_map(|path| folders(path).into_iter().map(|end| &path[..end])).collect()
    }
}

const FOLDER_MODE: u32 = 0o755;

/// Makes an archive whose files have the time `time`, and paths that begin with `prefix`.
pub fn tar_gz(tree: &Tree, prefix: &str, time: u64) -> Result<Vec<u8>> {
    let gz = GzBuilder::new().write(Vec::new(), Compression::best());
    Ok(tar(tree, prefix, time, gz)?.finish()?)
}

/// The strength of the compression of a large archive. Its dictionary of 64 MiB holds a whole build, so that
/// another one takes little room.
const PRESET: u32 = 9;

/// Makes an archive as [`tar_gz`] does, in a smaller form.
pub fn tar_xz(tree: &Tree, prefix: &str, time: u64) -> Result<Vec<u8>> {
    let xz = XzWriter::new(Vec::new(), XzOptions::with_preset(PRESET))?;
    Ok(tar(tree, prefix, time, xz)?.finish()?)
}

fn tar<W: Write>(tree: &Tree, prefix: &str, time: u64, out: W) -> Result<W> {
    let mut tar = Builder::new(out);
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
    let mut out = tar.into_inner()?;
    out.flush()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;
    use tar::Archive;

    use super::*;

    #[test]
    fn folders_come_before_those_in_them() {
        let mut tree = Tree::default();
        for path in ["b/c/d", "a", "b/x", "b/c/e/f"] {
            tree.add(path, "");
        }
        assert!(tree.folders().into_iter().eq(["b", "b/c", "b/c/e"]));
    }

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
