//! Proven limits on the final margin of a position, from a look at the board alone.

use plyground::{Bounds, Game};

use crate::position::{FROM_TOP, Position};
use crate::quads::{Quads, open_threes};

/// Limits on the final margin of `position`, as the side to move sees it.
///
/// Three arguments are combined. A side can still complete only quadruples that hold no piece of
/// the other. A vertical quadruple that lacks two cells or more can always be denied, by answering
/// on top. And with an even number of empty cells, the side that is *not* to move can answer every
/// move on top of it ("claimeven"), which fixes how the board will be filled; see [`claimeven`].
#[inline(always)]
pub(crate) fn of(position: &Position) -> Bounds {
    let empty = position.empties();
    let banked = position.banked();
    let most = banked + to_come(position.mine(), empty);
    let least = banked - to_come(position.theirs(), empty);
    if most > least && empty.count_ones().is_multiple_of(2) {
        Bounds::points(least, most.min(claimeven(position)).max(least))
    } else {
        Bounds::points(least, most)
    }
}

/// The most points that `stones` can still make with all of the `empty` cells.
#[inline]
fn to_come(stones: u64, empty: u64) -> i32 {
    let open = Quads::within(stones | empty).slanted().count();
    let made = Quads::within(stones).slanted().count();
    (open - made + open_threes(stones, empty)) as i32
}

/// The final margin, as the side to move sees it, that the other side reaches at worst by
/// answering every move on top of it.
///
/// The other side then gets every second empty cell of each column, counted from the top. Where
/// the number of empty cells in a column is odd, its lowest empty cell is contested: such columns
/// come in pairs, and when the side to move takes the contested cell of one, the other side takes
/// that of its partner. It chooses the pairing, the side to move chooses the cells.
#[inline]
fn claimeven(position: &Position) -> i32 {
    let empty = position.empties();
    let contested = position.playable() & FROM_TOP;
    let mine = position.mine() | (empty & !FROM_TOP);
    let theirs = position.theirs() | (empty & FROM_TOP & !contested);
    let margin = |taken: u64| margin(mine | taken, theirs | (contested & !taken));
    match contested.count_ones() {
        0 => margin(0),
        2 => {
            let one = contested & contested.wrapping_neg();
            margin(one).max(margin(contested & !one))
        }
        4 => best_pairing(contested, margin),
        // Too many ways to pair them: the side to move may have them all.
        _ => self::margin(mine | contested, theirs),
    }
}

/// Four contested cells: the least over the three pairings of the most over what the side to move
/// takes, one cell of each pair.
#[inline]
fn best_pairing(contested: u64, margin: impl Fn(u64) -> i32) -> i32 {
    let mut cells = [0; 4];
    let mut left = contested;
    for cell in &mut cells {
        *cell = left & left.wrapping_neg();
        left &= left.wrapping_sub(1);
    }
    let [a, b, c, d] = cells;
    let [ab, ac, ad] = [a | b, a | c, a | d].map(&margin);
    let [cd, bd, bc] = [c | d, b | d, b | c].map(&margin);
    // With a pairing such as {a b} {c d}, both a and b can not be had.
    let [most_ab, most_ac, most_ad] = [ab.max(cd), ac.max(bd), ad.max(bc)];
    let pairings = [most_ac.max(most_ad), most_ab.max(most_ad), most_ab.max(most_ac)];
    pairings[0].min(pairings[1]).min(pairings[2])
}

#[inline]
fn margin(mine: u64, theirs: u64) -> i32 {
    Quads::within(mine).count() as i32 - Quads::within(theirs).count() as i32
}
