//! The ways to share out the empty cells that a strategy leaves open, and the best of these ways.

use crate::cells::COLUMNS;
use crate::quads::{LANES, greatest_margin, margins};

/// The greatest number of pairs of cells on top of each other in a column.
const MOST_STEPS: usize = 4;

/// The greatest number of dials: one for each column, and half as many for pairs of cells of different
/// columns.
const MOST_DIALS: usize = 12;

/// The bits of the number of a lane.
const LANE_BITS: usize = LANES.trailing_zeros() as usize;

/// The lanes in which each bit of the number of a lane is set. The masks make all lanes at once, because
/// [`greatest_margin`] would have to wait for lanes that are written one by one.
const WITH_BIT: [[u64; LANES]; LANE_BITS] = with_bit();

/// Cells that go to the attacker, and others that go to the defender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stones {
    pub(crate) attacker: u64,
    pub(crate) defender: u64,
}

impl Stones {
    #[inline]
    pub(crate) fn with(self, (attacker, defender): (u64, u64)) -> Stones {
        Stones { attacker: self.attacker | attacker, defender: self.defender | defender }
    }
}

/// The window of a search for a margin in points.
///
/// A function with a window returns the true margin if that is above `floor` and below `ceiling`. If the
/// true margin is not above `floor`, the function may return a greater margin that is not above `floor`
/// either; if it is not below `ceiling`, the function may return any margin that is not below `ceiling`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) floor: i32,
    pub(crate) ceiling: i32,
}

/// Pairs of cells that change hands one after the other, in their order: a dial has one more setting than
/// pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Dial {
    /// Both cells of each pair. They go to different sides.
    pairs: [u64; MOST_STEPS],
    len: usize,
}

impl Dial {
    /// Adds a pair that changes hands after all others, in at most four.
    #[inline]
    pub(crate) fn push(&mut self, pair: u64) {
        self.pairs[self.len] = pair;
        self.len += 1;
    }
}

/// Ways to share all cells out. They differ by dials, each of which may be at any of its settings.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    /// The cells of each side while no dial is turned.
    stones: Stones,
    dials: [Dial; MOST_DIALS],
    len: usize,
    count: u32,
}

impl Ways {
    /// Makes the single way in which the cells belong to `stones`.
    #[inline]
    pub(crate) fn new(stones: Stones) -> Ways {
        Ways { stones, dials: [Dial::default(); MOST_DIALS], len: 0, count: 1 }
    }

    /// Adds a dial, whose cells are already shared out.
    #[inline]
    pub(crate) fn push(&mut self, dial: Dial) {
        if dial.len > 0 {
            self.dials[self.len] = dial;
            self.len += 1;
            self.count *= dial.len as u32 + 1;
        }
    }

    /// Adds two cells, one for each side, in either way.
    #[inline]
    pub(crate) fn push_pair(&mut self, one: u64, other: u64) {
        self.settle(one, other);
        self.push(Dial { pairs: [one | other, 0, 0, 0], len: 1 });
    }

    /// Adds a cell for the attacker and one for the defender.
    #[inline]
    pub(crate) fn settle(&mut self, attacker: u64, defender: u64) {
        self.stones = self.stones.with((attacker, defender));
    }

    /// Returns the number of ways.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Returns the greatest margin of the attacker over all ways, within `window`.
    pub(crate) fn most(&self, window: Window) -> i32 {
        let mut lanes = Lanes::new(self.stones);
        let mut turns = Turns::new();
        for &dial in &self.dials[..self.len] {
            if !lanes.spread(dial) {
                turns.push(dial);
            }
        }
        let mut most = lanes.most();
        while most < window.ceiling
            && let Some(pair) = turns.next()
        {
            lanes.exchange(pair);
            most = most.max(lanes.most());
        }
        most
    }
}

/// Several ways at once, one in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    attackers: [u64; LANES],
    defenders: [u64; LANES],
    /// The number of bits of the number of a lane that encode the settings of dials.
    bits: usize,
}

impl Lanes {
    /// Makes lanes with the same cells in all of them.
    #[inline]
    pub(crate) fn new(stones: Stones) -> Lanes {
        Lanes { attackers: [stones.attacker; LANES], defenders: [stones.defender; LANES], bits: 0 }
    }

    /// Returns the lanes with these cells added in every lane.
    #[inline]
    pub(crate) fn with(mut self, (attacker, defender): (u64, u64)) -> Lanes {
        self.attackers.iter_mut().for_each(|cells| *cells |= attacker);
        self.defenders.iter_mut().for_each(|cells| *cells |= defender);
        self
    }

    /// Returns the lanes with `cells(lane)` added in each.
    #[inline]
    pub(crate) fn with_each(mut self, cells: impl Fn(usize) -> Stones) -> Lanes {
        for lane in 0..LANES {
            let Stones { attacker, defender } = cells(lane);
            self.attackers[lane] |= attacker;
            self.defenders[lane] |= defender;
        }
        self
    }

    /// Sets a dial to each of its settings, in different lanes. Returns true if there was room.
    #[inline]
    fn spread(&mut self, dial: Dial) -> bool {
        let ([one, two, three, _], bits) = (dial.pairs, self.bits);
        match (dial.len, LANE_BITS - bits) {
            (1, 1..) => {
                self.exchange_where(|lane| one & WITH_BIT[bits][lane]);
                self.bits += 1;
            }
            (2 | 3, 2..) => {
                let [low, high] = [WITH_BIT[bits], WITH_BIT[bits + 1]];
                self.exchange_where(|lane| {
                    let (low, high) = (low[lane], high[lane]);
                    one & (low | high) | two & high | three & low & high
                });
                self.bits += 2;
            }
            _ => return false,
        }
        true
    }

