//! Lines of sight between chips: the connections that networks are made of, and the networks themselves.
//!
//! Directions are numbered so that `d` and `d + 4` are opposite: the first four lead to squares
//! of higher numbers. An *axis* is such a pair of directions.

use crate::color::Color;
use crate::moves::{Square, SquareSet};

/// The number of axes: horizontal, two diagonals, vertical.
pub(crate) const AXES: usize = 4;
/// The number of directions.
const DIRECTIONS: usize = 2 * AXES;

/// The (dx, dy) of the directions: right, down left, down, down right, and their opposites.
const STEPS: [(i8, i8); DIRECTIONS] =
    [(1, 0), (-1, 1), (0, 1), (1, 1), (-1, 0), (1, -1), (0, -1), (-1, -1)];

/// The number of bits by which a set is shifted left when its squares move one step in one of the first
/// four directions, and right for the opposite ones.
const SHIFTS: [u32; AXES] = shifts();

/// The squares that a step in a direction can reach; the step to any other square would cross the border.
const REACHABLE: [u64; DIRECTIONS] = reachable();

/// The squares beyond a square in each direction, as far as the border.
static RAYS: [[u64; DIRECTIONS]; Square::COUNT] = rays();

/// The first and the last of the dead corners, which close every line, so that a look along it always finds
/// something.
const FIRST_CORNER: u64 = 1;
const LAST_CORNER: u64 = 1 << 63;

/// Returns, for each axis, the squares seen from the squares of `from`, looking over the squares of
/// `empty`: the first square of every line of sight that is not empty.
#[inline(always)]
pub(crate) fn sight(from: u64, empty: u64) -> [u64; AXES] {
    let (onward, backward) = (seen::<true>(from, empty), seen::<false>(from, empty));
    std::array::from_fn(|axis| onward[axis] | backward[axis])
}

/// Returns the squares seen in the first four directions from the squares of `from`, as [`sight`] does:
/// looking one way is enough to find every connection once.
#[inline(always)]
pub(crate) fn sight_onward(from: u64, empty: u64) -> [u64; AXES] {
    seen::<true>(from, empty)
}

/// Returns the squares seen in the first four directions if `ONWARD` is true, or else in their opposites.
#[inline(always)]
fn seen<const ONWARD: bool>(from: u64, empty: u64) -> [u64; AXES] {
    let mut seen = spread::<ONWARD>([from; AXES], empty);
    for (axis, seen) in seen.iter_mut().enumerate() {
        *seen = shifted::<ONWARD>(*seen, SHIFTS[axis]) & reached::<ONWARD>(axis) & !empty;
    }
    seen
}

/// Returns the squares of `empty` that the squares of `from`, given by axis, see along their axis.
#[inline(always)]
pub(crate) fn view(from: [u64; AXES], empty: u64) -> [u64; AXES] {
    let (onward, backward) = (spread::<true>(from, empty), spread::<false>(from, empty));
    std::array::from_fn(|axis| (onward[axis] | backward[axis]) & empty)
}

/// Returns the squares of `from`, given by axis, and the squares of `empty` that they reach without a gap in
/// each of the first four directions if `ONWARD` is true, or else in their opposites.
///
/// The function computes all four directions at once, by parallel prefix fills (Kogge and Stone, 1973; known
/// from chess programs), in a form that the compiler turns into vector instructions.
#[inline(always)]
fn spread<const ONWARD: bool>(from: [u64; AXES], empty: u64) -> [u64; AXES] {
    let mut spread = from;
    for (axis, spread) in spread.iter_mut().enumerate() {
        let step = SHIFTS[axis];
        let mut open = empty & reached::<ONWARD>(axis);
        *spread |= open & shifted::<ONWARD>(*spread, step);
        open &= shifted::<ONWARD>(open, step);
        *spread |= open & shifted::<ONWARD>(*spread, 2 * step);
        open &= shifted::<ONWARD>(open, 2 * step);
        *spread |= open & shifted::<ONWARD>(*spread, 4 * step);
    }
    spread
}

#[inline(always)]
const fn shifted<const ONWARD: bool>(set: u64, bits: u32) -> u64 {
    if ONWARD { set << bits } else { set >> bits }
}

#[inline(always)]
const fn reached<const ONWARD: bool>(axis: usize) -> u64 {
    REACHABLE[if ONWARD { axis } else { axis + AXES }]
}

/// Returns the nearest squares of `occupied` seen from `square`, by axis: up to two on each. A dead corner
/// may appear where a line of sight ends at the border.
#[inline]
pub(crate) fn nearest(square: Square, occupied: u64) -> [u64; AXES] {
    let rays = &RAYS[square.index()];
    let mut found = [0; AXES];
    for (axis, found) in found.iter_mut().enumerate() {
        let onward = (occupied & rays[axis]) | LAST_CORNER;
        let backward = (occupied & rays[axis + AXES]) | FIRST_CORNER;
        *found = (onward & onward.wrapping_neg()) | (LAST_CORNER >> backward.leading_zeros());
    }
    found
}

