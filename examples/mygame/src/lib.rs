//! A game: `rules.rs` has the rules, `adapter.rs` the texts, the state file and the page.

mod adapter;
mod rules;

pub use adapter::MyGame;
pub use rules::{Illegal, Move, NotAMove, Position};
