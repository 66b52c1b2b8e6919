//! Two-player games, one exact search for all of them, and the harness around both.

pub mod cli;
pub mod eval;
pub mod game;
pub mod output;
pub mod perft;
pub mod score;
pub mod search;
pub mod state;
pub mod timing;

pub use eval::{Evaluator, Flat};
pub use game::{Game, Outcome, Side};
pub use score::{Bounds, Score};
pub use search::{AlphaBeta, Limits, Minimax, Search};
