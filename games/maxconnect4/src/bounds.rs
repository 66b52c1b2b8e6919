//! Proven limits on the final margin of a position, computed from the board without a search.
//!
//! # Pairing
//!
//! Upper limits for the side to move, the attacker, with an odd number of empty cells: the margins that the
//! other side, the defender, allows by filling a column of its choice from the bottom.
//!
//! The defender pairs all empty cells except one. In the column that it chooses, the pairs begin at the
//! bottom, which leaves the top cell unpaired; in all other columns they begin at the top. The lowest cells
//! without a partner in their column are then even in number, and are paired with each other. Whenever the
//! attacker takes a cell of a pair, the defender takes the other, which is the cell on top, or can be played
//! to now. The defender therefore has an answer until the attacker takes the unpaired cell. By then the
//! chosen column is full, and all its pairs were shared out in this way.
//!
//! Then the number of empty cells is even and the defender moves. It plays to the lowest cell of a column
//! with an even number of empty cells, which is the lower cell of a pair, and chooses this column. The rest
//! of the column is now paired from the bottom, so it is shared out in the other way: the upper cells of its
//! old pairs go to the attacker. If no column has an even number of empty cells, the defender takes one of
//! two lowest cells that are a pair, and chooses the column of the other cell, which is shared out in the
//! same way. Nothing else changes, and the attacker is to move, with an odd number of empty cells.
//!
//! Each column except the first chosen column is therefore shared out in one way up to a height that the
//! attacker chooses, and in the other way above. (L. V. Allis, "A knowledge-based approach of Connect-Four",
//! 1988, has such pairs as the rules "claimeven", "vertical" and "baseinverse", for denying single lines;
//! here they bound a count of lines.)

use plyground::{Bounds, Game, Score};

use crate::cells::{COLUMNS, FROM_TOP, MOST_COLUMNS, cells, column_number, column_of, every_other};
use crate::position::Position;
use crate::quads::{LANES, Quads, open_threes};
use crate::ways::{Dial, Lanes, Stones, Ways, Window};

/// Returns limits on the final margin of `position`, as the side to move sees it: the limits of
/// [`open_quads`], and with an even number of empty cells also the limit of [`claimeven`].
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
    let stones = Stones { attacker: position.mine, defender: position.theirs };
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
    // At or above the ceiling, the margin says only that the limit is not below the ceiling.
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

/// Returns limits from the quadruples that can still be completed, because they hold no piece of the other
/// side. A vertical quadruple counts only if it lacks a single cell: if it lacks two or more, the other side
/// can always prevent it by answering on top.
#[inline(always)]
pub fn open_quads(position: &Position) -> Bounds {
    let (empty, margin_so_far) = (position.empties(), position.margin());
    let most = margin_so_far + to_come(position.mine, empty);
    let least = margin_so_far - to_come(position.theirs, empty);
    Bounds::points(least, most)
}

/// Returns the limits of [`open_quads`] with all vertical quadruples, which makes them wider.
#[inline]
pub fn open_quads_and_towers(position: &Position) -> Bounds {
    let (empty, margin_so_far) = (position.empties(), position.margin());
    let open = |stones: u64| {
        let open = Quads::within(stones | empty).count();
        (open - Quads::within(stones).count()) as i32
    };
    Bounds::points(margin_so_far - open(position.theirs), margin_so_far + open(position.mine))
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
/// of empty cells in a column is odd, its lowest empty cell is contested: such columns are even in number
/// and are paired, and when the side to move takes the contested cell of a column, the other side takes the
/// contested cell of its partner. The other side chooses the pairing, the side to move chooses the cells.
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
        // More cells can be paired in many ways, which only `closer` tries: here the side to move may have
        // them all.
        _ => margin(contested),
    }
}

/// Returns the limit of [`claimeven`] when the side to move may have all contested cells, which makes it
/// wider.
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
        let mine = position.mine | (empty & !FROM_TOP);
        let theirs = position.theirs | (empty & FROM_TOP & !contested);
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

/// The greatest number of ways to share the cells out that are tried: more take longer than they are worth.
const MOST_WAYS: u32 = 1_024;

/// Returns the greatest margin that the attacker can reach, within `window`, for an odd number of empty
/// cells. `playable` has the lowest empty cell of each column.
#[inline]
fn most_of_odd(stones: Stones, empty: u64, playable: u64, window: Window) -> i32 {
    let pairs = Pairs::new(stones, empty, playable);
    let hopeless = pairs.hopeless(window.ceiling);
    let (dials, mut least) = (pairs.dials(), i32::MAX);
    for column in cells(playable & !hopeless).map(column_of) {
        let ways = pairs.ways(column, &dials);
        if ways.count() <= MOST_WAYS {
            least = least.min(ways.most(window));
        }
        if least <= window.floor {
            break;
        }
    }
    least
}

