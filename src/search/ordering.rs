//! The order of moves: the candidates of a node, and the statistics of a search on good moves.

use super::entry::Stored;
use crate::game::Side;
use crate::hints::SearchHints;
use crate::score::Bounds;

/// The bonus of a killer move, on the scale of [`Evaluator::order`](crate::Evaluator).
const KILLER_BONUS: i32 = 500;

/// The history of a move is between minus and plus this, on the same scale.
const HISTORY_LIMIT: i32 = 4_096;

/// Puts the items with the greatest keys first. Items with equal keys keep their order.
///
/// The sort is compiled once. A generic sort of slices would be compiled for every type of items, and be a
/// sixth of the code of a search.
pub(crate) fn greatest_first<T>(items: &mut [T], key: impl FnMut(&T) -> i32) {
    let keys = items.iter().map(key).zip(0..).collect();
    for (place, other) in swaps(keys).into_iter().enumerate() {
        items.swap(place, other);
    }
}

/// Returns the swaps that put the keys in order: place `i` is swapped with place `swaps[i]`, one after the
/// other.
fn swaps(mut keys: Vec<(i32, usize)>) -> Vec<usize> {
    keys.sort_unstable_by_key(|&(key, place)| (std::cmp::Reverse(key), place));
    let mut swaps: Vec<usize> = keys.into_iter().map(|(_, place)| place).collect();
    for place in 0..swaps.len() {
        // An earlier swap may have moved the item.
        while swaps[place] < place {
            swaps[place] = swaps[swaps[place]];
        }
    }
    swaps
}

/// Killer moves for each ply and the history of cutoffs for each move.
#[derive(Debug)]
pub(super) struct Ordering {
    history: [Vec<i32>; 2],
    killers: Vec<[usize; 2]>,
}

impl Ordering {
    /// Makes empty statistics for moves with codes below `codes` and plies below `plies`.
    pub(super) fn new(codes: usize, plies: usize) -> Ordering {
        Ordering {
            history: [vec![0; codes], vec![0; codes]],
            killers: vec![[usize::MAX; 2]; plies],
        }
    }

    /// Returns the history of the move: it grows with every cutoff that the move caused, and shrinks if the
    /// move was tried and another caused the cutoff.
    #[inline]
    pub(super) fn history(&self, side: Side, code: usize) -> i32 {
        self.history[side.index()][code]
    }

    /// Returns the bonus of a move that refuted a sibling of a node at `ply`.
    #[inline]
    pub(super) fn killer_bonus(&self, ply: u32, code: usize) -> i32 {
        if self.killers[ply as usize].contains(&code) { KILLER_BONUS } else { 0 }
    }

    /// Notes a cutoff.
    #[inline]
    pub(super) fn reward(&mut self, side: Side, code: usize, depth: u32, ply: u32) {
        self.shift(side, code, weight(depth));
        let killers = &mut self.killers[ply as usize];
        if killers[0] != code {
            killers[1] = killers[0];
            killers[0] = code;
        }
    }

    /// Notes that a move was searched before the move that caused the cutoff.
    #[inline]
    pub(super) fn punish(&mut self, side: Side, code: usize, depth: u32) {
        self.shift(side, code, -weight(depth));
    }

    /// Adds `by` to the history, scaled down near the limit, so that recent results count more.
    fn shift(&mut self, side: Side, code: usize, by: i32) {
        let history = &mut self.history[side.index()][code];
        *history += by - *history * by.abs() / HISTORY_LIMIT;
    }
}

/// Returns the weight of a cutoff: cutoffs far from the horizon save more, and count more.
fn weight(depth: u32) -> i32 {
    (depth * depth).min(400) as i32
}

/// A move that is about to be searched.
#[derive(Clone, Debug)]
pub(super) struct Candidate<G: SearchHints> {
    /// The position after the move.
    pub(super) next: G,
    /// The form of that position in the table, if it has been looked up.
    pub(super) stored: Stored,
    /// The bounds known for the value of the move, as the side that makes it sees it.
    pub(super) bounds: Bounds,
    /// If true, `bounds` includes the closer bounds of the position after the move.
    pub(super) is_closer: bool,
    pub(super) mv: G::Move,
}

/// The number of a selected candidate, less than the number of any other candidate.
const SELECTED: i32 = i32::MIN;

/// The number of a deferred candidate, less than the number of any candidate that has not been tried.
const DEFERRED: i32 = SELECTED + 1;

/// The candidate that is next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection {
    pub(super) index: usize,
    /// If true, the candidate had been deferred.
    pub(super) is_deferred: bool,
}

/// A stack of moves: one vector serves all nodes of a search, so that none allocates.
#[derive(Debug)]
pub(super) struct Candidates<G: SearchHints> {
    moves: Vec<Candidate<G>>,
    /// The number of each move in the order of search, greater ones first. The numbers are kept apart from
    /// the moves, so that a selection scans only numbers and copies no move.
    order: Vec<i32>,
}

impl<G: SearchHints> Candidates<G> {
    pub(super) fn new() -> Candidates<G> {
        Candidates { moves: Vec::with_capacity(1_024), order: Vec::with_capacity(1_024) }
    }

    /// Returns the index at which the candidates of the next node will start.
    #[inline]
    pub(super) fn top(&self) -> usize {
        self.moves.len()
    }

    /// Adds a move.
    #[inline(always)]
    pub(super) fn push(&mut self, candidate: Candidate<G>) {
        self.moves.push(candidate);
        self.order.push(0);
    }

