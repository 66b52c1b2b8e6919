//! The moves of the positions on the search's current path, each with the position it leads to.

use super::stored::Stored;
use crate::hints::SearchHints;
use crate::score::Bounds;

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

/// Marks a candidate that has been selected; less than every number that a move is given.
const SELECTED: i32 = i32::MIN;

/// The number of a candidate that was deferred; less than every number that a move is given.
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
    /// The number of each move in the order of search, greater ones first. They are kept apart from the
    /// moves, which are large and stay where they were written.
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
