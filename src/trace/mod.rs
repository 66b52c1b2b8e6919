//! A search to look at: plain minimax and plain alpha-beta, written to be read.
//!
//! [`AlphaBeta`](crate::AlphaBeta) is fast and returns only its result. The search here is slow and shows
//! every step: [`search`] tells an [`Observer`] of every position that it enters, leaves, or cuts off.
//! [`Tree::search`] keeps all of that, [`Counts::search`] only counts. The fast search knows nothing of
//! either, and pays nothing for them.
//!
//! With pruning it is alpha-beta as textbooks have it, in the form called *fail-soft* (J. P. Fishburn,
//! 1983): a value outside of the window is a bound, and as close as the moves that were searched
//! allow. Its value at the root is `V(p, d)`, as that of every search of this crate.
//!
//! ```
//! use plyground::testing::TicTacToe;
//! use plyground::trace::{Counts, TraceOptions};
//! use plyground::{Flat, Score};
//!
//! let count = |prunes| {
//!     let options = TraceOptions { depth: 9, prunes, ..TraceOptions::default() };
//!     Counts::search(&TicTacToe::default(), &Flat, &options, 1_000_000)
//! };
//! let (minimax, alpha_beta) = (count(false).ok_or("large")?, count(true).ok_or("large")?);
//! assert_eq!((minimax.nodes(), alpha_beta.nodes()), (549_946, 20_866));
//! assert_eq!((minimax.score, alpha_beta.score), (Score::ZERO, Score::ZERO));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alpha_beta;
mod tree;

pub use alpha_beta::{
    Counts, Entered, Found, Node, Observer, Order, Source, Statement, TraceOptions, Window, search,
};
pub use tree::{Recorder, Tree, WhyCut};
