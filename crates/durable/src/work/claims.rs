//! The claims of tasks on pieces.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::WorkError;

/// The files that record which task does which piece. A claim is never taken back: a task that replaces a
/// holder that has ended makes the claim of the next generation.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    folder: PathBuf,
}

impl Claims {
    pub(super) fn new(folder: PathBuf) -> Claims {
        Claims { folder }
    }

    /// Claims a piece for a task. Returns false if another task has this claim.
    pub(super) fn take(&self, piece: &str, generation: u32, task: &str) -> Result<bool, WorkError> {
        let path = self.file(piece, generation);
        match File::create_new(&path) {
            Ok(mut file) => {
                // A task that finds the file without a name treats its holder as a task that is dead.
                file.write_all(task.as_bytes()).map_err(WorkError::at(&path))?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(WorkError::Io { path, source }),
        }
    }

    /// Returns the last generation of the claims on each piece that has any.
    pub(super) fn all(&self) -> Result<HashMap<String, u32>, WorkError> {
        let mut last: HashMap<String, u32> = HashMap::new();
        for name in file_names(&self.folder)? {
            if let Some((piece, generation)) = split_generation(&name) {
                let known = last.entry(piece).or_default();
                *known = generation.max(*known);
            }
        }
        Ok(last)
    }

    /// Returns the name of the task that has a claim, or an empty text if the task has not written it yet.
    pub(super) fn holder(&self, piece: &str, generation: u32) -> String {
        fs::read_to_string(self.file(piece, generation)).unwrap_or_default()
    }

    fn file(&self, piece: &str, generation: u32) -> PathBuf {
        self.folder.join(format!("{piece}.{generation}"))
    }
}

/// The most bytes of the part of a name that only people need. File systems allow 255 bytes, and the name is
/// extended elsewhere.
const LONGEST: usize = 100;

/// Returns the name of the piece of this number, from 0, with a text for people: `0007-ann`. Different
/// numbers have different names, and each name is valid as the name of a file.
#[must_use]
pub fn piece_name(number: usize, text: &str) -> String {
    let end = (0..=LONGEST.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    let text = text[..end.unwrap_or_default()].replace(['/', '\0'], "_");
    let number = number + 1;
    if text.is_empty() { format!("{number:04}") } else { format!("{number:04}-{text}") }
}

/// If true, a text can be the name of a piece: it is the valid name of a file that is not hidden.
pub(super) fn is_piece_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']) && name.len() <= 200
}

/// Splits a name at its last dot into the piece and the number of the generation.
pub(super) fn split_generation(name: &str) -> Option<(String, u32)> {
    let (piece, generation) = name.rsplit_once('.')?;
    Some((piece.to_owned(), generation.parse().ok()?))
}

/// Returns the names of the files in a folder that are not hidden.
pub(super) fn file_names(folder: &Path) -> Result<Vec<String>, WorkError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(WorkError::at(folder))? {
        let name = entry.map_err(WorkError::at(folder))?.file_name();
        names.extend(name.into_string().ok().filter(|name| !name.starts_with('.')));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        assert_eq!(piece_name(6, "ann"), "0007-ann");
        assert_eq!(piece_name(6, ""), "0007");
        assert_eq!(piece_name(0, "../x"), "0001-.._x");
        let long = "ü".repeat(200);
        assert_eq!(piece_name(12_345, &long).len(), "12346-".len() + LONGEST);
        for name in ["0007-ann", &piece_name(0, &long)] {
            assert!(is_piece_name(name), "{name}");
        }
        for name in ["", ".x", "a/b"] {
            assert!(!is_piece_name(name), "{name}");
        }
    }
}
