//! Kalah on boards of several sizes, complete and small: the model of a game with extra turns.
//! `rules.rs` is the game, `eval.rs` judges positions, `adapter.rs` has the texts and the page.

mod adapter;
mod eval;
mod rules;

pub use adapter::Kalah;
pub use eval::Seeds;
pub use rules::{EmptyPit, NotAPit, Pit, Position};
