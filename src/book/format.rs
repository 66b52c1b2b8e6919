//! The bytes of a book with their checksum, the entry of a position, and the faults of both.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::hints::SearchHints;
use crate::score::Score;

const MAGIC: [u8; 8] = *b"plybook2";
/// The first bytes of the books of all versions.
const ANY_MAGIC: &[u8] = b"plybook";
const CHECKSUM_AT: usize = 8;
/// The offset of the start key, from which on the checksum covers everything.
const START_KEY_AT: usize = 16;
const ENTRIES_AT: usize = 24;
const VALUES_AT: usize = 28;
const PLIES_AT: usize = 32;
const KINDS_AT: usize = 34;
const HEADER: usize = 36;
const ENTRY: usize = 12;
/// The code of an entry without a move.
const NO_MOVE: u16 = u16::MAX;
/// The greatest number of different values without keys: each value is stored as an index of one byte.
const MOST_KINDS: usize = 1 << u8::BITS;

/// The values of all positions at one ply, in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AtPly {
    pub(super) plies: u32,
    /// The values, each without the margin so far.
    pub(super) values: Vec<i16>,
}

impl AtPly {
    /// Returns true if the format has room for the values.
    pub(super) fn fits(&self) -> bool {
        self.kinds().len() <= MOST_KINDS
            && self.plies <= u16::MAX.into()
            && u32::try_from(self.values.len()).is_ok()
    }

