//! Othello on square boards of several sizes, complete and small: the model of a game of your own.
//! `rules.rs` is the game, `adapter.rs` has the evaluation, the texts and the page.

mod adapter;
mod rules;

pub use adapter::{Discs, Othello};
pub use rules::{IllegalMove, Move, NotAMove, Position};
