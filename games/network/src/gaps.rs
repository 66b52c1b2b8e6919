//! The squares where one chip more may complete a network.

use crate::chain::{has_network, lacking};
use crate::color::Color;
use crate::links::{AXES, is_between, nearest, sight, view};
use crate::position::Position;
use crate::square::Square;
use crate::squares::SquareSet;

const INTERIOR: u64 = SquareSet::INTERIOR.0;

/// The squares where one chip more may complete the network of a color, judged by the chips that either
/// goal is linked with. On most of these squares a chip does not complete it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaps {
    own: u64,
    occupied: u64,
    color: Color,
    reach: Reach,
    /// The chip without which no add completes the network, if one is known.
    key_chip: Option<Square>,
}

impl Gaps {
    /// Finds the gaps in the network of `color`, which is not complete; `None` if there are no gaps.
    #[inline]
    pub(crate) fn new(position: &Position, color: Color) -> Option<Gaps> {
        let (own, occupied) = (position.chips(color).0, position.occupied().0);
        let (hints, may_move) = (position.hints(), color == position.to_move());
        if lacking(own, color) > 1 || (may_move && hints.is_harmless()) {
            return None;
        }
        let key_chip = if may_move { None } else { hints.key_chip() };
        Some(Gaps { own, occupied, color, reach: Reach::new(own, occupied, color), key_chip })
    }

    /// Returns the gaps for a chip from the hand.
    #[inline]
    pub(crate) fn for_add(&self) -> u64 {
        let gaps = self.reach.gaps(!self.occupied, self.color);
        match self.key_chip {
            Some(chip) if gaps != 0 => gaps & partners(chip, self.own, self.occupied),
            _ => gaps,
        }
    }

    /// Returns the gaps for a step of the chip on `from`.
    #[inline]
    pub(crate) fn for_step(&self, from: Square) -> u64 {
        let (own, occupied) = (self.own & !from.bit(), self.occupied & !from.bit());
        if !is_between(from, own, occupied) {
            return self.reach.without(from).gaps(!occupied, self.color);
        }
        if has_network(own, occupied, self.color) {
            // The chip stood in the way of a network: it may go anywhere.
            return u64::MAX;
        }
        Reach::new(own, occupied, self.color).gaps(!occupied, self.color)
    }
}

/// The chips that either goal is linked with.
///
/// Without the chip that completes it, a network consists of two parts, each of which begins in one of the
/// goals. Between the goals, all chips of a part have links on two axes in it, except those that are linked
/// with the new chip.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// All of these chips.
    chips: u64,
    /// The chips, by axis, at which the part from the first goal may end, to go on along the axis.
    near: [u64; AXES],
    /// The same for the part from the other goal.
    far: [u64; AXES],
}

impl Reach {
    #[inline]
    fn new(own: u64, occupied: u64, color: Color) -> Reach {
        let [a, b, c, d] = sight(own, !occupied);
        let turning = (a & b) | (c & d) | ((a | b) & (c | d));
        let parts = color.goals().map(|goal| part(own, goal.0, turning, occupied));
        let others = [b | c | d, a | c | d, a | b | d, a | b | c];
        let [near, far] = parts.map(|part| others.map(|linked| part & (linked | !INTERIOR)));
        Reach { chips: parts[0] | parts[1], near, far }
    }

    /// Returns the rest of the reach without a chip that is not between two others of its color.
    #[inline]
    fn without(self, square: Square) -> Reach {
        let without = |chips: u64| chips & !square.bit();
        let Reach { chips, near, far } = self;
        Reach { chips: without(chips), near: near.map(without), far: far.map(without) }
    }

    /// Returns the squares of `empty` where another chip may join the parts.
    #[inline]
    fn gaps(&self, empty: u64, color: Color) -> u64 {
        let wanted = wanted(self.chips, color);
        if wanted == 0 {
            return 0;
        }
        let (near, far) = (view(self.near, empty), view(self.far, empty));
        let [a, b, c, d] = far;
        let turning = (near[0] & (b | c | d))
            | (near[1] & (a | c | d))
            | (near[2] & (a | b | d))
            | (near[3] & (a | b | c));
        // Chips in one goal see each other along it, which is not a link of a network.
        let into_goal = |[a, b, c, d]: [u64; AXES]| match color {
            Color::White => a | b | d,
            Color::Black => b | c | d,
        };
        let [SquareSet(near_goal), SquareSet(far_goal)] = color.goals();
        wanted
            & ((turning & INTERIOR) | (into_goal(far) & near_goal) | (into_goal(near) & far_goal))
    }
}

/// Returns the chips of `own` that are linked with a chip in `goal`, by chips of `turning` between them.
#[inline]
fn part(own: u64, goal: u64, turning: u64, occupied: u64) -> u64 {
    let mut part = own & goal;
    let mut last = part;
    while last != 0 {
        let [a, b, c, d] = sight(last, !occupied);
        let next = (a | b | c | d) & own & INTERIOR & !part;
        part |= next;
        last = next & turning;
    }
    part
}

/// Returns the squares where a single chip can make the counts of `chips` those of a network.
#[inline]
fn wanted(chips: u64, color: Color) -> u64 {
    match lacking(chips, color) {
        0 => color.territory().0,
        1 => {
            let empty_goal = color.goals().into_iter().find(|goal| goal.0 & chips == 0);
            empty_goal.unwrap_or(SquareSet::INTERIOR).0
        }
        _ => 0,
    }
}

/// Returns the squares where another chip may stand in a network of `own` together with the chip on
/// `square`, judged by the lines of sight from there.
#[inline]
fn partners(square: Square, own: u64, occupied: u64) -> u64 {
    let links = nearest(square, occupied).map(|ends| ends & own != 0);
    let wanted = if SquareSet::INTERIOR.contains(square) { 2 } else { 1 };
    let linked = links.into_iter().filter(|&linked| linked).count();
    if linked >= wanted {
        return u64::MAX;
    }
    if linked + 1 < wanted {
        return 0;
    }
    // The other chip has to be the missing link.
    let views = view([square.bit(); AXES], !occupied);
    views
        .into_iter()
        .zip(links)
        .fold(0, |all, (view, linked)| if linked { all } else { all | view })
}
