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
//! classes of the assignments, and [`usf`] is the session of one of them.

mod board;
mod chain;
mod color;
mod computer_player;
mod eval;
mod forcing;
mod gaps;
mod goal;
mod group;
mod hints;
mod human_player;
mod illegal;
mod java;
mod legal;
mod links;
mod machine;
mod machine_player;
mod moves;
pub mod naive;
mod notation;
mod page;
mod parries;
mod player_number;
mod position;
mod program;
mod rules;
mod setup;
mod siblings;
pub mod solution;
mod square;
mod squares;
mod starters;
mod state;
mod tactics;
pub mod usf;
mod weights;
mod wins;
mod zobrist;

pub use color::Color;
pub use computer_player::ComputerPlayer;
pub use eval::{ChipEval, Weighted, terms};
pub use goal::Win;
pub use human_player::{HumanPlayer, NoMove};
pub use illegal::IllegalMove;
pub use legal::LegalMoves;
pub use machine_player::MachinePlayer;
pub use moves::Move;
pub use notation::{Notation, NotationError};
pub use parries::Threats;
pub use player_number::{NoSuchPlayer, PlayerNumber};
pub use position::Position;
pub use program::{Network, game};
pub use rules::{Rules, UnknownRules};
pub use setup::SetupError;
pub use square::Square;
pub use squares::{SquareSet, Squares};
pub use state::parse_state;
pub use tactics::ForcedWins;
pub use weights::{TERMS, Weights};
pub use wins::Wins;
