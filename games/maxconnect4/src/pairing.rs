//! Limits on the final margin from pairing the empty cells: whenever one side, the attacker, takes
//! a cell of a pair, the other side, the defender, takes the other cell of the pair.
//!
//! Two cells can be a pair when the second can be played to as soon as the attacker has taken the
//! first: a cell and the one on top of it, or two cells that can be played to now. When the defender
//! has nothing to answer, they play anywhere: one more cell never hurts, so whichever side moves, the
//! attacker ends with one cell of each pair at most, and the defender with the other. (L. V. Allis,
//! "A knowledge-based approach of Connect-Four", 1988, has these pairs as the rules "vertical" and
//! "baseinverse", for denying single lines; here they bound a count of lines.)

use crate::position::{COLUMN_BITS, FROM_TOP};
use crate::quads::{LANES, Quads, greatest_margin};

/// The top cell of every column.
const TOP: u64 = 0x8080_8080_8080_8080;

/// A column's worth of bits.
const COLUMN: u64 = 0xff;

/// With more empty cells than this, the limits hardly ever settle anything.
pub(crate) const MOST_CELLS: u32 = 24;

/// The greatest number of pairs.
const MOST_PAIRS: usize = MOST_CELLS as usize / 2;

/// How many pairs the lanes of one [`greatest_margin`] can try in all ways.
const LANE_PAIRS: usize = LANES.trailing_zeros() as usize;

/// For each of these pairs the lanes in which it changes hands: the bit of that number in the number
/// of the lane. As masks, so that all lanes are made at once: [`greatest_margin`] would have to wait
/// for lanes that are written one by one.
const EXCHANGED: [[u64; LANES]; LANE_PAIRS] = exchanged();

/// Two cells that go to different sides.
type Pair = (u64, u64);

/// The pieces of the attacker and of the defender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stones {
    pub(crate) attacker: u64,
    pub(crate) defender: u64,
}

impl Stones {
    fn with(self, (attacker, defender): Pair) -> Stones {
        Stones { attacker: self.attacker | attacker, defender: self.defender | defender }
    }

    /// All the cells of quadruples that one side can still complete if it gets all of `empty`.
    fn live_cells(self, empty: u64) -> u64 {
        let live =
            |stones: u64| Quads::within(stones | empty).without(Quads::within(stones)).cells();
        live(self.attacker) | live(self.defender)
    }
}

/// A way to pair all empty cells but one.
#[derive(Clone, Copy, Debug)]
struct Pairing {
    /// The cell that is left over, for the attacker.
    left_over: u64,
    /// Cells that are paired with the cell on top.
    lower: u64,
    /// Cells that can be played to now and are paired with each other, an even number.
    level: u64,
}

/// The margins in points that are worth telling apart.
///
/// A function that is given a window and returns a margin returns the true one where that is above
/// `floor` and below `ceiling`; in place of one outside, it may return any on the same side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) floor: i32,
    pub(crate) ceiling: i32,
}

/// The greatest margin that the attacker can reach, within `window`, for an odd number of empty
/// cells up to [`MOST_CELLS`]. `playable` are the lowest of each column.
///
/// An odd number of columns has an odd number of empty cells. All others are paired from the top.
/// One odd column leaves a cell over, either its lowest or its highest; the lowest cells of the
/// rest of them are paired with each other. All of these ways are tried.
#[inline]
pub(crate) fn most_of_odd(stones: Stones, empty: u64, playable: u64, window: Window) -> i32 {
    let contested = playable & FROM_TOP;
    let live = stones.live_cells(empty);
    let mut least = i32::MAX;
    for odd in cells(contested) {
        let column = COLUMN << (odd.trailing_zeros() / COLUMN_BITS * COLUMN_BITS);
        let level = contested & !odd;
        let lower = empty & !FROM_TOP;
        let from_top = Pairing { left_over: odd, lower, level };
        let shifted = (lower & !column) | (empty & column & FROM_TOP & !TOP);
        let from_bottom = Pairing { left_over: column & TOP, lower: shifted, level };
        for pairing in [from_top, from_bottom] {
            least = least.min(most_of_pairing(stones, pairing, live, window));
            if least <= window.floor {
                return least;
            }
        }
    }
    least
}