/// Returns the greatest margin that the attacker can reach, within `window`, if everything is decided
/// except six contested cells. The defender pairs them, and the attacker gets one of each pair.
fn most_of_six(stones: Stones, contested: u64, window: Window) -> i32 {
    let mut least = i32::MAX;
    let first = contested & contested.wrapping_neg();
    for partner in cells(contested & !first) {
        let rest = contested & !first & !partner;
        let second = rest & rest.wrapping_neg();
        for other in cells(rest & !second) {
            let last = rest & !second & !other;
            let one = last & last.wrapping_neg();
            let mut ways = Ways::new(stones);
            ways.push_pair(first, partner);
            ways.push_pair(second, other);
            ways.push_pair(one, last & !one);
            least = least.min(ways.most(window));
            if least <= window.floor {
                return least;
            }
        }
    }
    least
}

/// The pairs from the top of every column.
struct Pairs {
    empty: u64,
    playable: u64,
    /// The cells of quadruples that one side can still complete.
    live: u64,
    /// The lower cells of the pairs of live cells.
    open: u64,
    stones: Stones,
    /// The cells of the other pairs, except pairs of contested cells.
    settled: Stones,
}

impl Pairs {
    #[inline]
    fn new(stones: Stones, empty: u64, playable: u64) -> Pairs {
        let live =
            |stones: u64| Quads::within(stones | empty).without(Quads::within(stones)).cells();
        let live = live(stones.attacker) | live(stones.defender);
        let lower = empty & !FROM_TOP;
        let open = lower & live & (live >> 1);
        // If one cell of a pair does not matter, the attacker may as well have the other.
        let (taken, left) = (lower & !open & live, lower & !open & !live);
        let settled = Stones { attacker: taken | left << 1, defender: left | taken << 1 };
        Pairs { empty, playable, live, open, stones, settled }
    }

    /// Returns the lowest cells without a partner in their column if `column` is chosen.
    #[inline]
    fn level(&self, column: u64) -> u64 {
        (self.playable & FROM_TOP) ^ (self.playable & column)
    }

    /// Returns the decided cells if `column` is chosen.
    #[inline]
    fn decided(&self, column: u64) -> Stones {
        let inside = self.empty & column;
        let Stones { attacker, defender } = self.settled;
        self.stones
            .with((attacker & !column, defender & !column))
            .with((inside & FROM_TOP, inside & !FROM_TOP & !self.playable))
    }

    /// Returns columns that need not be chosen: the attacker reaches the ceiling against each, in one of
    /// four ways to share the other cells out. Trying these ways for all columns costs less than trying all
    /// ways of one column.
    #[inline]
    fn hopeless(&self, ceiling: i32) -> u64 {
        let mut lanes = Lanes::new(self.stones).with_each(|lane| {
            let column = COLUMNS[lane];
            let (open, level) = (self.open & !column, self.level(column));
            let taken = every_other(level);
            self.decided(column).with((open, open << 1)).with((taken, level ^ taken))
        });
        let pairs = self.open | (self.open << 1);
        let mut hopeless = lanes.columns_from(ceiling);
        lanes.exchange_where(|lane| pairs & !COLUMNS[lane]);
        hopeless |= lanes.columns_from(ceiling);
        lanes.exchange_where(|lane| self.level(COLUMNS[lane]));
        hopeless |= lanes.columns_from(ceiling);
        lanes.exchange_where(|lane| pairs & !COLUMNS[lane]);
        hopeless | lanes.columns_from(ceiling)
    }

    /// Returns, for each column, the pairs of live cells, the highest first.
    #[inline]
    fn dials(&self) -> [Dial; MOST_COLUMNS] {
        let mut dials = [Dial::default(); MOST_COLUMNS];
        let mut left = self.open;
        while left != 0 {
            let highest = 1 << left.ilog2();
            left ^= highest;
            dials[column_number(highest)].push(highest | (highest << 1));
        }
        dials
    }

    /// Returns the ways to share the cells out if `column` is chosen.
    #[inline]
    fn ways(&self, column: u64, dials: &[Dial; MOST_COLUMNS]) -> Ways {
        let open = self.open & !column;
        let mut ways = Ways::new(self.decided(column).with((open, open << 1)));
        let mut level = cells(self.level(column));
        while let (Some(one), Some(other)) = (level.next(), level.next()) {
            match (self.live & one != 0, self.live & other != 0) {
                (true, true) => ways.push_pair(one, other),
                (true, false) => ways.settle(one, other),
                (false, _) => ways.settle(other, one),
            }
        }
        let chosen = column_number(column);
        let others = dials.iter().enumerate().filter(|&(number, _)| number != chosen);
        others.for_each(|(_, &dial)| ways.push(dial));
        ways
    }
}

/// The greatest number of heights: the heights of the cells at odd distance from the top of a column.
const HEIGHTS: usize = LANES / 2;

/// The greatest number of pairs of lowest cells that are tried in all ways.
const MOST_PAIRS: usize = 3;

