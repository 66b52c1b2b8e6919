//! Books in files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyground::book::{Book, BookError, MAX_BYTES};
use thiserror::Error;

/// This many bytes show whether a file is a book at all.
const START: u64 = 64;

/// Why a file cannot be used as a book.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct ReadBookError {
    path: PathBuf,
    fault: FileFault,
}

#[derive(Debug, Error)]
enum FileFault {
    #[error("cannot read the book: {0}")]
    Unreadable(#[from] io::Error),
    #[error("too large for a book")]
    TooLarge,
    #[error(transparent)]
    Book(#[from] BookError),
}

/// Reads a book.
///
/// # Errors
///
/// When the file cannot be read or is no book.
pub fn read_book(path: &Path) -> Result<Book, ReadBookError> {
    let read = || {
        let file = File::open(path)?;
        // A file may be endless: what does not begin as a book is read no further.
        let mut bytes = Vec::new();
        Read::take(&file, START).read_to_end(&mut bytes)?;
        if Book::begins_with(&bytes) {
            Read::take(&file, MAX_BYTES).read_to_end(&mut bytes)?;
        }
        if bytes.len() as u64 > MAX_BYTES {
            return Err(FileFault::TooLarge);
        }
        Ok(Book::from_bytes(bytes)?)
    };
    read().map_err(|fault| ReadBookError { path: path.to_owned(), fault })
}

/// Reads books and joins them into one; `None` if there are none.
///
/// # Errors
///
/// When a file cannot be read, is no book, or contradicts those before it.
pub fn merge_books(paths: &[PathBuf]) -> Result<Option<Book>, ReadBookError> {
    let mut merged: Option<Book> = None;
    for path in paths {
        let book = read_book(path)?;
        merged = Some(match merged {
            None => book,
            Some(merged) => merged
                .merge(&book)
                .map_err(|why| ReadBookError { path: path.clone(), fault: why.into() })?,
        });
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn other_files_are_refused() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("no.book");
        let text = || read_book(&path).expect_err("no book").to_string();
        assert!(text().contains("no.book: cannot read the book: "), "{}", text());
        fs::write(&path, "my notes\n")?;
        assert!(text().ends_with("no.book: not a book: it does not begin with `plybook2`"));
        Ok(())
    }
}
