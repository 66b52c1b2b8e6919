//! Othello on square boards of several sizes, complete and small: the model of a game of your own.
//! `rules.rs` is the game, `eval.rs` judges positions, `program.rs` has the texts and the page.

mod eval;
mod program;
mod rules;

pub use eval::Discs;
pub use program::Othello;
pub use rules::{IllegalMove, Move, NotAMove, Position};
