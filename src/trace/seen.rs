//! A transposition table in its plainest form.

use std::collections::HashMap;

use super::observer::Found;
use super::statement::Statement;
use crate::game::Game;
use crate::score::Score;

/// The results of the positions that have been searched at a depth. In one search to a fixed depth the same
/// depth is the same distance from the root, so that scores of forced ends agree.
#[derive(Debug)]
pub(super) struct Seen<G> {
    known: HashMap<(u64, u32), Vec<Known<G>>>,
    entered: u64,
}

/// The result of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<G> {
    position: G,
    pub(super) score: Score,
    pub(super) statement: Statement,
    /// The number of the position among those entered.
    pub(super) number: u64,
}

impl<G> Default for Seen<G> {
    fn default() -> Seen<G> {
        Seen { known: HashMap::new(), entered: 0 }
    }
}

impl<G: Game> Seen<G> {
    /// Counts a position that is entered now. Returns its number, from 0.
    pub(super) fn count(&mut self) -> u64 {
        self.entered += 1;
        self.entered - 1
    }

    /// Returns the result of `position` itself: others may share its key, such as a mirror image.
    pub(super) fn get(&self, position: &G, depth: u32) -> Option<&Known<G>> {
        let known = self.known.get(&(position.key(), depth))?;
        known.iter().find(|known| known.position == *position)
    }

    pub(super) fn put(&mut self, position: &G, depth: u32, number: u64, found: &Found<G::Move>) {
        let Found { score, statement, .. } = *found;
        let known = self.known.entry((position.key(), depth)).or_default();
        let new = Known { position: position.clone(), score, statement, number };
        match known.iter_mut().find(|known| known.position == *position) {
            Some(known) => *known = new,
            None => known.push(new),
        }
    }
}
