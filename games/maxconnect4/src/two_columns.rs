//! Upper limits for the side to move, the attacker, with an even number of empty cells: the margins that
//! the other side, the defender, allows by filling two columns of its choice from the bottom.
//!
//! Answering every move on top fills a board with an even number of empty cells in one way
//! ([`claimeven`](crate::bounds::claimeven)), which need not be the best for the defender. It may
//! instead pair the cells of two columns from the bottom, which leaves their top cells over, and those of
//! all others from the top. Lowest cells that then have no partner in their column are even in number,
//! and are paired with each other. It answers a cell of a pair by the other, until the attacker takes
//! the top cell of one of the two columns, the first, which is full then. Now it plays to the other of
//! the two. That leaves an even number of empty cells in every column, or contested lowest cells that are
//! pairs, and from now on it answers on top.
//!
//! So the first column is shared out as paired from the bottom; the other too, up to some height, from
//! there on as paired from the top; and the rest as paired from the top. The attacker decides which of the
//! two is the first, on the height, and who gets which of the lowest cells that are a pair. If the lowest
//! cell of the other column has not been played to when the first is full, its partner has not either, and
//! the defender takes that one: as if the attacker had taken the one and the height were none.

use crate::cells::{COLUMNS, FROM_TOP, cells, column_number, every_other};
use crate::quads::LANES;
use crate::ways::{Lanes, Stones, Window};

/// The greatest number of heights: those of the cells at odd distance from the top of a column.
const HEIGHTS: usize = LANES / 2;

/// The most pairs of lowest cells that are tried in all ways.
const MOST_PAIRS: usize = 3;

/// Returns the greatest margin that the attacker can reach, within `window`, for an even number of empty
/// cells. `playable` are the lowest of each column.
pub(crate) fn most_of_even(stones: Stones, empty: u64, playable: u64, window: Window) -> i32 {
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

    /// Returns the lowest cells that are without a partner in their column, in pairs: those of the two
    /// columns are a pair, if both are without a partner. `None` if there are too many.
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