    /// Gives `cells(lane)`, the cells of pairs, to the other side in every lane.
    #[inline]
    pub(crate) fn exchange_where(&mut self, cells: impl Fn(usize) -> u64) {
        for lane in 0..LANES {
            let cells = cells(lane);
            self.attackers[lane] ^= cells;
            self.defenders[lane] ^= cells;
        }
    }

    /// Gives both cells of a pair to the other side.
    #[inline]
    pub(crate) fn exchange(&mut self, pair: u64) {
        self.exchange_where(|_| pair);
    }

    /// Returns the columns whose lane, the lane of the same number, has a margin of the attacker of at least
    /// `least`.
    #[inline]
    pub(crate) fn columns_from(&self, least: i32) -> u64 {
        let margins = margins(&self.attackers, &self.defenders);
        let is_enough = margins.map(|margin| margin >= i64::from(least));
        let columns = COLUMNS.into_iter().zip(is_enough);
        columns.fold(0, |all, (column, is_enough)| all | if is_enough { column } else { 0 })
    }

    /// Returns the greatest margin of the attacker.
    #[inline]
    pub(crate) fn most(&self) -> i32 {
        greatest_margin(&self.attackers, &self.defenders)
    }
}

/// An iterator over all settings of some dials, one pair at a time: a loopless reflected mixed-radix Gray
/// code (Knuth, TAOCP 7.2.1.1, algorithm H).
struct Turns {
    dials: [Dial; MOST_DIALS],
    len: usize,
    settings: [usize; MOST_DIALS],
    is_falling: [bool; MOST_DIALS],
    focus: [usize; MOST_DIALS + 1],
}

impl Turns {
    #[inline]
    fn new() -> Turns {
        Turns {
            dials: [Dial::default(); MOST_DIALS],
            len: 0,
            settings: [0; MOST_DIALS],
            is_falling: [false; MOST_DIALS],
            focus: std::array::from_fn(|dial| dial),
        }
    }

    #[inline]
    fn push(&mut self, dial: Dial) {
        self.dials[self.len] = dial;
        self.len += 1;
    }

    /// Returns the pair that changes hands for the next setting; `None` after the last setting.
    #[inline]
    fn next(&mut self) -> Option<u64> {
        let turned = std::mem::replace(&mut self.focus[0], 0);
        if turned == self.len {
            return None;
        }
        let Dial { pairs, len } = self.dials[turned];
        let (setting, is_falling) = (&mut self.settings[turned], &mut self.is_falling[turned]);
        let before = *setting;
        *setting = if *is_falling { before - 1 } else { before + 1 };
        let pair = pairs[before.min(*setting)];
        if *setting == 0 || *setting == len {
            *is_falling = *setting == len;
            self.focus[turned] = self.focus[turned + 1];
            self.focus[turned + 1] = turned + 1;
        }
        Some(pair)
    }
}

const fn with_bit() -> [[u64; LANES]; LANE_BITS] {
    let mut masks = [[0; LANES]; LANE_BITS];
    let mut bit = 0;
    while bit < LANE_BITS {
        let mut lane = 0;
        while lane < LANES {
            masks[bit][lane] = if lane >> bit & 1 == 0 { 0 } else { u64::MAX };
            lane += 1;
        }
        bit += 1;
    }
    masks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::quads::Quads;

    const ANY: Window = Window { floor: i32::MIN, ceiling: i32::MAX };

    /// Returns dials of these lengths, with pairs from cell 0 on.
    fn dials(lens: &[usize]) -> Vec<Dial> {
        let mut next = (0..).map(|pair| 3_u64 << (2 * pair));
        let dial = |&len: &usize| {
            let mut dial = Dial::default();
            next.by_ref().take(len).for_each(|pair| dial.push(pair));
            dial
        };
        lens.iter().map(dial).collect()
    }

    #[test]
    fn turns_go_through_every_setting_once() {
        for lens in [&[][..], &[4], &[1, 2, 3], &[3, 1, 4, 2]] {
            let (mut turns, mut cells) = (Turns::new(), 0);
            dials(lens).into_iter().for_each(|dial| turns.push(dial));
            let mut seen = BTreeSet::from([cells]);
            while let Some(pair) = turns.next() {
                cells ^= pair;
                assert!(seen.insert(cells), "{lens:?} come to {cells:x} twice");
            }
            assert_eq!(seen.len(), lens.iter().map(|len| len + 1).product::<usize>());
        }
    }

    #[test]
    fn the_best_way_is_the_best_of_each() {
        let even = 0x5555_5555_5555_5555_u64;
        for lens in [&[1, 1, 1, 1][..], &[2, 1, 3], &[3, 3, 3], &[4, 2, 1, 2], &[1, 4, 4]] {
            let cells = (1_u64 << (2 * lens.iter().sum::<usize>())) - 1;
            let stones = Stones { attacker: cells & even, defender: cells & !even };
            let (mut ways, mut turns) = (Ways::new(stones), Turns::new());
            for dial in dials(lens) {
                ways.push(dial);
                turns.push(dial);
            }
            let margin = |changed: u64| {
                let count = |stones: u64| Quads::within(stones ^ changed).count() as i32;
                count(stones.attacker) - count(stones.defender)
            };
            let (mut changed, mut most, mut count) = (0, margin(0), 1);
            while let Some(pair) = turns.next() {
                changed ^= pair;
                most = most.max(margin(changed));
                count += 1;
            }
            assert_eq!((ways.most(ANY), ways.count()), (most, count), "{lens:?}");
            assert!(ways.most(Window { floor: 0, ceiling: most }) >= most);
        }
    }
}
