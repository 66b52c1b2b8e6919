//! The games that a player plays while it is graded.

use plyground::Side;
use plyground_host::referee::PlayedGame;
use plyground_host::{Fault, Reason};

/// The games that a player has played against random moves at one depth.
pub(super) struct RandomGames {
    pub(super) depth: u32,
    pub(super) played: Vec<ExaminedGame>,
}

/// A game that a player has played against random moves.
pub(super) struct ExaminedGame {
    /// The player's side.
    pub(super) side: Side,
    pub(super) game: PlayedGame,
    /// The end of the program's standard error, if the player lost by a fault.
    pub(super) stderr: String,
}

impl ExaminedGame {
    pub(super) fn is_won(&self) -> bool {
        self.game.ending.winner == Some(self.side)
    }

    /// Returns the fault by which the player lost, if it lost by one.
    pub(super) fn fault(&self) -> Option<&Fault> {
        match &self.game.ending.reason {
            Reason::Forfeit { by, fault } if *by == self.side => Some(fault),
            _ => None,
        }
    }
}
