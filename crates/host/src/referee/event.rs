//! What happens in a game.

use std::io;

use plyground::Side;

use super::PlayedMove;
use crate::ending::Ending;
use crate::move_text::MoveText;
use crate::position::HostedPosition;

/// Something that happened in a game.
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
        /// The player who did.
        by: Side,
        /// The move.
        mv: MoveText,
    },
    /// The side to move has taken its last move back, and the reply to it.
    TakenBack {
        /// The position at which the game is now.
        position: &'a HostedPosition,
    },
    /// The game is over.
    End {
        /// The last position.
        position: &'a HostedPosition,
        /// How the game ended.
        ending: &'a Ending,
    },
}

/// Receives what happens in a game: the referee itself never prints.
pub trait Observer {
    /// Hears of an event.
    ///
    /// # Errors
    ///
    /// When the observer cannot go on; the game is then broken off.
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()>;
}

/// Reports to nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }
}
