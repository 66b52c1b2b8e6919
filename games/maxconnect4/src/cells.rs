//! Sets of cells: a bit to each, and a byte to a column, the lowest cell first.

/// The lowest bit of every column.
pub(crate) const FLOOR: u64 = 0x0101_0101_0101_0101;

/// The top bit of every column and every second below it. The empty cells of a column are a run
/// down from its top, so their number is odd exactly when the lowest of them is one of these.
pub(crate) const FROM_TOP: u64 = 0xaaaa_aaaa_aaaa_aaaa;

/// Bits to a column.
pub(crate) const COLUMN_BITS: u32 = 8;

/// The bits of the column of one cell.
#[inline]
pub(crate) const fn column_of(cell: u64) -> u64 {
    0xff << (cell.trailing_zeros() / COLUMN_BITS * COLUMN_BITS)
}

/// The bits of `set`, one at a time, from the lowest.
#[inline]
pub(crate) fn cells(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}
