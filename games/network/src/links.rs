//! Lines of sight between chips: the connections that networks are made of.
//!
//! Directions are numbered so that `d` and `d + 4` are opposite: the first four lead to squares
//! of higher numbers. An *axis* is such a pair of directions.

use crate::square::Square;

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

/// The squares that a step in a direction can reach, the others being across the border.
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
    let (onward, backward) = (sight_onward(from, empty), sight_backward(from, empty));
    std::array::from_fn(|axis| onward[axis] | backward[axis])
}

/// Returns the squares seen in the first four directions from the squares of `from`, as [`sight`] does:
/// looking one way is enough to find every connection once.
#[inline(always)]
pub(crate) fn sight_onward(from: u64, empty: u64) -> [u64; AXES] {
    let mut seen = spread_onward([from; AXES], empty);
    for (axis, seen) in seen.iter_mut().enumerate() {
        *seen = (*seen << SHIFTS[axis]) & REACHABLE[axis] & !empty;
    }
    seen
}

#[inline(always)]
fn sight_backward(from: u64, empty: u64) -> [u64; AXES] {
    let mut seen = spread_backward([from; AXES], empty);
    for (axis, seen) in seen.iter_mut().enumerate() {
        *seen = (*seen >> SHIFTS[axis]) & REACHABLE[axis + AXES] & !empty;
    }
    seen
}

/// Returns the squares of `empty` that the squares of `from`, given by axis, see along their axis.
#[inline(always)]
pub(crate) fn view(from: [u64; AXES], empty: u64) -> [u64; AXES] {
    let (onward, backward) = (spread_onward(from, empty), spread_backward(from, empty));
    std::array::from_fn(|axis| (onward[axis] | backward[axis]) & empty)
}

/// Returns the squares of `from`, given by axis, and those of `empty` that they reach in each of the first
/// four directions without a gap.
///
/// It does all four at once, by parallel prefix fills (Kogge and Stone, 1973; known from chess programs),
/// written so that the compiler turns it into vector instructions: the same one for each.
#[inline(always)]
fn spread_onward(from: [u64; AXES], empty: u64) -> [u64; AXES] {
    let mut reached = from;
    for (axis, spread) in reached.iter_mut().enumerate() {
        let step = SHIFTS[axis];
        let mut open = empty & REACHABLE[axis];
        *spread |= open & (*spread << step);
        open &= open << step;
        *spread |= open & (*spread << (2 * step));
        open &= open << (2 * step);
        *spread |= open & (*spread << (4 * step));
    }
    reached
}

/// Does the same as [`spread_onward`], for the opposite directions.
#[inline(always)]
fn spread_backward(from: [u64; AXES], empty: u64) -> [u64; AXES] {
    let mut reached = from;
    for (axis, spread) in reached.iter_mut().enumerate() {
        let step = SHIFTS[axis];
        let mut open = empty & REACHABLE[axis + AXES];
        *spread |= open & (*spread >> step);
        open &= open >> step;
        *spread |= open & (*spread >> (2 * step));
        open &= open >> (2 * step);
        *spread |= open & (*spread >> (4 * step));
    }
    reached
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
        // For either side, true if the first chip seen is one of `chips`, and the empty squares before it.
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
