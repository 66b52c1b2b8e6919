//! Books as files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use super::entry::Entry;
use crate::checksum::fnv1a;
use crate::hints::SearchHints;
use crate::score::Score;

/// A file larger than this is no book.
pub const MAX_BYTES: u64 = 1 << 30;

const MAGIC: [u8; 8] = *b"plybook1";
const CHECKSUM_AT: usize = 8;
/// The checksum covers everything from here on.
const START_KEY_AT: usize = 16;
const HEADER: usize = 24;
const ENTRY: usize = 12;

/// Exact values and best moves of positions, found by their keys.
///
/// The format, in memory and in a file, with numbers in little-endian order:
///
/// | bytes | what |
/// | --- | --- |
/// | 8 | `plybook1` |
/// | 8 | a checksum (FNV-1a) of everything after it |
/// | 8 | the key of the position that the book starts from |
/// | 12 each | the entries: key (8), value without the margin so far (2), code of a best move (2), sorted by key |
///
/// ```
/// use plyground::book::{Book, BookError, Entry};
/// use plyground::testing::TicTacToe;
/// use plyground::{Game, Score};
///
/// let start = TicTacToe::default();
/// let book = Book::new(start.key(), [Entry::new(&start, "5".parse()?, Score::ZERO)]);
/// assert_eq!(book.best_move(&start), Some(("5".parse()?, Score::ZERO)));
/// let mut bytes = book.as_bytes().to_vec();
/// assert_eq!(Book::from_bytes(bytes.clone())?, book);
/// // A byte that changes is noticed.
/// bytes[30] ^= 1;
/// assert!(matches!(Book::from_bytes(bytes), Err(BookError::Damaged { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book(Cow<'static, [u8]>);

/// Why some bytes cannot be used as a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookError {
    /// It is something else, or of another version.
    NotABook,
    /// The end is missing.
    CutOff,
    /// The contents are not what was written.
    Damaged {
        /// The checksum in the file.
        expected: u64,
        /// The checksum of the contents.
        found: u64,
    },
    /// The keys do not increase.
    OutOfOrder {
        /// The entry, counted from 1, that does not come after the one before.
        entry: usize,
    },
    /// A value is none that a position can have.
    OutOfRange {
        /// The entry, counted from 1.
        entry: usize,
    },
    /// The book is for another game or board, or its keys are computed in another way.
    OtherStart,
    /// Two books that are to be merged start from different positions.
    DifferentStarts,
    /// Two books that are to be merged give a position different values.
    Contradiction {
        /// The key of the position.
        key: u64,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::NotABook => f.write_str("not a book: it does not begin with `plybook1`"),
            BookError::CutOff => f.write_str("the book is cut off"),
            BookError::Damaged { expected, found } => write!(
                f,
                "the book is damaged: its checksum is {expected:016x}, that of its contents \
                 {found:016x}"
            ),
            BookError::OutOfOrder { entry } => {
                write!(f, "the book is out of order at entry {entry}")
            }
            BookError::OutOfRange { entry } => {
                write!(f, "the value of entry {entry} in the book is none that a position can have")
            }
            BookError::OtherStart => f.write_str("the book is for another start position"),
            BookError::DifferentStarts => f.write_str("the books start from different positions"),
            BookError::Contradiction { key } => write!(
                f,
                "the books contradict each other about the position with the key {key:016x}"
            ),
        }
    }
}

impl Error for BookError {}

impl Book {
    /// A book of these entries, for games from the position with this key. If several entries have
    /// the same key, the last one counts.
    #[must_use]
    pub fn new(start_key: u64, entries: impl IntoIterator<Item = Entry>) -> Book {
        let sorted: BTreeMap<u64, Entry> = entries.into_iter().map(|e| (e.key, e)).collect();
        let mut contents = Vec::with_capacity(HEADER - START_KEY_AT + ENTRY * sorted.len());
        contents.extend(start_key.to_le_bytes());
        for entry in sorted.values() {
            contents.extend(entry.key.to_le_bytes());
            contents.extend(entry.to_come.to_le_bytes());
            contents.extend(entry.code.to_le_bytes());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(fnv1a(&contents).to_le_bytes());
        bytes.extend(contents);
        Book(bytes.into())
    }

    /// The book in these bytes.
    ///
    /// # Errors
    ///
    /// When they are not a whole and undamaged book.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Book, BookError> {
        let bytes: Cow<'static, [u8]> = bytes.into();
        if !Book::begins_with(&bytes) {
            return Err(BookError::NotABook);
        }
        if bytes.len() < HEADER || !(bytes.len() - HEADER).is_multiple_of(ENTRY) {
            return Err(BookError::CutOff);
        }
        let expected = number(&bytes, CHECKSUM_AT);
        let found = fnv1a(&bytes[START_KEY_AT..]);
        if expected != found {
            return Err(BookError::Damaged { expected, found });
        }
        let book = Book(bytes);
        if let Some(index) = (1..book.len()).find(|&i| book.key(i - 1) >= book.key(i)) {
            return Err(BookError::OutOfOrder { entry: index + 1 });
        }
        let wrong = book.entries().position(|entry| !entry.has_score());
        match wrong {
            Some(index) => Err(BookError::OutOfRange { entry: index + 1 }),
            None => Ok(book),
        }
    }

