//! The rule that no three chips of a player stand in one group, for the whole board at once.

use crate::moves::{Square, SquareSet};

const LEFT_COLUMN: u64 = 0x0101_0101_0101_0101;

const RIGHT_COLUMN: u64 = LEFT_COLUMN << 7;

/// Returns the squares where another chip would make a group of three with the chips of `own`: it would
/// have two own neighbors, or be the second neighbor of an own chip.
///
/// `own` must not hold a group of three already. Counts of 1 and of 2 or more are kept as two
/// bit planes, summed first along rows and then over three rows.
#[inline]
pub(crate) const fn crowded(own: u64) -> u64 {
    let left = (own << 1) & !LEFT_COLUMN;
    let right = (own >> 1) & !RIGHT_COLUMN;
    let (beside, both_sides) = (left | right, left & right);
    let (row_one, row_two) = (beside | own, both_sides | (beside & own));
    let (above, above_two) = (row_one << 8, row_two << 8);
    let (below, below_two) = (row_one >> 8, row_two >> 8);
    let one = beside | above | below;
    let two =
        both_sides | above_two | below_two | (beside & above) | (beside & below) | (above & below);

    let paired = own & one;
    let columns = paired | ((paired << 1) & !LEFT_COLUMN) | ((paired >> 1) & !RIGHT_COLUMN);
    two | columns | (columns << 8) | (columns >> 8)
}

/// Returns the first chip of `own`, in the order of squares, with two own neighbors, if there is one.
pub(crate) fn crowded_chip(own: SquareSet) -> Option<Square> {
    own.iter().find(|&square| (SquareSet::EMPTY.with(square).neighbors() & own).len() >= 2)
}

/// Returns the group of three that a chip on `to` would make with `own`, `to` first.
pub(crate) fn group_with(own: SquareSet, to: Square) -> Option<[Square; 3]> {
    let near = |square| SquareSet::EMPTY.with(square).neighbors() & own;
    let mut beside = near(to).iter();
    let first = beside.next()?;
    let second = beside.next().or_else(|| near(first).without(to).iter().next())?;
    Some([to, first, second])
}
