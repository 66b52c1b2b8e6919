//! The moves of the positions on the search's current path, each with the position it leads to.

use crate::game::Game;
use crate::score::Bounds;

/// A move that is about to be searched.
#[derive(Clone, Debug)]
pub(super) struct Candidate<G: Game> {
    pub(super) mv: G::Move,
    /// The position after the move.
    pub(super) next: G,
    /// What is known of the move's value, as the side that makes it sees it.
    pub(super) bounds: Bounds,
    /// Greater numbers are searched first.
    pub(super) order: i32,
}

/// A stack of moves: one vector serves all nodes of a search, so that none allocates.
#[derive(Debug)]
pub(super) struct Candidates<G: Game>(Vec<Candidate<G>>);

impl<G: Game> Candidates<G> {
    pub(super) fn new() -> Candidates<G> {
        Candidates(Vec::with_capacity(1_024))
    }

    /// Where the candidates of the next node will start.
    #[inline]
    pub(super) fn top(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(super) fn push(&mut self, candidate: Candidate<G>) {
        self.0.push(candidate);
    }

    /// Drops the candidates of a node that is done with.
    #[inline]
    pub(super) fn truncate(&mut self, start: usize) {
        self.0.truncate(start);
    }

    /// The candidates from `start` on.
    #[inline]
    pub(super) fn since(&mut self, start: usize) -> &mut [Candidate<G>] {
        &mut self.0[start..]
    }

    /// Moves the most promising candidate from `index` on to `index`. The earliest of equals
    /// wins. Cheaper than sorting, since a cutoff leaves most candidates untouched.
    #[inline]
    pub(super) fn select(&mut self, index: usize) -> &Candidate<G> {
        let mut best = index;
        for other in index + 1..self.0.len() {
            if self.0[other].order > self.0[best].order {
                best = other;
            }
        }
        self.0.swap(index, best);
        &self.0[index]
    }
}
