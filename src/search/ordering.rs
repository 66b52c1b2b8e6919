//! The statistics of a search on good moves.

use crate::game::Side;

/// The bonus of a killer move, on the scale of [`Evaluator::order`](crate::Evaluator).
const KILLER_BONUS: i32 = 500;

/// The history of a move is between minus and plus this, on the same scale.
const HISTORY_LIMIT: i32 = 4_096;

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

    /// Notes that a move was searched before the one that caused the cutoff.
    #[inline]
    pub(super) fn punish(&mut self, side: Side, code: usize, depth: u32) {
        self.shift(side, code, -weight(depth));
    }

    /// Moves the history by `by`, the less the nearer it is to its limit, so that it follows the present
    /// merit of the move.
    fn shift(&mut self, side: Side, code: usize, by: i32) {
        let history = &mut self.history[side.index()][code];
        *history += by - *history * by.abs() / HISTORY_LIMIT;
    }
}

/// Returns the weight of a cutoff: cutoffs far from the horizon save more, and count more.
fn weight(depth: u32) -> i32 {
    (depth * depth).min(400) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
