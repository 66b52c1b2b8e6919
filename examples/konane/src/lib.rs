//! Konane on boards of several sizes, complete and small: the model of a game that is won by the last move.
//! `rules.rs` is the game, `eval.rs` judges positions, `adapter.rs` has the texts, the page and the kit.

mod adapter;
mod eval;
mod rules;

pub use adapter::Konane;
pub use eval::Mobility;
pub use rules::{IllegalMove, Move, NotAMove, Position};
