//! Othello on square boards of several sizes, complete and small: the model of a game of your own.
//! `rules.rs` is the game, `eval.rs` judges positions, `adapter.rs` has the texts and the page.

mod adapter;
mod eval;
mod rules;

pub use adapter::Othello;
pub use eval::Discs;
pub use rules::{IllegalMove, Move, NotAMove, Position};
