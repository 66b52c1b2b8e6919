//! The entry of a book for one position.

use std::fmt;
use std::str::FromStr;

use crate::hints::SearchHints;
use crate::score::Score;

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
    pub(super) fn has_score(&self) -> bool {
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

/// Stands for the move where no move is known.
const NO_MOVE: &str = "-";

/// Returns the value of `position`, as the side to move sees it: that of its outcome if the game is over,
/// otherwise that of the entry that `entry_of` finds by the key.
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
            None => f.write_str(NO_MOVE),
        }
    }
}

/// The text is not an entry of a book.
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
                    NO_MOVE => None,
                    code => Some(code.parse().ok().filter(|&code| code != u16::MAX)?),
                },
            })
        };
        let entry = entry().ok_or(NotAnEntry)?;
        if entry.has_score() && fields.next().is_none() { Ok(entry) } else { Err(NotAnEntry) }
    }
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
}