    /// Whether these may be the first bytes of a book.
    #[must_use]
    pub fn begins_with(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// The book as a file has it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same book, if it is for games from `start`.
    ///
    /// # Errors
    ///
    /// When it is not.
    pub fn for_start<G: SearchHints>(self, start: &G) -> Result<Book, BookError> {
        if self.start_key() == start.key() { Ok(self) } else { Err(BookError::OtherStart) }
    }

    /// The key of the position that the book starts from.
    #[must_use]
    pub fn start_key(&self) -> u64 {
        number(&self.0, START_KEY_AT)
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.0.len() - HEADER) / ENTRY
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.len()).map(|index| self.entry(index))
    }

    /// The entry of `position`, if there is one.
    #[must_use]
    pub fn get<G: SearchHints>(&self, position: &G) -> Option<Entry> {
        let (key, mut low, mut high) = (position.key(), 0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.len()).then(|| self.entry(low)).filter(|entry| entry.key == key)
    }

    /// A best move in `position` and its value, if the book has the position.
    #[must_use]
    pub fn best_move<G: SearchHints>(&self, position: &G) -> Option<(G::Move, Score)> {
        let entry = self.get(position)?;
        Some((entry.best_move(position)?, entry.score(position)))
    }

    /// What a search of `depth` plies would find in `position`, if it reaches the last move of the
    /// game and the book has the position: a best move and its value.
    #[must_use]
    pub fn at_depth<G: SearchHints>(&self, position: &G, depth: u32) -> Option<(G::Move, Score)> {
        position.plies_left().filter(|&left| left <= depth)?;
        self.best_move(position)
    }

    /// Both books in one.
    ///
    /// # Errors
    ///
    /// When they do not fit together.
    pub fn merge(&self, other: &Book) -> Result<Book, BookError> {
        if self.start_key() != other.start_key() {
            return Err(BookError::DifferentStarts);
        }
        let mut entries: BTreeMap<u64, Entry> = self.entries().map(|e| (e.key, e)).collect();
        for entry in other.entries() {
            let earlier = *entries.entry(entry.key).or_insert(entry);
            if earlier.to_come != entry.to_come {
                return Err(BookError::Contradiction { key: entry.key });
            }
        }
        Ok(Book::new(self.start_key(), entries.into_values()))
    }

    fn key(&self, index: usize) -> u64 {
        number(&self.0, HEADER + ENTRY * index)
    }

    fn entry(&self, index: usize) -> Entry {
        let rest = HEADER + ENTRY * index + size_of::<u64>();
        let half = |at: usize| [self.0[at], self.0[at + 1]];
        Entry {
            key: self.key(index),
            to_come: i16::from_le_bytes(half(rest)),
            code: u16::from_le_bytes(half(rest + 2)),
        }
    }
}

/// The eight bytes from `at` on.
fn number(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + size_of::<u64>()].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: u64) -> Entry {
        Entry { key, to_come: -100, code: 7 }
    }

    fn book() -> Book {
        Book::new(5, [9, 3, u64::MAX].map(entry))
    }

    #[test]
    fn a_book_is_read_back() {
        let book = book();
        assert_eq!(Book::from_bytes(book.as_bytes().to_vec()), Ok(book.clone()));
        assert_eq!(book.entries().map(|entry| entry.key).collect::<Vec<_>>(), [3, 9, u64::MAX]);
        assert_eq!((book.len(), book.start_key()), (3, 5));
    }

    #[test]
    fn any_damage_is_noticed() {
        let bytes = book().as_bytes().to_vec();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Book::from_bytes(damaged).is_err(), "byte {at}");
            assert!(Book::from_bytes(bytes[..at].to_vec()).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_value_beyond_all_scores_is_refused() {
        for (to_come, is_score) in
            [(30_000, true), (-30_000, true), (30_001, false), (i16::MIN, false)]
        {
            let book = Book::new(5, [entry(3), Entry { to_come, ..entry(4) }]);
            let read = Book::from_bytes(book.as_bytes().to_vec());
            let expected =
                if is_score { Ok(book) } else { Err(BookError::OutOfRange { entry: 2 }) };
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn books_that_agree_are_merged() {
        let other = Book::new(5, [3, 4].map(entry));
        let merged = book().merge(&other).expect("they agree");
        assert_eq!(
            merged.entries().map(|entry| entry.key).collect::<Vec<_>>(),
            [3, 4, 9, u64::MAX]
        );
        let contrary = Book::new(5, [Entry { to_come: 0, ..entry(3) }]);
        assert_eq!(book().merge(&contrary), Err(BookError::Contradiction { key: 3 }));
        assert_eq!(book().merge(&Book::new(6, [])), Err(BookError::DifferentStarts));
    }
}
