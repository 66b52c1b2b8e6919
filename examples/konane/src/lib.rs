//! Konane on boards of several sizes, complete and small: the model of a game that is won by the last move.
//! `rules.rs` is the game, `adapter.rs` has the evaluation, the texts, the page and the kit.

mod adapter;
mod rules;

pub use adapter::{Konane, Mobility};
pub use rules::{IllegalMove, Move, NotAMove, Position};
