//! The keys that identify a position in the tables of searches.

use crate::cells::{FLOOR, FROM_TOP};
use crate::position::Position;
use crate::quads::Quads;

/// Multipliers for the hash: the golden ratio, and the square roots of 2 and 3, as fractions of
/// 2^64, made odd.
const MULTIPLIERS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Multiplies to 128 bits and folds: every bit of the result depends on all bits of both.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn hash(a: u64, b: u64, c: u64) -> u64 {
    let [x, y, z] = MULTIPLIERS;
    fold(fold(a ^ x, b ^ y) ^ c, z)
}

/// Returns true if the position is the canonical one of its two mirror images.
#[inline]
pub(crate) fn is_canonical(position: &Position) -> bool {
    let (mine, theirs) = (position.mine(), position.theirs());
    (mine, theirs) <= (position.mirror(mine), position.mirror(theirs))
}

/// Returns a key of the pieces on the board and of its size; the same for mirror images.
#[inline]
pub(crate) fn plain(position: &Position) -> u64 {
    let (mut mine, mut theirs) = (position.mine(), position.theirs());
    if !is_canonical(position) {
        (mine, theirs) = (position.mirror(mine), position.mirror(theirs));
    }
    // A bit of both sides is a wall: boards of different sizes have different keys.
    let walls = position.walls();
    hash(mine | walls, theirs | walls, 0)
}

/// Returns a key of everything that can still make a difference in play to the end.
///
/// * A piece that is in no quadruple that its side can still complete is as good as any other.
/// * Empty cells above the highest one that is in such a quadruple are worth a tempo each. Two in
///   the same column cancel out, since a move to the lower can be answered on the upper.
/// * Two in columns where nothing else is empty cancel out too.
#[inline(always)]
pub(crate) fn end_of_game(position: &Position) -> u64 {
    let empty = position.empties();
    let live = |stones: u64| Quads::within(stones | empty).without(Quads::within(stones)).cells();
    let (mut mine, mut theirs) = (position.mine(), position.theirs());
    let (live_mine, live_theirs) = (live(mine), live(theirs));
    mine &= live_mine;
    theirs &= live_theirs;
    let mut open = empty & down(empty & (live_mine | live_theirs));
    let above = empty & !open;
    let lowest_above = above & !(above << 1 & !FLOOR);
    let tempo = lowest_above & FROM_TOP;
    let alone = tempo & position.playable();
    open |= tempo & !alone;
    let spare = u64::from(alone.count_ones() % 2);
    if !is_canonical(position) {
        (mine, theirs, open) =
            (position.mirror(mine), position.mirror(theirs), position.mirror(open));
    }
    let walls = position.walls();
    hash(mine | walls, theirs | walls, open) ^ spare
}

/// Returns `cells` and all the bits below them in their columns.
#[inline]
fn down(cells: u64) -> u64 {
    let cells = cells | (cells >> 1 & 0x7f7f_7f7f_7f7f_7f7f);
    let cells = cells | (cells >> 2 & 0x3f3f_3f3f_3f3f_3f3f);
    cells | (cells >> 4 & 0x0f0f_0f0f_0f0f_0f0f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_stays_in_its_column() {
        assert_eq!(down(1 << 15 | 1 << 16), 0xff00 | 1 << 16);
        assert_eq!(down(0), 0);
    }
}
