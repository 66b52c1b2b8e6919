//! Proven limits on the final margin of a position, computed from the board without a search.

use plyground::{Bounds, Game, Score};

use crate::cells::{FROM_TOP, Quads, open_threes};
use crate::pairing::{most_of_even, most_of_odd, most_of_six};
use crate::position::Position;
use crate::ways::{Stones, Window};

/// Returns limits on the final margin of `position`, as the side to move sees it: those of [`open_quads`],
/// and with an even number of empty cells that of [`claimeven`].
#[inline(always)]
pub fn of(position: &Position) -> Bounds {
    let limits = open_quads(position);
    if limits.exact().is_none() && position.empties().count_ones().is_multiple_of(2) {
        let most = Score::points(claimeven(position));
        Bounds { upper: limits.upper.min(most).max(limits.lower), ..limits }
    } else {
        limits
    }
}

/// Returns a closer upper limit, from strategies that take longer to compute. If the number of empty cells
/// is odd, the strategy fills one column from the bottom; if it is even, it fills two columns, and with six
/// contested cells, too many for [`claimeven`], all ways to pair them are tried. The limit is exact above
/// `alpha` and below `beta`, see [`closer_bounds`](plyground::SearchHints::closer_bounds).
#[inline]
pub fn closer(position: &Position, alpha: Score, beta: Score) -> Bounds {
    let empty = position.empties();
    let window = Window {
        floor: alpha.get().div_euclid(Score::POINT),
        ceiling: -(-beta.get()).div_euclid(Score::POINT),
    };
    let stones = Stones { attacker: position.mine(), defender: position.theirs() };
    let most = if empty.count_ones().is_multiple_of(2) {
        most_of_contested(position, window).min(most_of_even(
            stones,
            empty,
            position.playable(),
            window,
        ))
    } else {
        most_of_odd(stones, empty, position.playable(), window)
    };
    // At the ceiling or above, the margin may be any that is not below the ceiling.
    let upper = if most < window.ceiling { Score::points(most) } else { Score::MAX };
    Bounds { upper, ..Bounds::NONE }
}

/// Returns the limit of [`claimeven`] with six contested cells, within `window`; `i32::MAX` with any other
/// number.
fn most_of_contested(position: &Position, window: Window) -> i32 {
    let Shares { mine, theirs, contested } = Shares::of(position);
    let has_six = contested.count_ones() == 6;
    let most = || most_of_six(Stones { attacker: mine, defender: theirs }, contested, window);
    if has_six { most() } else { i32::MAX }
}

/// Returns limits from the quadruples that can still be completed: those that hold no piece of the other
/// side. Of the vertical ones, only those that lack a single cell count: one that lacks two or more can
/// always be denied, by answering on top.
#[inline(always)]
pub fn open_quads(position: &Position) -> Bounds {
    let (empty, margin_so_far) = (position.empties(), position.margin());
    let most = margin_so_far + to_come(position.mine(), empty);
    let least = margin_so_far - to_come(position.theirs(), empty);
    Bounds::points(least, most)
}

/// Returns the limits of [`open_quads`] with all vertical quadruples, and so wider.
#[inline]
pub fn open_quads_and_towers(position: &Position) -> Bounds {
    let (empty, margin_so_far) = (position.empties(), position.margin());
    let open = |stones: u64| {
        let open = Quads::within(stones | empty).count();
        (open - Quads::within(stones).count()) as i32
    };
    Bounds::points(margin_so_far - open(position.theirs()), margin_so_far + open(position.mine()))
}

/// Returns the most points that `stones` can still make with all of the `empty` cells.
#[inline]
fn to_come(stones: u64, empty: u64) -> i32 {
    let open = Quads::within(stones | empty).slanted().count();
    let made = Quads::within(stones).slanted().count();
    (open - made + open_threes(stones, empty)) as i32
}

/// Returns the greatest final margin in points, as the side to move sees it, that the other side allows by
/// answering every move on top of it. The number of empty cells must be even.
///
/// The other side then gets every second empty cell of each column, counted from the top. Where the number
/// of empty cells in a column is odd, its lowest empty cell is contested: such columns come in pairs, and
/// when the side to move takes the contested cell of one, the other side takes that of its partner. The
/// other side chooses the pairing, the side to move chooses the cells.
#[inline(always)]
pub fn claimeven(position: &Position) -> i32 {
    most_of_shares(Shares::of(position))
}

/// Returns the limit of [`claimeven`]. It takes the shares by value, so that the position, which is often
/// new, need not go through memory.
fn most_of_shares(Shares { mine, theirs, contested }: Shares) -> i32 {
    let margin = |taken: u64| margin(mine | taken, theirs | (contested & !taken));
    match contested.count_ones() {
        0 => margin(0),
        2 => {
            let one = contested & contested.wrapping_neg();
            margin(one).max(margin(contested & !one))
        }
        4 => best_pairing(contested, margin),
        // There are many ways to pair more cells, which is left to `closer`: here the side to move may have
        // them all.
        _ => margin(contested),
    }
}

/// Returns the limit of [`claimeven`] when the side to move may have all contested cells: it is wider.
#[inline]
pub fn claimeven_unpaired(position: &Position) -> i32 {
    let Shares { mine, theirs, contested } = Shares::of(position);
    margin(mine | contested, theirs)
}

/// The full board when the side that is not to move answers every move on top of it.
struct Shares {
    /// Cells of the side to move.
    mine: u64,
    /// Cells of the other side.
    theirs: u64,
    /// Cells that may go to either side.
    contested: u64,
}

impl Shares {
    #[inline(always)]
    fn of(position: &Position) -> Shares {
        let empty = position.empties();
        let contested = position.playable() & FROM_TOP;
        let mine = position.mine() | (empty & !FROM_TOP);
        let theirs = position.theirs() | (empty & FROM_TOP & !contested);
        Shares { mine, theirs, contested }
    }
}

/// Returns the limit for four contested cells: the least over the three pairings of the greatest margin
/// over the choices of the side to move, which takes one cell of each pair.
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
    // With a pairing such as {a b} {c d}, one side cannot have both a and b.
    let [most_ab, most_ac, most_ad] = [ab.max(cd), ac.max(bd), ad.max(bc)];
    let pairings = [most_ac.max(most_ad), most_ab.max(most_ad), most_ab.max(most_ac)];
    pairings[0].min(pairings[1]).min(pairings[2])
}

#[inline]
fn margin(mine: u64, theirs: u64) -> i32 {
    Quads::within(mine).count() as i32 - Quads::within(theirs).count() as i32
}
