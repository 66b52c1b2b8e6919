//! Books in files: reading, journaling and verification.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyground::book::{Book, BookError, Inconsistency, MAX_BYTES, check_relatives, positions};
use plyground::perfect::plies_to_end;
use plyground::search::Limits;
use plyground::{Game, Turn};
use plyground_host::{EngineError, EngineOptions, HostedEngine, HostedPosition};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use thiserror::Error;

/// The number of bytes that show whether a file is a book.
const START: u64 = 64;

/// The error for a file that cannot be used as a book.
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
/// Returns an error if the file cannot be read or is not a book.
pub fn read_book(path: &Path) -> Result<Book, ReadBookError> {
    let read = || {
        let file = File::open(path)?;
        // A file may be endless, so the rest is read only if the file begins as a book.
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

/// Reads books and merges them into one. Returns `None` if `paths` is empty.
///
/// # Errors
///
/// Returns an error if a file cannot be read, is not a book, or contradicts an earlier file.
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

/// Returns the path of the journal of the book in this file: the same path with `.journal` at the
/// end.
pub fn journal_path(out: &Path) -> PathBuf {
    let mut path = out.to_owned().into_os_string();
    path.push(".journal");
    path.into()
}

/// The extent of the checks of a book without faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedBook {
    /// The number of positions in the book.
    pub positions: usize,
    /// The number of moves after the start up to which the book has every position, if it has
    /// values without keys.
    pub every: Option<u32>,
    /// The number of positions that were solved again.
    pub solved: usize,
}

/// The fault of a book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BookFault {
    /// No book can exist for this start, or no engine answers.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The book is for another start.
    #[error(transparent)]
    Start(#[from] BookError),
    /// Two entries of the book contradict each other.
    #[error(transparent)]
    Disagreement(#[from] Inconsistency),
    /// A search finds another value, or finds that the move is not best.
    #[error("{0}")]
    Solved(String),
}

/// Checks a book for games from `start`. A `sample` of its positions, drawn by `seed`, is solved
/// again with a table of `table_mib` MiB. `on_solved` is called with the number of positions solved
/// so far and the number in the sample.
///
/// # Errors
///
/// Returns an error for the first fault that is found.
pub fn verify_book(
    book: &Book,
    start: &HostedPosition,
    table_mib: usize,
    sample: usize,
    seed: u64,
    mut on_solved: impl FnMut(usize, usize),
) -> Result<VerifiedBook, BookFault> {
    plies_to_end(start).map_err(EngineError::from)?;
    let book = book.clone().for_start(start)?;
    check_relatives(&book, start)?;
    let mut engine = start.game().engine(EngineOptions::only_search(table_mib));
    let all = positions(&book, start);
    let mut rng = StdRng::seed_from_u64(seed);
    let sample: Vec<_> = all.sample(&mut rng, sample).collect();
    for (index, position) in sample.iter().enumerate() {
        on_solved(index, sample.len());
        solve_again(&mut *engine, &book, position)?;
    }
    on_solved(sample.len(), sample.len());
    Ok(VerifiedBook { positions: all.len(), every: book.every(), solved: sample.len() })
}

/// Checks that a search finds the book's value and move for `position`.
fn solve_again(
    engine: &mut dyn HostedEngine,
    book: &Book,
    position: &HostedPosition,
) -> Result<(), BookFault> {
    // The search checks values and not the choice among equal moves.
    let limits = || Limits { tie_nodes: Some(0), ..Limits::default() };
    let Some(value) = book.value(position) else { return Ok(()) };
    let Some(solved) = engine.solve_best(position, limits())? else { return Ok(()) };
    let (found, game, state) = (solved.value.score(), position.game(), position.state_word());
    let Some((mv, _)) = book.best_move(position) else {
        let [value, found] = [value, found].map(|score| game.value(score));
        let fault = format!("{state} has value {value} in the book; solved, the value is {found}");
        return if found == value { Ok(()) } else { Err(BookFault::Solved(fault)) };
    };
    let after = position.after(mv);
    let kept = match after.outcome() {
        Some(outcome) => game.score(outcome, position.side_to_move(), 1),
        None => match engine.solve_best(&after, limits())? {
            Some(reply) => Turn::between(position, &after).before_move(reply.value.score()),
            None => return Ok(()),
        },
    };
    if found == value && kept == value {
        return Ok(());
    }
    let [value, found, kept] = [value, found, kept].map(|score| game.value(score));
    Err(BookFault::Solved(format!(
        "{state} has value {value} by move {mv} in the book; solved, the value is {found}, and the \
         move gets {kept}"
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plyground::Score;
    use plyground::book::Entry;
    use plyground_host::toy::toy;

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

    #[test]
    fn wrong_value_is_found() {
        let start = toy().start();
        let mv = start.legal_moves().next().expect("a move");
        let book = Book::new(start.key(), [Entry::new(&start, mv, Score::win_in(9))]);
        let fault = verify_book(&book, &start, 1, 1, 1, |_, _| ()).expect_err("it is a draw");
        let text = ".../.../.../X has value 9 by move 1 in the book; solved, the value is 0, and \
            the move gets 0";
        assert_eq!(fault.to_string(), text);
    }
}
