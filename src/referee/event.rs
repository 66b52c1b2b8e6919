//! What happens in a game.

use std::io;

use super::{Ending, PlayedMove};
use crate::game::{Game, Side};

/// Something that happened in a game.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a, G: Game> {
    /// The game begins.
    Start {
        /// The position from which it is played.
        position: &'a G,
    },
    /// A move was made.
    Moved {
        /// The number of the move in the game, from 1.
        ply: usize,
        /// The position before it.
        before: &'a G,
        /// The move.
        played: &'a PlayedMove<G::Move>,
        /// The position after it.
        after: &'a G,
    },
    /// A player took a legal move for illegal. The move stands.
    Rejected {
        /// The player who did.
        by: Side,
        /// The move.
        mv: G::Move,
    },
    /// The side to move has taken its last move back, and the reply to it.
    TakenBack {
        /// The position at which the game is now.
        position: &'a G,
    },
    /// The game is over.
    End {
        /// The last position.
        position: &'a G,
        /// How the game ended.
        ending: &'a Ending,
    },
}

/// Somebody who is told what happens in a game: the referee itself never prints.
pub trait Observer<G: Game> {
    /// Hears of an event.
    ///
    /// # Errors
    ///
    /// When the observer cannot go on; the game is then broken off.
    fn observe(&mut self, event: &Event<'_, G>) -> io::Result<()>;
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<G: Game> Observer<G> for Silent {
    fn observe(&mut self, _: &Event<'_, G>) -> io::Result<()> {
        Ok(())
    }
}
