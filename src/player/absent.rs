//! Somebody who cannot play.

use thiserror::Error;

use super::{Answer, Fault, Player, Turn};
use crate::game::Game;

/// Why the program of a player cannot be started, as was found before any game. The text is one
/// line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotReady {
    /// There is something wrong with the program, or there is none.
    #[error("{0}")]
    Program(String),
    /// The system lacks what is needed to start such programs: that is no fault of the player.
    #[error("{0}")]
    System(String),
}

/// A player that loses when it has to move, because it could not even be started.
#[derive(Clone, Debug)]
pub struct Absent {
    fault: Fault,
}

impl Absent {
    /// A player that cannot play, and why.
    #[must_use]
    pub fn new(why: NotReady) -> Absent {
        let fault = match why {
            NotReady::Program(why) => Fault::Died { how: format!("cannot be started: {why}") },
            NotReady::System(why) => Fault::System { why },
        };
        Absent { fault }
    }
}

impl<G: Game> Player<G> for Absent {
    fn choose_move(&mut self, _: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault> {
        Err(self.fault.clone())
    }

    /// It should have: what it is asked does not go unanswered because there is nobody.
    fn judges_moves(&self) -> bool {
        true
    }

    fn lost(&self) -> Option<&Fault> {
        Some(&self.fault)
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}
