//! Cells and quadruples of them, in bitboards of eight bits a column.
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

/// The top bit of every column and every second below it. The empty cells of a column are a run
/// down from its top, so their number is odd exactly when the lowest of them is one of these.
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

/// The distances between the neighboring cells of a quadruple: vertical, falling diagonal,
/// horizontal, rising diagonal.
const DIRECTIONS: [u32; 4] = [1, 7, 8, 9];

/// The rows in which a quadruple of each direction can start without leaving the board.
const STARTS: [u64; 4] =
    [0x1f1f_1f1f_1f1f_1f1f, 0xf8f8_f8f8_f8f8_f8f8, u64::MAX, 0x1f1f_1f1f_1f1f_1f1f];

/// Sets of quadruples, a bitboard of starting cells for each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quads([u64; 4]);

impl Quads {
    /// Returns the quadruples that lie in `cells` altogether.
    #[inline]
    #[must_use]
    pub fn within(cells: u64) -> Quads {
        let mut quads = [0; 4];
        for ((quad, distance), starts) in quads.iter_mut().zip(DIRECTIONS).zip(STARTS) {
            let pairs = cells & (cells >> distance);
            *quad = pairs & (pairs >> (2 * distance)) & starts;
        }
        Quads(quads)
    }

    /// Returns the number of quadruples.
    #[inline]
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.iter().map(|quads| quads.count_ones()).sum()
    }

    /// Returns the quadruples that are not in `other`.
    #[inline]
    #[must_use]
    pub fn without(self, other: Quads) -> Quads {
        let mut quads = self.0;
        for (quad, out) in quads.iter_mut().zip(other.0) {
            *quad &= !out;
        }
        Quads(quads)
    }

    /// Returns all cells of all quadruples.
    #[inline]
    #[must_use]
    pub fn cells(self) -> u64 {
        let mut cells = [0; 4];
        for ((cell, quads), distance) in cells.iter_mut().zip(self.0).zip(DIRECTIONS) {
            let pairs = quads | (quads << distance);
            *cell = pairs | (pairs << (2 * distance));
        }
        cells[0] | cells[1] | cells[2] | cells[3]
    }

    /// Returns the quadruples that are not vertical.
    #[inline]
    #[must_use]
    pub fn slanted(self) -> Quads {
        Quads([0, self.0[1], self.0[2], self.0[3]])
    }

    /// Returns the numbers of quadruples that hold exactly 0, 1, 2 and 3 of `stones`.
    #[inline]
    #[must_use]
    pub fn count_by_stones(self, stones: u64) -> [u32; 4] {
        let mut counts = [0; 4];
        for (quads, distance) in self.0.into_iter().zip(DIRECTIONS) {
            // A bit-sliced sum of the four cells of every quadruple at once.
            let (a, b) = (stones, stones >> distance);
            let (c, d) = (stones >> (2 * distance), stones >> (3 * distance));
            let (ones_ab, twos_ab) = (a ^ b, a & b);
            let (ones_cd, twos_cd) = (c ^ d, c & d);
            let ones = ones_ab ^ ones_cd;
            let twos = twos_ab ^ twos_cd ^ (ones_ab & ones_cd);
            counts[0] += (quads & !ones & !twos & !(twos_ab & twos_cd)).count_ones();
            counts[1] += (quads & ones & !twos).count_ones();
            counts[2] += (quads & !ones & twos).count_ones();
            counts[3] += (quads & ones & twos).count_ones();
        }
        counts
    }
}

/// Returns the number of vertical quadruples that lack only their top cell, which is in `empty`.
#[inline]
#[must_use]
pub fn open_threes(stones: u64, empty: u64) -> u32 {
    let threes = stones & (stones >> 1) & (stones >> 2);
    (threes & (empty >> 3) & STARTS[0]).count_ones()
}

/// The number of boards that [`greatest_margin`] takes: as many as fit into the widest vectors.
pub const LANES: usize = 8;

/// Returns the margins of some boards: quadruples in the cells of one side less those in the cells of the
/// other. It is written so that a compiler can compute all boards at once.
#[inline(always)]
#[must_use]
pub fn margins(ones: &[u64; LANES], others: &[u64; LANES]) -> [i64; LANES] {
    // In so many words, it is inlined where overflow is checked, too.
    let along = |cells: u64, direction: usize| {
        let pairs = cells & (cells >> DIRECTIONS[direction]);
        let starts = pairs & (pairs >> (2 * DIRECTIONS[direction])) & STARTS[direction];
        i64::from(starts.count_ones())
    };
    let count = |cells| along(cells, 0) + along(cells, 1) + along(cells, 2) + along(cells, 3);
    std::array::from_fn(|lane| count(ones[lane]) - count(others[lane]))
}

/// Returns the greatest of the [`margins`].
#[inline]
#[must_use]
pub fn greatest_margin(ones: &[u64; LANES], others: &[u64; LANES]) -> i32 {
    margins(ones, others).into_iter().fold(i64::MIN, i64::max) as i32
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

    /// Returns a board of `columns` by `rows` with all cells set.
    fn full(columns: u32, rows: u32) -> u64 {
        (0..columns).map(|c| ((0xff << (8 - rows)) & 0xff) << (8 * c)).sum()
    }

    #[test]
    fn counts_of_whole_boards() {
        assert_eq!(Quads::within(full(7, 6)).count(), 69);
        assert_eq!(Quads::within(full(4, 4)).count(), 10);
        assert_eq!(Quads::within(full(8, 8)).count(), 8 * 5 * 2 + 25 * 2);
        assert_eq!(Quads::within(full(8, 8)).slanted().count(), 8 * 5 + 25 * 2);
    }

    #[test]
    fn rows_do_not_run_into_the_next_column() {
        let wrapped = 0b11 | 0b11 << 62;
        assert_eq!(Quads::within(wrapped).count(), 0);
        for quad in [0xf0u64 << 2, 1 << 2 | 1 << 9 | 1 << 16 | 1 << 15] {
            assert_eq!(Quads::within(quad).count(), 0, "{quad:x}");
        }
    }

    #[test]
    fn cells_of_one_quadruple_of_each_direction() {
        for distance in DIRECTIONS {
            let quad = (0..4).map(|i| 1u64 << (11 + i * distance)).sum();
            assert_eq!(Quads::within(quad).count(), 1);
            assert_eq!(Quads::within(quad).cells(), quad);
        }
    }

    #[test]
    fn margins_are_those_of_single_boards() {
        let boards: [u64; LANES] = std::array::from_fn(|i| full(4 + i as u32 % 5, 7) >> (7 * i));
        let none = [0; LANES];
        let single = boards.map(|cells| Quads::within(cells).count() as i32);
        assert_eq!(Some(&greatest_margin(&boards, &none)), single.iter().max());
        assert_eq!(greatest_margin(&none, &boards), -single.iter().min().expect("a board"));
    }

    #[test]
    fn stones_are_counted_quad_by_quad() {
        let column = full(1, 6);
        let quads = Quads::within(column);
        let bottom = |n: u32| (0..n).map(|i| 4u64 << i).sum::<u64>();
        assert_eq!(quads.count_by_stones(0), [3, 0, 0, 0]);
        assert_eq!(quads.count_by_stones(bottom(1)), [2, 1, 0, 0]);
        assert_eq!(quads.count_by_stones(bottom(2)), [1, 1, 1, 0]);
        assert_eq!(quads.count_by_stones(bottom(3)), [0, 1, 1, 1]);
        assert_eq!(open_threes(bottom(3), column), 1);
        assert_eq!(open_threes(bottom(2), column), 0);
    }
}