/// Returns true if `square` lies on a line of sight between two chips of `chips`, as seen with `occupied`
/// on the board. It does not matter if `square` itself is occupied.
#[inline]
pub(crate) fn is_between(square: Square, chips: u64, occupied: u64) -> bool {
    nearest(square, occupied).into_iter().any(|ends| (ends & chips).count_ones() == 2)
}

/// Returns the squares strictly between two squares on a line; no squares for two that are not on a line.
#[inline]
pub(crate) fn between(one: Square, other: Square) -> u64 {
    let (from, back) = (&RAYS[one.index()], &RAYS[other.index()]);
    (0..AXES).fold(0, |squares, axis| {
        squares | (from[axis] & back[axis + AXES]) | (from[axis + AXES] & back[axis])
    })
}

/// Returns the squares from which a chip would put `square` on a line of sight between two of `chips`:
/// every square if it is on such a line already. `occupied` are the chips on the board.
pub(crate) fn makes_between(square: Square, chips: u64, occupied: u64) -> u64 {
    let rays = &RAYS[square.index()];
    let mut squares = 0;
    for axis in 0..AXES {
        // For either side: true if the first chip seen is one of `chips`, and the empty squares before that
        // chip.
        let sides = [axis, axis + AXES].map(|direction| {
            let met = occupied & rays[direction];
            let first = if direction < AXES {
                met & met.wrapping_neg()
            } else {
                met.checked_ilog2().map_or(0, |highest| 1 << highest)
            };
            let beyond = match first {
                0 => 0,
                _ => first | RAYS[Square::lowest(first).index()][direction],
            };
            (first & chips != 0, rays[direction] & !beyond)
        });
        squares |= match sides {
            [(true, _), (true, _)] => return u64::MAX,
            [(true, _), (false, open)] | [(false, open), (true, _)] => open,
            _ => 0,
        };
    }
    squares
}

const fn shifts() -> [u32; AXES] {
    let mut shifts = [0; AXES];
    let mut axis = 0;
    while axis < AXES {
        let (dx, dy) = STEPS[axis];
        shifts[axis] = (dx as i32 + dy as i32 * Square::SIDE as i32).unsigned_abs();
        axis += 1;
    }
    shifts
}

const fn reachable() -> [u64; DIRECTIONS] {
    let mut reachable = [0; DIRECTIONS];
    let mut direction = 0;
    while direction < DIRECTIONS {
        let mut index = 0;
        while index < Square::COUNT {
            if let Some(next) = neighbor(index, direction) {
                reachable[direction] |= 1 << next;
            }
            index += 1;
        }
        direction += 1;
    }
    reachable
}

const fn rays() -> [[u64; DIRECTIONS]; Square::COUNT] {
    let mut rays = [[0; DIRECTIONS]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut direction = 0;
        while direction < DIRECTIONS {
            let mut at = index;
            while let Some(next) = neighbor(at, direction) {
                rays[index][direction] |= 1 << next;
                at = next;
            }
            direction += 1;
        }
        index += 1;
    }
    rays
}

/// Returns the number of the next square in a direction, or `None` at the border.
const fn neighbor(index: usize, direction: usize) -> Option<usize> {
    let (dx, dy) = STEPS[direction];
    let x = (index % Square::SIDE as usize) as i8 + dx;
    let y = (index / Square::SIDE as usize) as i8 + dy;
    if x < 0 || y < 0 {
        return None;
    }
    match Square::new(x as u8, y as u8) {
        Some(square) => Some(square.index()),
        None => None,
    }
}

/// The least number of chips in a network, one in each goal among them.
pub(crate) const SHORTEST: usize = 6;

const INTERIOR: u64 = SquareSet::INTERIOR.0;

/// Returns true if `own`, the chips of `color`, hold a network with `occupied` on the board.
#[inline]
pub(crate) fn has_network(own: u64, occupied: u64, color: Color) -> bool {
    let chains = Chains::new(own, occupied, color);
    chains.may_exist() && chains.exist()
}

/// Returns a shortest network of `own`, the chips of `color`, from the left or upper goal to the other, or
/// `None`. Among networks of the same length, the choice is always the same.
pub(crate) fn find_network(
    own: SquareSet,
    occupied: SquareSet,
    color: Color,
) -> Option<Vec<Square>> {
    let mut chains = Chains::new(own.0, occupied.0, color);
    if !chains.may_exist() || !chains.prune() {
        return None;
    }
    let mut path = Vec::with_capacity(own.len());
    (SHORTEST..=own.len()).find_map(|length| {
        SquareSet(chains.live & chains.near).iter().find_map(|start| {
            path.clear();
            path.push(start);
            chains.trace(&mut path, AXES, length).then(|| path.clone())
        })
    })
}

/// Returns the empty squares between the chips of some network of `own`, the chips of `color`, or `None` if
/// there is no network. Only a chip on one of these squares can break that network.
pub(crate) fn network_lines(own: u64, occupied: u64, color: Color) -> Option<u64> {
    let mut chains = Chains::new(own, occupied, color);
    if !chains.may_exist() || !chains.prune() {
        return None;
    }
    let starts = SquareSet(chains.live & chains.near);
    starts.iter().find_map(|start| chains.lines_to_far(start, AXES, start.bit(), 1))
}