/// Returns the greatest margin that the attacker can reach, within `window`, for an even number of empty
/// cells. `playable` has the lowest empty cell of each column.
fn most_of_even(stones: Stones, empty: u64, playable: u64, window: Window) -> i32 {
    let hopeless = hopeless(stones, empty, playable, window);
    let parts = parts_below(empty);
    let (mut least, mut left) = (i32::MAX, playable);
    while left != 0 {
        let one = left & left.wrapping_neg();
        left ^= one;
        for other in cells(left) {
            if (one | other) & FROM_TOP == 0 && (one | other) & hopeless != 0 {
                continue;
            }
            let columns = TwoColumns { bottoms: [one, other], parts: &parts };
            least = least.min(columns.most(stones, empty, playable, window));
            if least <= window.floor {
                return least;
            }
        }
    }
    least
}

/// Returns columns with an even number of empty cells that need not be tried together: with each as the
/// first, the attacker reaches the ceiling if it then takes the lowest cell of the other.
#[inline]
fn hopeless(stones: Stones, empty: u64, playable: u64, window: Window) -> u64 {
    let contested = playable & FROM_TOP;
    let (taken, filled) = (every_other(contested), empty & !contested);
    let stones =
        stones.with((taken, contested ^ taken)).with((filled & !FROM_TOP, filled & FROM_TOP));
    let mut lanes = Lanes::new(stones);
    lanes.exchange_where(|lane| filled & COLUMNS[lane]);
    lanes.columns_from(window.ceiling)
}

/// The two columns that the defender chooses.
struct TwoColumns<'a> {
    /// The lowest empty cells of the two columns.
    bottoms: [u64; 2],
    /// The cells of each column below each height.
    parts: &'a [[u64; LANES]; HEIGHTS],
}

impl TwoColumns<'_> {
    /// Returns the greatest margin with these columns, within `window`.
    #[inline]
    fn most(&self, stones: Stones, empty: u64, playable: u64, window: Window) -> i32 {
        let level = (playable & FROM_TOP) ^ self.bottoms[0] ^ self.bottoms[1];
        let Some(pairs) = self.pairs(level) else { return i32::MAX };
        let filled = empty & !level;
        let mut lanes = Lanes::new(stones.with((filled & !FROM_TOP, filled & FROM_TOP)));
        let lower_parts = self.lower_parts();
        lanes.exchange_where(|lane| filled & lower_parts[lane]);
        let mut most = i32::MIN;
        for choice in 0..1_u32 << (level.count_ones() / 2) {
            let (mut taken, mut left) = (0, 0);
            for (index, (one, other)) in pairs.into_iter().enumerate() {
                let is_taken = choice >> index & 1 == 0;
                taken |= if is_taken { one } else { other };
                left |= if is_taken { other } else { one };
            }
            most = most.max(lanes.with((taken, left)).most());
            if most >= window.ceiling {
                break;
            }
        }
        most
    }

    /// Returns the lowest cells that are without a partner in their column, in pairs: the lowest cells of
    /// the two columns are a pair, if both are without a partner. `None` if there are too many.
    #[inline]
    fn pairs(&self, level: u64) -> Option<[(u64, u64); MOST_PAIRS]> {
        if level.count_ones() as usize > 2 * MOST_PAIRS {
            return None;
        }
        let [one, other] = self.bottoms;
        let (mut pairs, mut len, mut left) = ([(0, 0); MOST_PAIRS], 0, level);
        if level & one != 0 && level & other != 0 {
            (pairs[0], len, left) = ((one, other), 1, level ^ one ^ other);
        }
        let mut left = cells(left);
        while let (Some(one), Some(other)) = (left.next(), left.next()) {
            pairs[len] = (one, other);
            len += 1;
        }
        Some(pairs)
    }

    /// Returns, for each first column (half of the lanes) and each height, the cells of the two columns
    /// that are shared out as paired from the bottom.
    #[inline]
    fn lower_parts(&self) -> [u64; LANES] {
        let [one, other] = self.bottoms.map(column_number);
        let mut cells = [0; LANES];
        let (halves, _) = cells.as_chunks_mut();
        for (half, [first, second]) in halves.iter_mut().zip([[one, other], [other, one]]) {
            *half = self.parts.map(|parts| COLUMNS[first] | parts[second]);
        }
        cells
    }
}

/// Returns the cells of each column below each height.
#[inline]
fn parts_below(empty: u64) -> [[u64; LANES]; HEIGHTS] {
    let mut turns = COLUMNS.map(|column| empty & column & FROM_TOP);
    let mut parts = [[0; LANES]; HEIGHTS];
    for parts in &mut parts {
        for column in 0..LANES {
            let turn = turns[column] & turns[column].wrapping_neg();
            parts[column] = COLUMNS[column] & turn.saturating_sub(1);
            // If there are fewer heights, the last counts several times.
            turns[column] ^= if turns[column] == turn { 0 } else { turn };
        }
    }
    parts
}
