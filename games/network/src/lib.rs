//! Network: its rules, an evaluation, its known forced wins, and its texts.
//!
//! Network is played on eight by eight squares without their corners. Each player tries to join
//! two goals, opposite edges of the board, by a chain of six or more chips that see each other and
//! that turns at every chip; no three chips of a player may ever stand together. Source: Sid
//! Sackson, "A Gamut of Games", 1969, in the form of two course assignments, whose differences are
//! in [`Rules`].
//!
//! [`Position`] has the rules, [`ChipEval`] judges positions and [`ForcedWins`] knows the solved
//! opening, all for the engine. [`game`] puts them behind text, with everything that commands,
//! players and the page need. [`MachinePlayer`], [`ComputerPlayer`] and [`HumanPlayer`] are the
//! classes of the assignments, and [`usf_session`] is the session of one of them.

// The samples of the tests are in a file that other packages include too.
#[cfg(test)]
extern crate self as network;

mod adapter;
mod color;
mod eval;
mod goal;
mod java;
mod legal;
mod links;
mod moves;
pub mod naive;
mod players;
mod position;
pub mod solution;
mod state;
pub mod strategy_check;
mod tactics;

pub use adapter::{Network, game};
pub use color::{Color, PlayerNumber, Rules, UnknownRules};
pub use eval::{ChipEval, TERMS, Weighted, Weights, terms};
pub use goal::{Win, Wins};
pub use legal::{IllegalMove, LegalMoves, WhyIllegal};
pub use moves::{Move, Notation, NotationError, Square, SquareSet, Squares};
pub use players::{ComputerPlayer, HumanPlayer, MachinePlayer, NoMove, usf_session};
pub use position::{Position, SetupError};
pub use state::parse_state;
pub use tactics::{ForcedWins, Threats};
