//! Players, which choose the moves of one side: the interface, random players, and players that are absent.

pub use human::{
    Console, Human, Input, LineSource, Lines, StdinLines, forced_pass, read_legal_move,
};
pub use spec::{EnginePlayer, PlayerSpec, UnknownPlayer};
pub use turn::{Absent, Answer, Player, ProposedMove, Random, Turn};

mod human;
mod spec;
mod turn;
