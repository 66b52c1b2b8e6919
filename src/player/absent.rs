//! Somebody who cannot play.

use super::{Answer, Fault, Player, Turn};
use crate::game::Game;

/// A player that loses when it has to move, because it could not even be started.
#[derive(Clone, Debug)]
pub struct Absent {
    fault: Fault,
}

impl Absent {
    /// A player that cannot play, and why.
    #[must_use]
    pub fn new(why: String) -> Absent {
        Absent { fault: Fault::Died { how: format!("cannot be started: {why}") } }
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
