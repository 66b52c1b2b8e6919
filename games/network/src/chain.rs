//! Networks: chains of connected chips from one goal to the other.

use crate::color::Color;
use crate::links::{AXES, between, nearest, sight};
use crate::square::Square;
use crate::squares::SquareSet;

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
/// `None`. Among several of one length it is always the same one.
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

    /// Returns true if a chain of `length` chips, those of `used`, that has come to `at` along `axis`
    /// ([`AXES`] for no axis) can be continued into the far goal.
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

    /// Returns the live chips connected with the chip on `at`, by axis, without those of `used` and those
    /// along `axis`: a chain turns at every chip. (Going back along the axis is excluded anyway, because
    /// the chip there is used.)
    #[inline]
    fn links(&self, at: Square, axis: usize, used: u64) -> [u64; AXES] {
        let mut links = nearest(at, self.occupied);
        for (other, link) in links.iter_mut().enumerate() {
            *link &= if other == axis { 0 } else { self.live & !used };
        }
        links
    }
}
