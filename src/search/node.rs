//! Nodes of the search tree, and their values as [`search`](super) defines them.

use super::entry::Stored;
use crate::game::Turn;
use crate::hints::{Evaluator, SearchHints};
use crate::score::{Bounds, Score};
use crate::value::Value;

/// A node of the search tree.
pub(super) struct Node<'a, G> {
    /// The position, which is not over.
    pub(super) position: &'a G,
    /// The form of the position in the table.
    pub(super) stored: Stored,
    /// The bounds known for its value.
    pub(super) known: Bounds,
    /// If true, `known` includes the game's closer bounds.
    pub(super) is_closer: bool,
    /// The number of plies to look ahead from here.
    pub(super) depth: u32,
    /// The number of plies from the root.
    pub(super) ply: u32,
}

/// The closer bounds of a node.
pub(super) struct Closer {
    pub(super) bounds: Bounds,
    /// The limits of the scores that the search of the node can find.
    pub(super) window: Bounds,
}

impl<G: SearchHints> Node<'_, G> {
    /// Returns the closer bounds of `V`, as far as they matter between `alpha` and `beta`.
    #[inline]
    pub(super) fn closer(&self, alpha: Score, beta: Score) -> Closer {
        let closer = if self.is_closer || self.depth < CLOSER_DEPTH {
            None
        } else {
            self.position.closer_bounds(alpha, beta)
        };
        let Some(bounds) = closer else {
            return Closer { bounds: Bounds::NONE, window: Bounds::NONE };
        };
        // A limit outside the window may be looser than the full limit. The difference does not matter to a
        // result of best play; any other value may be moved into the full limit, by an unknown amount.
        let to_the_end = self.position.plies_left().is_some_and(|left| self.depth >= left);
        let window = if to_the_end { Bounds::NONE } else { Bounds { lower: alpha, upper: beta } };
        Closer { bounds, window }
    }
}

/// Returns the limit in `known` that decides a value for the window `alpha` to `beta`, if there is one.
#[inline]
pub(super) fn decided_by(known: Bounds, alpha: Score, beta: Score) -> Option<Score> {
    if known.lower >= beta || known.lower == known.upper {
        Some(known.lower)
    } else {
        (known.upper <= alpha).then_some(known.upper)
    }
}

/// The result of generating the moves of a node.
pub(super) enum Expansion {
    /// The moves that may have a score above alpha are on the stack, from this index on; no other move has
    /// a score above this score.
    Open(Score, usize),
    /// The move with this code has a score of at least this, which is not below beta; the stack
    /// is as it was.
    Cutoff(Score, u16),
}

/// A root move with the value that is kept from one depth to the next.
#[derive(Clone, Debug)]
pub(super) struct Root<G: SearchHints> {
    pub(super) mv: G::Move,
    /// The position after the move.
    pub(super) next: G,
    /// The value at the last depth searched, if the move was searched by itself.
    pub(super) guess: Score,
}

/// The least depth at which a search may take so much longer than
/// [`closer_bounds`](crate::SearchHints::closer_bounds) that the bounds pay.
const CLOSER_DEPTH: u32 = 2;

/// Returns `V(position, 0)`: the evaluation, moved below every won score and into the bounds.
#[inline(always)]
pub(crate) fn leaf_value<G: SearchHints, E: Evaluator<G>>(evaluator: &E, position: &G) -> Score {
    let estimate = Score::estimate(evaluator.evaluate(position).get());
    position.bounds().clamp(estimate)
}

/// Returns the limits that `V(position, depth)` is moved into.
pub(crate) fn bounds_at<G: SearchHints>(position: &G, depth: u32) -> Bounds {
    if depth < CLOSER_DEPTH { position.bounds() } else { position.closest_bounds() }
}

/// Returns the value that `score`, found for `position` at `depth`, proves or estimates.
pub(super) fn position_value<G: SearchHints>(position: &G, depth: u32, score: Score) -> Value {
    if is_result(position, depth, score) { Value::Exact(score) } else { Value::Estimate(score) }
}

/// Returns the value that `score` proves or estimates for the move from `position` to `next`: the score at
/// `depth` before the limits of the position are applied.
///
/// `upper` is a limit on the result of every move. If `reached` is true, `upper` is the result of the
/// position, and a move whose own limits reach `upper` has this result too.
pub(super) fn move_value<G: SearchHints>(
    (position, next): (&G, &G),
    depth: u32,
    score: Score,
    upper: Score,
    reached: bool,
) -> Value {
    let capped = score.min(upper);
    let turn = Turn::between(position, next);
    let is_exact = is_result(next, depth - 1, turn.across(score))
        || reached && turn.across(bounds_at(next, depth - 1)).lower >= upper;
    if is_exact { Value::Exact(capped) } else { Value::Estimate(capped) }
}

/// Returns true if `score`, the value of `position` at `depth`, is the result of best play.
///
/// A win or a loss at a fixed depth is the result: the search would have seen a sooner end.
pub(crate) fn is_result<G: SearchHints>(position: &G, depth: u32, score: Score) -> bool {
    is_seen_to_end(position, depth, score) || bounds_at(position, depth).exact().is_some()
}

/// Returns true if the search that found `score` has seen the end of the game, without relying on limits.
pub(crate) fn is_seen_to_end<G: SearchHints>(position: &G, depth: u32, score: Score) -> bool {
    score.plies_to_end().is_some()
        || position.outcome().is_some()
        || position.plies_left().is_some_and(|left| depth >= left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::testing::{Coins, TicTacToe, random_position};

    #[test]
    fn wins_ends_and_closed_bounds_are_results() {
        let start = TicTacToe::default();
        assert!(is_result(&start, 3, Score::win_in(3)) && is_result(&start, 4, Score::loss_in(4)));
        assert!(!is_result(&start, 8, Score::ZERO) && is_result(&start, 9, Score::ZERO));
        let over = random_position(&start, 9, 1);
        assert!(is_result(&over, 0, Score::ZERO));
        let coins = |seed| Coins::new(seed, 8);
        for coins in (0..100).map(coins) {
            assert_eq!(is_result(&coins, 1, Score::ZERO), coins.bounds().exact().is_some());
        }
    }

    #[test]
    fn a_move_has_the_result_that_its_own_limits_reach() {
        let mut shown = 0;
        for seed in 0..50 {
            let coins = Coins::new(seed, 8);
            let mv = coins.legal_moves().next().expect("a move");
            let next = coins.after(mv);
            let least = -next.bounds().upper;
            if next.bounds().exact().is_some() {
                continue;
            }
            let value = |upper, reached| move_value((&coins, &next), 2, least + 1, upper, reached);
            assert_eq!(value(least, true), Value::Exact(least));
            assert_eq!(value(least, false), Value::Estimate(least));
            assert_eq!(value(least + 1, true), Value::Estimate(least + 1));
            shown += 1;
        }
        assert!(shown > 10, "only {shown} positions");
    }
}
