//! The events of a game.

use std::io;

use plyground::Side;

use super::PlayedMove;
use crate::ending::Ending;
use crate::move_text::MoveText;
use crate::position::HostedPosition;

/// An event in a game.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The game begins.
    Start {
        /// The position from which it is played.
        position: &'a HostedPosition,
    },
    /// A move was made.
    Moved {
        /// The number of the move in the game, from 1.
        ply: usize,
        /// The position before it.
        before: &'a HostedPosition,
        /// The move.
        played: &'a PlayedMove,
        /// The position after it.
        after: &'a HostedPosition,
    },
    /// A player took a legal move for illegal. The move stands.
    Rejected {
        /// The player that did so.
        by: Side,
        /// The move.
        mv: MoveText,
    },
    /// The side to move has taken back its last move and the reply to it.
    TakenBack {
        /// The current position of the game.
        position: &'a HostedPosition,
    },
    /// The game is over.
    End {
        /// The last position.
        position: &'a HostedPosition,
        /// The end of the game.
        ending: &'a Ending,
    },
}

/// Receives the events of a game; the referee itself never prints.
pub trait Observer {
    /// Receives an event.
    ///
    /// # Errors
    ///
    /// Returns an error if the observer cannot go on; the game is then interrupted.
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()>;
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }
}