    /// Returns the different values, in order.
    fn kinds(&self) -> Vec<i16> {
        self.values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// The bytes of a whole and undamaged book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bytes(Cow<'static, [u8]>);

impl Bytes {
    /// Makes the bytes of a book of these entries, which are sorted by key, and of values that
    /// [fit](AtPly::fits).
    pub(super) fn new<'a>(
        start_key: u64,
        entries: impl ExactSizeIterator<Item = &'a Entry>,
        at_ply: &AtPly,
    ) -> Bytes {
        let mut contents = start_key.to_le_bytes().to_vec();
        contents.extend((entries.len() as u32).to_le_bytes());
        contents.extend((at_ply.values.len() as u32).to_le_bytes());
        contents.extend((at_ply.plies as u16).to_le_bytes());
        let kinds = at_ply.kinds();
        contents.extend((kinds.len() as u16).to_le_bytes());
        for entry in entries {
            contents.extend(entry.key.to_le_bytes());
            contents.extend(entry.to_come.to_le_bytes());
            contents.extend(entry.code.unwrap_or(NO_MOVE).to_le_bytes());
        }
        contents.extend(kinds.iter().flat_map(|kind| kind.to_le_bytes()));
        let numbers = at_ply.values.iter().map(|value| kinds.partition_point(|kind| kind < value));
        contents.extend(numbers.map(|number| number as u8));
        let mut bytes = MAGIC.to_vec();
        bytes.extend(fnv1a(&contents).to_le_bytes());
        bytes.extend(contents);
        Bytes(bytes.into())
    }

    /// Checks that these are a whole and undamaged book.
    pub(super) fn read(bytes: Cow<'static, [u8]>) -> Result<Bytes, BookError> {
        if !begins_book(&bytes) {
            let is_other = bytes.starts_with(ANY_MAGIC);
            return Err(if is_other { BookError::OtherVersion } else { BookError::NotABook });
        }
        let book = Bytes(bytes);
        if book.0.len() < HEADER || book.expected_len() != Some(book.0.len()) {
            return Err(BookError::CutOff);
        }
        let expected = book.number(CHECKSUM_AT, 8);
        let found = fnv1a(&book.0[START_KEY_AT..]);
        if expected != found {
            return Err(BookError::Damaged { expected, found });
        }
        if let Some(index) = (1..book.len()).find(|&i| book.key(i - 1) >= book.key(i)) {
            return Err(BookError::OutOfOrder { entry: index + 1 });
        }
        match (0..book.len() + book.value_count()).find(|&index| !book.is_score(index)) {
            Some(index) => Err(BookError::OutOfRange { entry: index + 1 }),
            None => Ok(book),
        }
    }

    /// Returns the length of the book according to its header.
    fn expected_len(&self) -> Option<usize> {
        let entries = self.len().checked_mul(ENTRY)?;
        (HEADER + 2 * self.kinds()).checked_add(entries)?.checked_add(self.value_count())
    }

    /// Returns true if the value with this number is within the range of scores; the values of the entries
    /// come first.
    fn is_score(&self, index: usize) -> bool {
        let value = match index.checked_sub(self.len()) {
            None => Some(self.entry(index).to_come),
            Some(index) => self.value(index),
        };
        let range = Score::MIN.get()..=Score::MAX.get();
        value.is_some_and(|value| range.contains(&value.into()))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn start_key(&self) -> u64 {
        self.number(START_KEY_AT, 8)
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.number(ENTRIES_AT, 4) as usize
    }

    /// Returns the number of values without keys.
    pub(super) fn value_count(&self) -> usize {
        self.number(VALUES_AT, 4) as usize
    }

    pub(super) fn plies(&self) -> u32 {
        self.number(PLIES_AT, 2) as u32
    }

    fn kinds(&self) -> usize {
        self.number(KINDS_AT, 2) as usize
    }

    pub(super) fn key(&self, index: usize) -> u64 {
        self.number(HEADER + ENTRY * index, 8)
    }

    pub(super) fn entry(&self, index: usize) -> Entry {
        let rest = HEADER + ENTRY * index + 8;
        let code = self.number(rest + 2, 2) as u16;
        Entry {
            key: self.key(index),
            to_come: self.number(rest, 2) as i16,
            code: Some(code).filter(|&code| code != NO_MOVE),
        }
    }

    /// Returns the values without keys.
    pub(super) fn at_ply(&self) -> AtPly {
        let values = (0..self.value_count()).filter_map(|index| self.value(index));
        AtPly { plies: self.plies(), values: values.collect() }
    }

    /// Returns a value without a key; `None` if the index is out of range.
    fn value(&self, index: usize) -> Option<i16> {
        let kinds_at = HEADER + ENTRY * self.len();
        let kind = *self.0.get(kinds_at + 2 * self.kinds() + index)?;
        let is_there = usize::from(kind) < self.kinds();
        is_there.then(|| self.number(kinds_at + 2 * usize::from(kind), 2) as i16)
    }

    /// Returns the number in the `bytes` bytes from `at` on.
    fn number(&self, at: usize, bytes: usize) -> u64 {
        self.0[at..at + bytes].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
    }
}

/// Returns true if these may be the first bytes of a book.
pub(super) fn begins_book(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The exact value of a position, with a best move if one is known.
///
/// ```
/// use plyground::book::Entry;
/// use plyground::testing::TicTacToe;
/// use plyground::Score;
///
/// let start = TicTacToe::default();
/// let entry = Entry::new(&start, "5".parse()?, Score::ZERO);
/// assert_eq!(entry.score(&start), Score::ZERO);
/// assert_eq!(entry.to_string().parse(), Ok(entry));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The [`Game::key`](crate::Game::key) of the position.
    pub(super) key: u64,
    /// The result of best play to the side to move, less the
    /// [margin](crate::Game::margin) so far.
    pub(super) to_come: i16,
    /// The [`move_code`](SearchHints::move_code) of a best move in the orientation of the key, if
    /// one is known.
    pub(super) code: Option<u16>,
}

impl Entry {
    /// Returns the [`Game::key`](crate::Game::key) of the position.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Makes the entry of `position`, whose value is `score`, with the best move `mv`.
    #[must_use]
    pub fn new<G: SearchHints>(position: &G, mv: G::Move, score: Score) -> Entry {
        let code = position.canonical_code(position.move_code(mv)) as u16;
        Entry { code: Some(code), ..Entry::of_value(position, score) }
    }

    /// Returns the entry of `position`, whose value is `score`, where no best move is known.
    #[must_use]
    pub fn of_value<G: SearchHints>(position: &G, score: Score) -> Entry {
        let to_come = if score.plies_to_end().is_some() {
            score
        } else {
            score - position.margin() * G::POINT
        };
        Entry { key: position.key(), to_come: to_come.get() as i16, code: None }
    }

    /// Returns true if a best move is known.
    #[must_use]
    pub fn has_move(&self) -> bool {
        self.code.is_some()
    }

    /// Returns the value of `position`, to which the entry belongs.
    #[must_use]
    pub fn score<G: SearchHints>(&self, position: &G) -> Score {
        let to_come = Score::from_raw(self.to_come.into());
        if to_come.plies_to_end().is_some() {
            to_come
        } else {
            to_come + position.margin() * G::POINT
        }
    }

    /// Returns true if the value is within the range of scores.
    fn has_score(&self) -> bool {
        (Score::MIN.get()..=Score::MAX.get()).contains(&self.to_come.into())
    }

    /// Returns the best move in `position`, to which the entry belongs; `None` if no move is known, or if
    /// it is illegal there, so that the entry belongs to another position.
    #[must_use]
    pub fn best_move<G: SearchHints>(&self, position: &G) -> Option<G::Move> {
        let code = usize::from(self.code?);
        position.legal_moves().find(|&mv| position.canonical_code(position.move_code(mv)) == code)
    }
}

/// The text in the place of an unknown move.
const NO_MOVE_TEXT: &str = "-";

/// Returns the value of `position`, as the side to move sees it: the score of its outcome if the game is
/// over, otherwise the value of the entry that `entry_of` finds by the key.
pub(super) fn value_by<G: SearchHints>(
    position: &G,
    entry_of: impl FnOnce(u64) -> Option<Entry>,
) -> Option<Score> {
    match position.outcome() {
        Some(outcome) => Some(outcome.score::<G>(position.side_to_move(), 0)),
        None => entry_of(position.key()).map(|entry| entry.score(position)),
    }
}

/// Writes the entry as a line of text: the key in hexadecimal digits, the value, and the code of the move
/// or `-`.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { key, to_come, code } = self;
        write!(f, "{key:016x} {to_come} ")?;
        match code {
            Some(code) => write!(f, "{code}"),
            None => f.write_str(NO_MOVE_TEXT),
        }
    }
}

