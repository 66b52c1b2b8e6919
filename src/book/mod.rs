//! Books: exact values of early positions, with best moves.

use std::error::Error;
use std::fmt;

pub(crate) use file::value_after;
pub use file::{Book, MAX_BYTES};
pub use format::{Entry, NotAnEntry};
pub use plan::{Coverage, Job, Plan, Shard};
pub use verify::{Inconsistency, check_relatives, positions};

mod file;
mod format;
mod plan;
mod verify;

/// The reason that some bytes cannot be used as a book, or that a book cannot be used as requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookError {
    /// The bytes are not a book.
    NotABook,
    /// The book was written by another version of this library.
    OtherVersion,
    /// The end of the book is missing.
    CutOff,
    /// The contents differ from those that were written.
    Damaged {
        /// The checksum in the file.
        expected: u64,
        /// The checksum of the contents.
        found: u64,
    },
    /// The keys do not increase.
    OutOfOrder {
        /// The entry, counted from 1, whose key is not greater than that of the entry before.
        entry: usize,
    },
    /// A value is outside the range of scores.
    OutOfRange {
        /// The entry, counted from 1; values without keys come after those with keys.
        entry: usize,
    },
    /// The values without keys are not as many as there are positions at their ply.
    OtherCount {
        /// The number of moves from the start to the positions.
        plies: u32,
        /// The number of values.
        found: usize,
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
    /// Two books that are to be merged have different values without keys for the same ply.
    OtherValues {
        /// The number of moves from the start to the positions.
        plies: u32,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::NotABook => f.write_str("not a book: it does not begin with `plybook2`"),
            BookError::OtherVersion => f.write_str(
                "a book of another version: expected `plybook2` at its beginning; build it again",
            ),
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
            BookError::OtherCount { plies, found } => write!(
                f,
                "the book has {found} values for the positions after {plies} moves, which are not so \
                 many"
            ),
            BookError::OtherStart => f.write_str("the book is for another start position"),
            BookError::DifferentStarts => f.write_str("the books start from different positions"),
            BookError::Contradiction { key } => write!(
                f,
                "the books contradict each other about the position with the key {key:016x}"
            ),
            BookError::OtherValues { plies } => {
                write!(f, "the books contradict each other about the positions after {plies} moves")
            }
        }
    }
}

impl Error for BookError {}
