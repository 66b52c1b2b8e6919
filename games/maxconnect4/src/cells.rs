//! Sets of cells: a bit for each cell, and a byte for each column, the lowest cell first.

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
