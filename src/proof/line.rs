//! The moves of a proof, one after the other.

use super::goal::Goal;
use super::prover::{Prover, key};
use crate::hints::SearchHints;
use crate::search::Limits;

/// The number of positions that may be visited to find a step of a proof again, if its entries are lost
/// from the table.
const REPAIR_NODES: u64 = 100_000;

impl Prover {
    /// Returns a line of a proof that the attacker of `goal` reaches it from `position` within `plies`: the
    /// attacker's proven moves, and for the defender those that were hardest to refute. The line ends early
    /// where the table has lost the proof.
    pub fn line<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut position = position.clone();
        for left in (1..=plies).rev() {
            if position.outcome().is_some() {
                break;
            }
            let next = match position.side_to_move() == goal.attacker() {
                true => self.winning_move(goal, &position, left),
                false => self.stubborn_move(goal, &position, left),
            };
            let Some(mv) = next else { break };
            line.push(mv);
            position.play_unchecked(mv);
        }
        line
    }

    /// Returns a move by which the attacker, who is to move, reaches the goal within `plies`, if that is
    /// proven and the game is not over.
    pub fn winning_move<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Option<G::Move> {
        if position.outcome().is_some() {
            return None;
        }
        let limits = Limits::nodes(REPAIR_NODES);
        let proof = self.prove(goal, position, plies, &limits);
        if proof.best.is_some() || proof.reached != Some(true) {
            return proof.best;
        }
        // A judgment has no move, but then one is easily found.
        let reaches = |mv: &G::Move| {
            let next = position.after(*mv);
            self.prove(goal, &next, plies - 1, &limits).reached == Some(true)
        };
        position.legal_moves().find(reaches)
    }

    /// Returns the defender's move whose refutation took the most work.
    fn stubborn_move<G: SearchHints>(
        &self,
        goal: &impl Goal<G>,
        position: &G,
        plies: u32,
    ) -> Option<G::Move> {
        let work = |mv: &G::Move| {
            let next = position.after(*mv);
            let entry = self.table.get(key(goal, &next, plies - 1));
            // Moves that lose at once come last.
            (entry.map(|entry| entry.work), next.outcome().is_none())
        };
        position.legal_moves().max_by_key(work)
    }
}
