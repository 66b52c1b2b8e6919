//! Search: the value of a position, and the move that gets it.
//!
//! # The value of a fixed-depth search
//!
//! Every search here computes the same function. For a position `p` and a depth `d`,
//!
//! * `V(p, d)` is the score of the [`outcome`](crate::Game::outcome), if `p` is over;
//! * `V(p, 0)` is the evaluation of `p`, moved into its [`bounds`](crate::SearchHints::bounds);
//! * `V(p, d)` is otherwise the greatest `-V(c, d - 1)` over the positions `c` after one move, or
//!   `V(c, d - 1)` where the same side is to move again (see [`Turn`](crate::Turn)),
//!   moved into the bounds of `p`, where `d` is at least 2 into the
//!   [closest](crate::SearchHints::closest_bounds).
//!
//! [`Minimax`] computes it by this definition; [`AlphaBeta`] is faster and never different.

pub use alphabeta::AlphaBeta;
pub(crate) use limits::Meter;
pub use limits::{Checkpoint, Clock, Limits, MAX_DEPTH, Monitor, RootState, SearchContext};
pub use minimax::Minimax;
pub(crate) use node::{bounds_at, is_result, is_seen_to_end, leaf_value};
pub use report::{Line, Options, Report, Scope, Search};

mod alphabeta;
mod aspiration;
mod limits;
mod minimax;
mod node;
mod ordering;
mod report;
mod selective;
mod tables;
mod worker;
