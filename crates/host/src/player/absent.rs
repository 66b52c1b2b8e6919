//! A player that cannot play.

use super::{Answer, Player, Turn};
use crate::external::NotReady;
use crate::fault::Fault;

/// A player that loses when it has to move, because it could not even be started.
#[derive(Clone, Debug)]
pub struct Absent {
    fault: Fault,
}

impl Absent {
    /// Returns a player that cannot play, with the reason.
    #[must_use]
    pub fn new(why: NotReady) -> Absent {
        let fault = match why {
            NotReady::Program(why) => Fault::Died { how: format!("cannot be started: {why}") },
            NotReady::System(why) => Fault::System { why },
        };
        Absent { fault }
    }
}

impl Player for Absent {
    fn choose_move(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
        Err(self.fault.clone())
    }

    /// Returns true, so that the player is asked, and its answer is the fault.
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