/// The error that a text is not an entry of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnEntry;

impl fmt::Display for NotAnEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected the key, the value and the move of an entry")
    }
}

impl std::error::Error for NotAnEntry {}

impl FromStr for Entry {
    type Err = NotAnEntry;

    fn from_str(line: &str) -> Result<Entry, NotAnEntry> {
        let mut fields = line.split(' ');
        let mut entry = || {
            Some(Entry {
                key: u64::from_str_radix(fields.next()?, 16).ok()?,
                to_come: fields.next()?.parse().ok()?,
                code: match fields.next()? {
                    NO_MOVE_TEXT => None,
                    code => Some(code.parse().ok().filter(|&code| code != u16::MAX)?),
                },
            })
        };
        let entry = entry().ok_or(NotAnEntry)?;
        if entry.has_score() && fields.next().is_none() { Ok(entry) } else { Err(NotAnEntry) }
    }
}

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
        /// The entry, counted from 1, whose key is not greater than the key of the entry before.
        entry: usize,
    },
    /// A value is outside the range of scores.
    OutOfRange {
        /// The entry, counted from 1; values without keys come after those with keys.
        entry: usize,
    },
    /// The number of values without keys differs from the number of positions at their ply.
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

/// Returns the hash FNV-1a in 64 bits (G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, "The FNV
/// non-cryptographic hash algorithm", RFC 9923), the checksum of a book: every change of a single byte changes
/// it.
///
/// The engine computes the checksum itself, because it depends on no other crate. The files of the crates
/// above use the checksum of `plyground_durable`, which does not depend on the engine.
///
/// ```
/// use plyground::book::fnv1a;
///
/// assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
/// assert_ne!(fnv1a(b"7 won"), fnv1a(b"7 not"));
/// ```
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_back() {
        let entry = Entry { key: 0xfeed, to_come: -200, code: Some(33) };
        assert_eq!(entry.to_string(), "000000000000feed -200 33");
        assert_eq!(entry.to_string().parse(), Ok(entry));
        let value = Entry { code: None, ..entry };
        assert_eq!(value.to_string(), "000000000000feed -200 -");
        assert_eq!(value.to_string().parse(), Ok(value));
        for bad in ["", "nonsense", "feed -200", "feed -200 33 1", "feed 99999 1", "feed 30001 1"] {
            assert_eq!(bad.parse::<Entry>(), Err(NotAnEntry), "{bad}");
        }
        assert_eq!("feed 0 65535".parse::<Entry>(), Err(NotAnEntry), "it stands for no move");
    }

    #[test]
    fn checksums_are_those_of_others() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
