//! The names of pieces, and of the files about them.

use std::fs;
use std::path::Path;

use super::error::WorkError;

/// The longest part of a name that only people need, in bytes: what a file system takes is 255, and
/// there are additions.
const LONGEST: usize = 100;

/// The name of the piece of this number, from 0, with a text for people: `0007-ann`. Different
/// numbers have different names, and each can be the name of a file.
#[must_use]
pub fn piece_name(number: usize, text: &str) -> String {
    let end = (0..=LONGEST.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    let text = text[..end.unwrap_or_default()].replace(['/', '\0'], "_");
    let number = number + 1;
    if text.is_empty() { format!("{number:04}") } else { format!("{number:04}-{text}") }
}

/// Whether a text can be the name of a piece: that of a file which is not hidden.
pub(super) fn is_piece_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']) && name.len() <= 200
}

/// A name and the number behind its last dot.
pub(super) fn split_generation(name: &str) -> Option<(String, u32)> {
    let (piece, generation) = name.rsplit_once('.')?;
    Some((piece.to_owned(), generation.parse().ok()?))
}

/// The names of the files in a folder that are not hidden.
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
