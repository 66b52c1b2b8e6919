//! The files of a package.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_those_in_them() {
        let mut tree = Tree::default();
        for path in ["b/c/d", "a", "b/x", "b/c/e/f"] {
            tree.add(path, "");
        }
        assert!(tree.folders().into_iter().eq(["b", "b/c", "b/c/e"]));
    }
}