/// Returns the number of chips that a network of `own`, the chips of `color`, lacks by the counts alone: it
/// needs a chip in either goal and four in the interior.
#[inline]
pub(crate) fn lacking(own: u64, color: Color) -> u32 {
    let [SquareSet(near), SquareSet(far)] = color.goals();
    let inside = (own & INTERIOR).count_ones();
    u32::from(own & near == 0)
        + u32::from(own & far == 0)
        + (SHORTEST as u32 - 2).saturating_sub(inside)
}

/// The chips among which a chain is looked for.
struct Chains {
    /// The chips that may still be part of a chain.
    live: u64,
    /// All chips on the board: those that are no longer live still block lines.
    occupied: u64,
    /// The goal in which chains start.
    near: u64,
    /// The goal in which chains end.
    far: u64,
}

impl Chains {
    #[inline]
    fn new(own: u64, occupied: u64, color: Color) -> Chains {
        let [SquareSet(near), SquareSet(far)] = color.goals();
        Chains { live: own, occupied, near, far }
    }

    /// Returns true if the counts allow a chain: a chip in each goal and four between.
    #[inline]
    fn may_exist(&self) -> bool {
        self.live & self.near != 0
            && self.live & self.far != 0
            && (self.live & INTERIOR).count_ones() as usize >= SHORTEST - 2
    }

    /// Returns true if there is a chain, for chips whose counts allow one.
    fn exist(mut self) -> bool {
        self.prune()
            && SquareSet(self.live & self.near)
                .iter()
                .any(|start| self.reaches_far(start, AXES, start.bit(), 1))
    }

    /// Drops the chips that cannot be part of a chain: a chip between the goals needs links on two axes,
    /// and each loss may cost other chips their links. Returns true if enough chips remain.
    #[inline]
    fn prune(&mut self) -> bool {
        loop {
            let [a, b, c, d] = sight(self.live, !self.occupied);
            let linked = a | b | c | d;
            let turning = (a & b) | (c & d) | ((a | b) & (c | d));
            let live = self.live & ((turning & INTERIOR) | (linked & !INTERIOR));
            let stable = live == self.live;
            self.live = live;
            if !self.may_exist() {
                return false;
            }
            if stable {
                return true;
            }
        }
    }

    /// Returns true if the chain of `length` chips in `used`, which ends at `at` and came there along `axis`
    /// ([`AXES`] for no axis), can be continued into the far goal.
    fn reaches_far(&self, at: Square, axis: usize, used: u64, length: usize) -> bool {
        let links = self.links(at, axis, used);
        if length + 1 >= SHORTEST && links.iter().any(|link| link & self.far != 0) {
            return true;
        }
        links.into_iter().enumerate().any(|(axis, link)| {
            SquareSet(link & INTERIOR)
                .iter()
                .any(|next| self.reaches_far(next, axis, used | next.bit(), length + 1))
        })
    }

    /// Does the same as [`Chains::reaches_far`], and returns the squares between the chips from `at` on.
    fn lines_to_far(&self, at: Square, axis: usize, used: u64, length: usize) -> Option<u64> {
        let links = self.links(at, axis, used);
        let goal = links.iter().map(|link| link & self.far).find(|&end| end != 0);
        if let Some(end) = goal.filter(|_| length + 1 >= SHORTEST) {
            return Some(between(at, Square::lowest(end)));
        }
        links.into_iter().enumerate().find_map(|(axis, link)| {
            SquareSet(link & INTERIOR).iter().find_map(|next| {
                let rest = self.lines_to_far(next, axis, used | next.bit(), length + 1)?;
                Some(rest | between(at, next))
            })
        })
    }

    /// Does the same as [`Chains::reaches_far`], for chains of exactly `length` chips, which `path` then
    /// holds.
    fn trace(&self, path: &mut Vec<Square>, axis: usize, length: usize) -> bool {
        let Some(&at) = path.last() else { return false };
        let used = path.iter().copied().collect::<SquareSet>().0;
        let goal = if path.len() + 1 == length { self.far } else { INTERIOR };
        for (axis, link) in self.links(at, axis, used).into_iter().enumerate() {
            for next in SquareSet(link & goal) {
                path.push(next);
                if path.len() == length || self.trace(path, axis, length) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// Returns the live chips connected with the chip on `at`, by axis, without the chips of `used` and the
    /// chips along `axis`, because a chain turns at every chip. (Going back along the axis is excluded
    /// anyway, because the chip there is used.)
    #[inline]
    fn links(&self, at: Square, axis: usize, used: u64) -> [u64; AXES] {
        let mut links = nearest(at, self.occupied);
        for (other, link) in links.iter_mut().enumerate() {
            *link &= if other == axis { 0 } else { self.live & !used };
        }
        links
    }
}
