//! Kalah on boards of several sizes, complete and small: the model of a game with extra turns.
//! `rules.rs` is the game, `adapter.rs` has the evaluation, the texts and the page.

mod adapter;
mod rules;

pub use adapter::{Kalah, Seeds};
pub use rules::{EmptyPit, NotAPit, Pit, Position};
