//! The moves of a proof, one after the other, and their replay.

use super::prover::{Prover, Search, key};
use super::tactics::{Goal, Numbers};
use crate::hints::SearchHints;
use crate::search::Limits;
use crate::table::NO_MOVE;

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

/// Two positions with the same side to move and as many plies to go.
struct Pair<'a, G> {
    /// The position to be proven.
    position: &'a G,
    /// The position that is proven, whose moves are tried.
    model: &'a G,
    plies: u32,
}

impl<G: SearchHints, T: Goal<G>> Search<'_, G, T> {
    /// Tries the proof of the defender's move that led to `proven` on the other moves, the
    /// children from `start` on.
    pub(super) fn try_on_siblings(&mut self, start: usize, proven: &G, plies: u32) {
        for index in start..self.children.len() {
            if self.children[index].numbers.verdict().is_some() || self.meter.is_stopped() {
                continue;
            }
            let sibling = self.children[index].next.clone();
            if self.replay(&Pair { position: &sibling, model: proven, plies }) {
                self.children[index].numbers = Numbers::PROVEN;
            }
        }
    }

    /// Returns true if the moves that prove the model prove the position too. The model only suggests
    /// moves: every step is checked in the position itself.
    ///
    /// Source: Y. Kawano, "Using Similar Positions to Search Game Trees", 1996 (simulation).
    fn replay(&mut self, pair: &Pair<'_, G>) -> bool {
        let Pair { position, plies, .. } = *pair;
        if let Some(verdict) = self.known(position, plies).verdict() {
            return verdict;
        }
        let before = self.meter.nodes();
        if self.meter.visit() {
            return false;
        }
        let start = self.moves.len();
        self.goal.moves(position, plies, &mut self.moves);
        let (is_proven, best) = if position.side_to_move() == self.goal.attacker() {
            let best = self.replay_move(start, pair);
            (best.is_some(), best)
        } else {
            let mut replies = start..self.moves.len();
            (replies.all(|index| self.replay_after(self.moves[index], pair)), None)
        };
        self.moves.truncate(start);
        if is_proven {
            self.store(position, plies, Numbers::PROVEN, best, before);
        }
        is_proven
    }

    /// Returns the move that proves the model, if it is among the moves from `start` on and proves the
    /// position too.
    fn replay_move(&mut self, start: usize, pair: &Pair<'_, G>) -> Option<G::Move> {
        let Pair { position, model, plies } = *pair;
        let entry = self.table.get(key(self.goal, model, plies))?;
        if entry.numbers.verdict() != Some(true) || entry.best == NO_MOVE {
            return None;
        }
        let code = model.canonical_code(entry.best.into());
        let mv = *self.moves[start..].iter().find(|&&mv| position.move_code(mv) == code)?;
        self.replay_after(mv, pair).then_some(mv)
    }

    /// Does the same as [`replay`](Search::replay), after one and the same move in both positions.
    fn replay_after(&mut self, mv: G::Move, pair: &Pair<'_, G>) -> bool {
        let Pair { position, model, plies } = *pair;
        let next = position.after(mv);
        match self.known(&next, plies - 1).verdict() {
            Some(verdict) => verdict,
            None => {
                model.check_legal(mv).is_ok()
                    && self.replay(&Pair {
                        position: &next,
                        model: &model.after(mv),
                        plies: plies - 1,
                    })
            }
        }
    }
}
