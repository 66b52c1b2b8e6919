//! A move: a column.

use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

use plyground_durable::excerpt;

use crate::size::Size;

/// A move: the column into which a piece is dropped. It is written 1 to 8, from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column(NonZeroU8);

impl Column {
    /// Returns the column with this index from 0, which must be less than [`Size::MOST`].
    ///
    /// # Panics
    ///
    /// Panics if the index is too large.
    #[must_use]
    pub fn from_index(index: u8) -> Column {
        assert!(index < Size::MOST, "no column has the index {index}");
        Column(NonZeroU8::MIN.saturating_add(index))
    }

    /// Returns the index of the column, counted from 0, from the left.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0.get() - 1
    }

    /// Returns the number of the column, counted from 1, from the left.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0.get()
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that is not a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a column: expected a number from 1 to 8", excerpt(.0))]
pub struct NotAColumn(String);

impl FromStr for Column {
    type Err = NotAColumn;

    fn from_str(text: &str) -> Result<Column, NotAColumn> {
        match text.trim().parse::<NonZeroU8>() {
            Ok(number) if number.get() <= Size::MOST => Ok(Column(number)),
            _ => Err(NotAColumn(text.to_owned())),
        }
    }
}
