//! Cells in bitboards of eight bits a column; columns as moves, and the sizes of boards.
//!
//! Bit `8 * column + row` stands for a cell, columns from the left and rows from the bottom; a
//! board with fewer than eight rows hangs from the top, its upper row at 7.

use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

use plyground_durable::excerpt;
use thiserror::Error;

/// The lowest bit of every column.
pub(crate) const FLOOR: u64 = 0x0101_0101_0101_0101;

/// The top bit of every column and every second below it. The empty cells of a column are a run down from
/// its top, so their number is odd exactly when the lowest of them is in this set.
pub(crate) const FROM_TOP: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// The number of bits of a column.
pub(crate) const COLUMN_BITS: u32 = 8;

/// The number of columns that fit into a set.
pub(crate) const MOST_COLUMNS: usize = 8;

/// The bits of each column, from the left.
pub(crate) const COLUMNS: [u64; MOST_COLUMNS] = {
    let mut columns = [0; MOST_COLUMNS];
    let mut column = 0;
    while column < MOST_COLUMNS {
        columns[column] = column_of(1 << (COLUMN_BITS as usize * column));
        column += 1;
    }
    columns
};

/// Returns the bits of the column of one cell.
#[inline]
pub(crate) const fn column_of(cell: u64) -> u64 {
    0xff << (cell.trailing_zeros() / COLUMN_BITS * COLUMN_BITS)
}

/// Returns the first of `cells`, the third, the fifth and so on, from the lowest.
#[inline]
pub(crate) fn every_other(cells: u64) -> u64 {
    let mut parity = cells;
    for distance in [1, 2, 4, 8, 16, 32] {
        parity ^= parity << distance;
    }
    cells & parity
}

/// Returns the number of the column of one cell, from the left.
#[inline]
pub(crate) fn column_number(cell: u64) -> usize {
    (cell.trailing_zeros() / COLUMN_BITS) as usize
}

/// Returns the bits of `set`, one at a time, from the lowest.
#[inline]
pub(crate) fn cells(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

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

    /// Returns all sizes, the size of the assignment first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_cell_is_taken_in_turns() {
        for set in [0, 1, 1 << 63, FLOOR, FROM_TOP, 0x0180_4020_0000_0a05] {
            let taken = cells(set).step_by(2).fold(0, |all, cell| all | cell);
            assert_eq!(every_other(set), taken, "{set:x}");
        }
    }
}