    /// Drops the candidates of a finished node, those from `start` on.
    #[inline]
    pub(super) fn truncate(&mut self, start: usize) {
        self.moves.truncate(start);
        self.order.truncate(start);
    }

    /// Returns the candidates from `start` on.
    #[inline]
    pub(super) fn since(&mut self, start: usize) -> &mut [Candidate<G>] {
        &mut self.moves[start..]
    }

    /// Returns the candidates from `start` on, each with its number in the order of search.
    #[inline]
    pub(super) fn ordered(
        &mut self,
        start: usize,
    ) -> impl Iterator<Item = (&Candidate<G>, &mut i32)> {
        self.moves[start..].iter().zip(&mut self.order[start..])
    }

    /// Selects the most promising candidate from `start` on that was not selected before, the earliest
    /// among equals; `None` if all have been selected. This is cheaper than sorting, since a cutoff leaves
    /// most candidates untouched.
    #[inline]
    pub(super) fn select(&mut self, start: usize) -> Option<Selection> {
        let mut best = (SELECTED, 0);
        for (index, order) in self.order[start..].iter().enumerate() {
            if *order > best.0 {
                best = (*order, index);
            }
        }
        if best.0 == SELECTED {
            return None;
        }
        let index = start + best.1;
        self.order[index] = SELECTED;
        Some(Selection { index, is_deferred: best.0 == DEFERRED })
    }

    /// Returns the candidate that was selected.
    #[inline]
    pub(super) fn get(&self, selection: Selection) -> &Candidate<G> {
        &self.moves[selection.index]
    }

    /// Takes a selection back: the candidate is selected again once all remaining candidates have been
    /// deferred.
    pub(super) fn defer(&mut self, selection: Selection) {
        self.order[selection.index] = DEFERRED;
    }

    /// Returns the candidates from `start` on that have been selected.
    pub(super) fn selected(&self, start: usize) -> impl Iterator<Item = &Candidate<G>> {
        let selected = self.order[start..].iter().map(|order| *order == SELECTED);
        self.moves[start..].iter().zip(selected).filter(|(_, s)| *s).map(|(candidate, _)| candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::testing::Coins;

    #[test]
    fn greatest_are_first_and_equals_keep_their_order() {
        for (count, modulus) in [(0, 1), (1, 1), (9, 4), (100, 7), (100, 101)] {
            let mut items: Vec<(i32, u32)> =
                (0..count).map(|number| ((number * 37 % modulus) as i32 - 3, number)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| std::cmp::Reverse(key));
            greatest_first(&mut items, |&(key, _)| key);
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn the_history_stays_within_its_limits() {
        for depth in [1, 2, 5, 20, 200] {
            let mut ordering = Ordering::new(2, 1);
            for _ in 0..2 * HISTORY_LIMIT {
                ordering.reward(Side::First, 0, depth, 0);
                ordering.punish(Side::First, 1, depth);
                let [good, bad] = [0, 1].map(|code| ordering.history(Side::First, code));
                assert!((1..=HISTORY_LIMIT).contains(&good), "{good} at depth {depth}");
                assert_eq!(bad, -good, "depth {depth}");
            }
            assert_eq!(ordering.history(Side::First, 0), HISTORY_LIMIT);
            assert_eq!([0, 1].map(|code| ordering.history(Side::Second, code)), [0, 0]);
        }
    }

    #[test]
    fn cutoffs_far_from_the_horizon_count_more() {
        let histories = [1, 2, 3, 5, 20].map(|depth| {
            let mut ordering = Ordering::new(1, 1);
            ordering.reward(Side::Second, 0, depth, 0);
            ordering.history(Side::Second, 0)
        });
        assert!(histories.is_sorted_by(|near, far| near < far), "{histories:?}");
    }

    #[test]
    fn the_latest_two_cutoffs_of_a_ply_are_killers() {
        let mut ordering = Ordering::new(4, 2);
        for code in [3, 0, 1, 1] {
            ordering.reward(Side::First, code, 1, 1);
        }
        let bonuses = |ply| [0, 1, 2, 3].map(|code| ordering.killer_bonus(ply, code));
        assert_eq!(bonuses(1), [KILLER_BONUS, KILLER_BONUS, 0, 0]);
        assert_eq!(bonuses(0), [0; 4]);
    }

    fn select(candidates: &mut Candidates<Coins>) -> Option<(usize, bool)> {
        candidates.select(0).map(|selection| (selection.index, selection.is_deferred))
    }

    #[test]
    fn deferred_moves_come_last() {
        let mut candidates = Candidates::new();
        let start = Coins::new(1, 8);
        let mv = start.legal_moves().next().expect("the game is not over");
        for _ in 0..3 {
            let (next, stored) = (start.after(mv), Stored::default());
            candidates.push(Candidate { next, stored, bounds: Bounds::NONE, is_closer: false, mv });
        }
        for ((_, order), number) in candidates.ordered(0).zip([7, 9, DEFERRED + 1]) {
            *order = number;
        }
        for _ in 0..2 {
            let selection = candidates.select(0).expect("three are left");
            assert!(!selection.is_deferred);
            candidates.defer(selection);
        }
        assert_eq!(select(&mut candidates), Some((2, false)));
        assert_eq!(select(&mut candidates), Some((0, true)));
        assert_eq!(select(&mut candidates), Some((1, true)));
        assert_eq!(select(&mut candidates), None);
    }
}
