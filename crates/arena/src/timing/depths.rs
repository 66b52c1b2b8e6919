//! Which depths a table covers.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use plyground::search::MAX_DEPTH;
use thiserror::Error;

/// A range of search depths in plies, both ends included, within 1 to [`MAX_DEPTH`].
///
/// As text `A..B`, `A..` (no end), `..B` (from 1) or `N` (this depth only).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    first: u32,
    last: u32,
}

impl Depths {
    /// Every depth that a search can have.
    pub const ALL: Depths = Depths { first: 1, last: MAX_DEPTH };

    /// Reads a range, no end of which is greater than `greatest`.
    ///
    /// # Errors
    ///
    /// When the text is none.
    pub fn within(text: &str, greatest: u32) -> Result<Depths, NotDepths> {
        let refused = NotDepths { greatest };
        let depth = |text: &str| text.trim().parse().ok().filter(|depth| *depth <= greatest);
        let end = |text: &str, absent: u32| match text.trim() {
            "" => Some(absent),
            number => depth(number),
        };
        let ends = match text.split_once("..") {
            Some((first, last)) if first.trim().is_empty() && last.trim().is_empty() => None,
            Some((first, last)) => end(first, 1).zip(end(last, MAX_DEPTH)),
            None => depth(text).map(|only| (only, only)),
        };
        let (first, last) =
            ends.filter(|(first, last)| 1 <= *first && first <= last).ok_or(refused)?;
        Ok(Depths { first, last })
    }

    /// The same range without depths greater than `last`, but for the first.
    #[must_use]
    pub fn up_to(self, last: u32) -> Depths {
        Depths { last: self.last.min(last).max(self.first), ..self }
    }

    /// The depths, in rising order.
    #[must_use]
    pub fn range(self) -> RangeInclusive<u32> {
        self.first..=self.last
    }
}

/// A text that is not a range of depths.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "expected `A..B`, `A..`, `..B` or `N`, where A, B and N are depths from 1 to {greatest} and A \
     is not greater than B"
)]
pub struct NotDepths {
    greatest: u32,
}

impl FromStr for Depths {
    type Err = NotDepths;

    fn from_str(text: &str) -> Result<Depths, NotDepths> {
        Depths::within(text, MAX_DEPTH)
    }
}

impl fmt::Display for Depths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Depths { first, last } if first == last => write!(f, "{first}"),
            Depths { first, last: MAX_DEPTH } => write!(f, "{first}.."),
            Depths { first, last } => write!(f, "{first}..{last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_forms_are_read() {
        for (text, first, last) in [
            ("3..8", 3, 8),
            ("3..", 3, MAX_DEPTH),
            ("..8", 1, 8),
            ("5", 5, 5),
            (" 3 .. 8 ", 3, 8),
            ("7..7", 7, 7),
            ("1..200", 1, 200),
        ] {
            assert_eq!(text.parse(), Ok(Depths { first, last }), "{text}");
        }
    }

    #[test]
    fn display_reads_back() {
        for text in ["3..8", "3..", "1..8", "5", "1.."] {
            assert_eq!(text.parse::<Depths>().unwrap().to_string(), text);
        }
        assert_eq!(Depths::ALL.to_string(), "1..");
    }

    #[test]
    fn other_text_is_refused() {
        for text in
            ["", " ", "..", "0", "0..3", "8..3", "201", "..201", "-1", "1-3", "a..b", "1...3"]
        {
            assert_eq!(text.parse::<Depths>(), Err(NotDepths { greatest: MAX_DEPTH }), "{text}");
        }
    }
}
