//! Search: the value of a position, and the move that gets it.
//!
//! # The value of a fixed-depth search
//!
//! Every search here computes the same function. For a position `p` and a depth `d`,
//!
//! * `V(p, d)` is the score of the [`outcome`](crate::Game::outcome), if `p` is over;
//! * `V(p, 0)` is the evaluation of `p`, moved into its [`bounds`](crate::Game::bounds);
//! * `V(p, d)` is otherwise the greatest `-V(c, d - 1)` over the positions `c` after one move,
//!   moved into the bounds of `p`, where `d` is at least 2 into the
//!   [closest](crate::Game::closest_bounds).
//!
//! [`Minimax`] computes it by this definition; [`AlphaBeta`] is faster and never different.

mod alphabeta;
mod aspiration;
mod candidates;
mod crew;
mod deepening;
mod entry;
mod limits;
mod memory;
mod minimax;
mod node;
mod ordering;
mod report;
mod selective;
mod stored;
mod turns;
mod watch;
mod worker;

pub use alphabeta::{AlphaBeta, Options};
pub(crate) use limits::Meter;
pub use limits::{Clock, Limits, MAX_DEPTH};
pub use minimax::Minimax;
pub use report::{Line, Report};
pub use turns::{Turn, Turns, Urgency};
pub use watch::{RootState, Watch};

use crate::eval::Evaluator;
use crate::game::Game;
use crate::score::{Bounds, Score};

/// From this depth on a search may take so much longer than
/// [`closer_bounds`](crate::Game::closer_bounds) that these pay.
const CLOSER_DEPTH: u32 = 2;

/// Which root moves a search must have a score and a principal variation for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the best; the others need not be told apart.
    BestMove,
    /// Every legal move that is as good as the best, the move that [`BestMove`](Scope::BestMove)
    /// gives first, the others without more of a principal variation than the move itself. When
    /// the search is stopped after the best is known, those that were found by then.
    BestMoves,
    /// Every legal move.
    EveryMove,
}

/// Something that finds the value of a position.
pub trait Search<G: Game> {
    /// The value of `position` within `limits`, with the best move, or every move.
    ///
    /// `progress` is called with the state of affairs after each finished depth. Returns `None`
    /// exactly when the game is over.
    fn search(
        &mut self,
        position: &G,
        limits: &Limits,
        scope: Scope,
        progress: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Report<G::Move>>;

    /// The value of `position` within `limits` and the best move, or `None` when the game is over.
    fn best(&mut self, position: &G, limits: &Limits) -> Option<Report<G::Move>> {
        self.search(position, limits, Scope::BestMove, &mut |_| ())
    }
}

/// `V(position, 0)`: the evaluation, below every won score and within the bounds.
#[inline(always)]
fn leaf_value<G: Game, E: Evaluator<G>>(evaluator: &E, position: &G) -> Score {
    let estimate = Score::estimate(evaluator.evaluate(position).get());
    position.bounds().clamp(estimate)
}

/// The limits that `V(position, depth)` is moved into.
pub(crate) fn bounds_at<G: Game>(position: &G, depth: u32) -> Bounds {
    if depth < CLOSER_DEPTH { position.bounds() } else { position.closest_bounds() }
}

/// Whether `score`, the value of `position` at `depth`, is the result of best play.
fn is_proven<G: Game>(position: &G, depth: u32, score: Score) -> bool {
    score.plies_to_end().is_some()
        || position.outcome().is_some()
        || position.plies_left().is_some_and(|left| depth >= left)
        || bounds_at(position, depth).exact().is_some()
}
