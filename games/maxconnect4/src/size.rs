//! Sizes of boards, and their names.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The number of columns and rows of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub(crate) columns: u8,
    pub(crate) rows: u8,
}

impl Size {
    /// The board of the assignment: seven columns, six rows.
    pub const STANDARD: Size = Size { columns: 7, rows: 6 };
    /// The least number of columns or rows.
    pub const LEAST: u8 = 4;
    /// The greatest number of columns or rows.
    pub const MOST: u8 = 8;

    /// Returns the size of a board of 4 to 8 columns and 4 to 8 rows, or `None` outside these limits.
    #[must_use]
    pub fn new(columns: u8, rows: u8) -> Option<Size> {
        let range = Size::LEAST..=Size::MOST;
        (range.contains(&columns) && range.contains(&rows)).then_some(Size { columns, rows })
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// Returns all sizes, that of the assignment first.
    pub fn all() -> impl Iterator<Item = Size> {
        let range = Size::LEAST..=Size::MOST;
        let others = range.clone().flat_map(move |columns| {
            range.clone().filter_map(move |rows| Size::new(columns, rows))
        });
        [Size::STANDARD].into_iter().chain(others.filter(|&size| size != Size::STANDARD))
    }
}

/// Writes columns, then rows, as in `7x6`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns(), self.rows())
    }
}

/// The error that a text is not a size of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", NotASize::EXPECTED)]
pub struct NotASize;

impl NotASize {
    pub(crate) const EXPECTED: &str = "COLUMNSxROWS, both from 4 to 8, as in 7x6";
}

impl FromStr for Size {
    type Err = NotASize;

    fn from_str(text: &str) -> Result<Size, NotASize> {
        let (columns, rows) = text.split_once('x').ok_or(NotASize)?;
        let number = |text: &str| text.parse().map_err(|_| NotASize);
        Size::new(number(columns)?, number(rows)?).ok_or(NotASize)
    }
}