/// The greatest margin with this pairing, within `window`. `live` are the cells that matter.
#[inline]
fn most_of_pairing(mut stones: Stones, pairing: Pairing, live: u64, window: Window) -> i32 {
    let Pairing { left_over, lower, level } = pairing;
    stones.attacker |= left_over;
    // Of a pair with a cell that does not matter, the attacker takes the other.
    let open = lower & live & (live >> 1);
    let (taken, left) = (lower & !open & live, lower & !open & !live);
    stones = stones.with((taken | left << 1, left | taken << 1));
    let (mut pairs, mut len) = ([(0, 0); MOST_PAIRS], 0);
    let mut level = cells(level);
    while let (Some(one), Some(other)) = (level.next(), level.next()) {
        match (live & one != 0, live & other != 0) {
            (true, true) => {
                pairs[len] = (one, other);
                len += 1;
            }
            (true, false) => stones = stones.with((one, other)),
            (false, _) => stones = stones.with((other, one)),
        }
    }
    for one in cells(open) {
        pairs[len] = (one, one << 1);
        len += 1;
    }
    most_of_pairs(stones, &pairs[..len], window)
}

/// The greatest margin that the attacker can reach, within `window`, when everything is decided but
/// six contested cells, three of which the attacker gets: one of each pair, and the defender pairs them.
pub(crate) fn most_of_six(stones: Stones, contested: u64, window: Window) -> i32 {
    let mut least = i32::MAX;
    let first = contested & contested.wrapping_neg();
    for partner in cells(contested & !first) {
        let rest = contested & !first & !partner;
        let second = rest & rest.wrapping_neg();
        for other in cells(rest & !second) {
            let last = rest & !second & !other;
            let one = last & last.wrapping_neg();
            let pairs = [(first, partner), (second, other), (one, last & !one)];
            least = least.min(most_of_pairs(stones, &pairs, window));
            if least <= window.floor {
                return least;
            }
        }
    }
    least
}

/// The greatest margin over all ways to share the pairs out, within `window`.
fn most_of_pairs(stones: Stones, pairs: &[Pair], window: Window) -> i32 {
    let (in_lanes, others) = pairs.split_at(pairs.len().min(LANE_PAIRS));
    let base = others.iter().fold(stones, |stones, &pair| stones.with(pair));
    let (mut attackers, mut defenders) = ([base.attacker; LANES], [base.defender; LANES]);
    for (&(one, other), exchanged) in in_lanes.iter().zip(&EXCHANGED) {
        for lane in 0..LANES {
            let change = (one | other) & exchanged[lane];
            attackers[lane] |= one ^ change;
            defenders[lane] |= other ^ change;
        }
    }
    let mut most = greatest_margin(&attackers, &defenders);
    // In the order of a Gray code, so that one pair changes hands at a time.
    for step in 1..1_u32 << others.len() {
        if most >= window.ceiling {
            break;
        }
        let (one, other) = others[step.trailing_zeros() as usize];
        for lane in 0..LANES {
            attackers[lane] ^= one | other;
            defenders[lane] ^= one | other;
        }
        most = most.max(greatest_margin(&attackers, &defenders));
    }
    most
}

const fn exchanged() -> [[u64; LANES]; LANE_PAIRS] {
    let mut masks = [[0; LANES]; LANE_PAIRS];
    let mut pair = 0;
    while pair < LANE_PAIRS {
        let mut lane = 0;
        while lane < LANES {
            masks[pair][lane] = if lane >> pair & 1 == 0 { 0 } else { u64::MAX };
            lane += 1;
        }
        pair += 1;
    }
    masks
}

/// The bits of `set`, one at a time, from the lowest.
#[inline]
fn cells(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set &= !lowest;
        (lowest != 0).then_some(lowest)
    })
}
