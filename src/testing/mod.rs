//! Tools for tests of games and searches: the contract check, toy games and plain references.
//!
//! * [`check_contract`] plays a game at random and tests every promise of [`Game`](crate::Game)
//!   and [`Evaluator`](crate::Evaluator). A new game needs no more than this one call.
//! * [`Reference`] holds the result of plain minimax for a position; it checks the report of any search.
//! * [`exact_result`] and [`random_position`] are the small tools behind them.
//! * Three toy games are models of how to write a [`Game`](crate::Game), and together have everything that
//!   makes a search hard: [`TicTacToe`] is the shortest, [`Digraph`] has cycles, wins, losses and draws at
//!   every distance, [`Coins`] has points, bounds and mirror images. [`Again`] adds extra turns to them.
//! * [`HashNoise`] is an evaluator without any sense, for any game.

mod again;
mod breach;
mod coins;
mod contract;
mod digraph;
#[cfg(test)]
mod faults;
mod keys;
mod reference;
mod sample;
mod tic_tac_toe;

pub use again::{Again, ExtraTurns};
pub use breach::{Breach, Rule};
pub use coins::{CannotTake, Coins, End, NotATake, Take};
pub use contract::{Checked, check_contract};
pub use digraph::{Digraph, NoSuchEdge, Node, NotANode};
pub use reference::{Disagreement, Reference, every_option, exact_result};
pub use sample::{HashNoise, Sample, random_position};
pub use tic_tac_toe::{IllegalMark, NotASquare, Square, TicTacToe};
