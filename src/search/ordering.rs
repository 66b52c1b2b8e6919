//! What the search has learned about good moves while searching.

use crate::game::Side;

/// How much a killer move is preferred, on the scale of [`Evaluator::order`](crate::Evaluator).
const KILLER_BONUS: i32 = 500;

/// Bounds the history of a move to ±this, on the same scale.
const HISTORY_LIMIT: i32 = 4_096;

/// Killer moves for each ply and the history of cutoffs for each move.
#[derive(Debug)]
pub(super) struct Ordering {
    history: [Vec<i32>; 2],
    killers: Vec<[usize; 2]>,
}

impl Ordering {
    /// For moves with codes below `codes` and plies below `plies`.
    pub(super) fn new(codes: usize, plies: usize) -> Ordering {
        Ordering {
            history: [vec![0; codes], vec![0; codes]],
            killers: vec![[usize::MAX; 2]; plies],
        }
    }

    /// How often the move caused a cutoff, less how often it was tried and did not.
    #[inline]
    pub(super) fn history(&self, side: Side, code: usize) -> i32 {
        self.history[side.index()][code]
    }

    /// The bonus of a move that refuted a sibling of a node at `ply`.
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

    /// Notes that a move was searched before the one that caused the cutoff.
    #[inline]
    pub(super) fn punish(&mut self, side: Side, code: usize, depth: u32) {
        self.shift(side, code, -weight(depth));
    }

    /// Moves the history by `by`, the less the nearer it is to its limit, so that it follows what
    /// is good now.
    fn shift(&mut self, side: Side, code: usize, by: i32) {
        let history = &mut self.history[side.index()][code];
        *history += by - *history * by.abs() / HISTORY_LIMIT;
    }
}

/// Cutoffs far from the horizon save more, and count more.
fn weight(depth: u32) -> i32 {
    (depth * depth).min(400) as i32
}
