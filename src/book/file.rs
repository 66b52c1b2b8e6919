//! Books as files.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, LazyLock};

use super::format::{AtPly, BookError, Bytes, Entry, begins_book, value_by};
use super::plan::{EarlyValues, last_known_ply};
use crate::game::Turn;
use crate::hints::SearchHints;
use crate::score::Score;

/// The greatest size of a book in bytes.
pub const MAX_BYTES: u64 = 1 << 30;

/// Exact values of positions, found by their keys, and best moves.
///
/// A book has entries, each the value of a position and mostly a best move, and it may have the values of
/// all positions at one ply. The values of all positions before that ply follow from them.
///
/// The format, in memory and in a file, with numbers in little-endian order:
///
/// | bytes | contents |
/// | --- | --- |
/// | 8 | `plybook2` |
/// | 8 | a checksum (FNV-1a) of everything after it |
/// | 8 | the key of the position that the book starts from |
/// | 4 | the number of entries |
/// | 4 | the number of values without keys |
/// | 2 | the number of moves from the start to their positions |
/// | 2 | the number of different values among them, 256 at most |
/// | 12 each | the entries by key: key (8), value less the margin so far (2), best move's code or 65535 (2) |
/// | 2 each | the different values, without the margin so far |
/// | 1 each | the values without keys, in the order of their keys: indexes of the different values, from 0 |
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
/// // A changed byte is noticed.
/// bytes[40] ^= 1;
/// assert!(matches!(Book::from_bytes(bytes), Err(BookError::Damaged { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Book {
    bytes: Bytes,
    /// The values of early positions, derived from the values without keys for a known start at first use.
    early: Option<Arc<Early>>,
}

type Early = LazyLock<
    Result<EarlyValues, BookError>,
    Box<dyn FnOnce() -> Result<EarlyValues, BookError> + Send>,
>;

impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Book {}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Book {
    /// Makes a book of these entries, for games from the position with this key. If several entries have
    /// the same key, the last one counts.
    #[must_use]
    pub fn new(start_key: u64, entries: impl IntoIterator<Item = Entry>) -> Book {
        Book::with_at_ply(start_key, entries, &AtPly::default())
    }

    fn with_at_ply(
        start_key: u64,
        entries: impl IntoIterator<Item = Entry>,
        at_ply: &AtPly,
    ) -> Book {
        let sorted: BTreeMap<u64, Entry> = entries.into_iter().map(|e| (e.key, e)).collect();
        Book { bytes: Bytes::new(start_key, sorted.values(), at_ply), early: None }
    }

    /// Reads the book in these bytes. It has values for early positions without an entry only after
    /// [`for_start`](Book::for_start).
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a whole and undamaged book.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Book, BookError> {
        Ok(Book { bytes: Bytes::read(bytes.into())?, early: None })
    }

    /// Returns true if these may be the first bytes of a book.
    #[must_use]
    pub fn begins_with(bytes: &[u8]) -> bool {
        begins_book(bytes)
    }

    /// Returns the book in the format of a file.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Returns the same book, if it is for games from `start`. The values of early positions are computed
    /// from those at their last ply at first use, which takes a moment.
    ///
    /// # Errors
    ///
    /// Returns an error if the book is for games from another position.
    pub fn for_start<G: SearchHints + 'static>(self, start: &G) -> Result<Book, BookError> {
        if self.start_key() != start.key() {
            return Err(BookError::OtherStart);
        }
        if self.bytes.value_count() == 0 {
            return Ok(self);
        }
        let (bytes, start) = (self.bytes.clone(), start.clone());
        let find = move || {
            let AtPly { plies, values } = bytes.at_ply();
            EarlyValues::new(&start, plies, &values)
        };
        Ok(Book { early: Some(Arc::new(LazyLock::new(Box::new(find)))), ..self })
    }

    /// Does the same as [`for_start`](Book::for_start), but computes the values of early positions now, so
    /// that an error in them is reported now.
    ///
    /// # Errors
    ///
    /// Returns an error if the book is not for games from `start`, or if its values without keys cannot be
    /// used.
    pub fn ready_for<G: SearchHints + 'static>(self, start: &G) -> Result<Book, BookError> {
        let book = self.for_start(start)?;
        book.count().map(|_| book)
    }

    /// Returns the number of positions that have values, with or without an entry, in a book that is
    /// [`for_start`](Book::for_start), otherwise the number of entries.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of values without keys differs from the number of their positions.
    /// Only the entries of such a book can be used.
    pub fn count(&self) -> Result<usize, BookError> {
        let Some(early) = &self.early else { return Ok(self.len()) };
        let early = LazyLock::force(early).as_ref().map_err(|&error| error)?;
        Ok(early.len() + self.entries().filter(|entry| early.get(entry.key).is_none()).count())
    }

    /// Returns the key of the position that the book starts from.
    #[must_use]
    pub fn start_key(&self) -> u64 {
        self.bytes.start_key()
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if there are neither entries nor values without keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.every().is_none()
    }

    /// Returns the number of moves from the start after which every position has a value; `None` if there
    /// are no values without keys.
    #[must_use]
    pub fn every(&self) -> Option<u32> {
        (self.bytes.value_count() > 0).then(|| self.bytes.plies())
    }

    /// Returns the entries in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..self.len()).map(|index| self.bytes.entry(index))
    }

    /// Returns the entry of `position`, or the entry that follows from the values without keys, if the book
    /// knows its value.
    #[must_use]
    pub fn get<G: SearchHints>(&self, position: &G) -> Option<Entry> {
        self.find(position.key())
    }

    fn find(&self, key: u64) -> Option<Entry> {
        self.entry(key).or_else(|| self.early_value(key))
    }

    /// Returns the value of the position with this key that follows from the values without keys.
    pub(super) fn early_value(&self, key: u64) -> Option<Entry> {
        LazyLock::force(self.early.as_ref()?).as_ref().ok()?.get(key)
    }

    /// Returns the entry with this key.
    fn entry(&self, key: u64) -> Option<Entry> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.bytes.key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.len()).then(|| self.bytes.entry(low)).filter(|entry| entry.key == key)
    }

    /// Returns the value of `position`, as the side to move sees it, if the book knows it or the game is
    /// over.
    #[must_use]
    pub fn value<G: SearchHints>(&self, position: &G) -> Option<Score> {
        value_by(position, |key| self.find(key))
    }

    /// Returns the best move in the entry of `position`, and the value, if the book has them.
    #[must_use]
    pub fn best_move<G: SearchHints>(&self, position: &G) -> Option<(G::Move, Score)> {
        let entry = self.get(position)?;
        Some((entry.best_move(position)?, entry.score(position)))
    }

    /// Returns all best moves in `position`, and its value, if the book knows that and the value of every
    /// move.
    #[must_use]
    pub fn best_moves<G: SearchHints>(&self, position: &G) -> Option<(Vec<G::Move>, Score)> {
        self.get(position)?;
        let worth = |mv| value_after(Some(self), position, &position.after(mv));
        let moves: Vec<G::Move> = position.legal_moves().collect();
        let values: Vec<Score> = moves.iter().map(|&mv| worth(mv)).collect::<Option<_>>()?;
        let best = values.iter().copied().max()?;
        let is_best = |&(_, value): &(G::Move, Score)| value == best;
        Some((moves.into_iter().zip(values).filter(is_best).map(|(mv, _)| mv).collect(), best))
    }

    /// Merges two books into one.
    ///
    /// # Errors
    ///
    /// Returns an error if the books start from different positions or contradict each other.
    pub fn merge(&self, other: &Book) -> Result<Book, BookError> {
        if self.start_key() != other.start_key() {
            return Err(BookError::DifferentStarts);
        }
        let mut entries: BTreeMap<u64, Entry> = self.entries().map(|e| (e.key, e)).collect();
        for entry in other.entries() {
            let earlier = entries.entry(entry.key).or_insert(entry);
            if earlier.to_come != entry.to_come {
                return Err(BookError::Contradiction { key: entry.key });
            }
            earlier.code = earlier.code.or(entry.code);
        }
        let [own, others] = [self, other].map(|book| book.bytes.at_ply());
        if self.every() == other.every() && own != others {
            return Err(BookError::OtherValues { plies: own.plies });
        }
        // The values at the later ply imply the values at the earlier ply.
        let later = if self.every() < other.every() { (other, others) } else { (self, own) };
        let book = Book::with_at_ply(self.start_key(), entries.into_values(), &later.1);
        Ok(Book { early: later.0.early.clone(), ..book })
    }

    /// Returns the same book with the entries without a move, up to the last ply at which every value is
    /// known, turned into values without keys. Returns the book as it is if there are no such entries, or
    /// if there are more than 256 different values.
    ///
    /// # Errors
    ///
    /// Returns an error if the book is not for games from `start`.
    pub fn packed<G: SearchHints + 'static>(self, start: &G) -> Result<Book, BookError> {
        let book = self.for_start(start)?;
        if book.entries().all(|entry| entry.has_move()) {
            return Ok(book);
        }
        let known: HashMap<u64, Entry> = book.entries().map(|entry| (entry.key, entry)).collect();
        let Some((plies, entries)) = last_known_ply(start, &known) else { return Ok(book) };
        let values = entries.iter().map(|entry| entry.to_come).collect();
        let at_ply = AtPly { plies, values };
        if entries.iter().all(Entry::has_move) || !at_ply.fits() || book.every() > Some(plies) {
            return Ok(book);
        }
        let packed = Book::with_at_ply(start.key(), [], &at_ply).for_start(start)?;
        // An entry that contradicts the others is kept for checks to find.
        let kept = |entry: &Entry| packed.early_value(entry.key) != Some(*entry);
        let kept: Vec<Entry> = book.entries().filter(kept).collect();
        Book::with_at_ply(start.key(), kept, &at_ply).for_start(start)
    }
}

/// Returns the value of the move that leads from `position` to `next`, if the game is over there or the
/// book, if any, has the value.
pub(crate) fn value_after<G: SearchHints>(
    book: Option<&Book>,
    position: &G,
    next: &G,
) -> Option<Score> {
    let turn = Turn::between(position, next);
    value_by(next, |key| book?.find(key)).map(|value| turn.before_move(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: u64) -> Entry {
        Entry { key, to_come: -100, code: Some(7) }
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
        assert_eq!(Book::from_bytes(&b"plybook1 and more"[..]), Err(BookError::OtherVersion));
    }

    #[test]
    fn a_move_is_taken_from_the_book_that_has_it() {
        let value = |key| Entry { code: None, ..entry(key) };
        let values = Book::new(5, [3, 9].map(value));
        assert!(values.entries().all(|entry| !entry.has_move()));
        assert_eq!(values.merge(&book()), Ok(book()));
        assert_eq!(book().merge(&values), Ok(book()));
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
