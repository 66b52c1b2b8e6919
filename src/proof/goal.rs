//! The goals of proofs.

use super::numbers::Numbers;
use crate::game::Side;
use crate::hints::SearchHints;

/// A goal that one side, the attacker, wants to reach within a number of plies and the other wants to
/// prevent.
///
/// Plies are counted down from the position that a proof is asked for, so that a proof is finite in games
/// with cycles too. A goal that is proven within some plies is also reached within more.
pub trait Goal<G: SearchHints>: Sync {
    /// Returns the side that wants to reach the goal.
    fn attacker(&self) -> Side;

    /// Returns the verdict on `position` with `plies` to go, or estimates if it is open. It must be decided
    /// if the game is over or `plies` is 0.
    fn judge(&self, position: &G, plies: u32) -> Numbers;

    /// Returns the result of [`judge`](Goal::judge) for `position`, or a cheap guess at it; `None` if there
    /// is no cheap guess. With a guess, positions after moves of the defender are judged only when they are
    /// visited, because one move that holds is enough.
    fn guess(&self, position: &G, plies: u32) -> Option<Numbers> {
        let _ = (position, plies);
        None
    }

    /// Adds the moves worth trying in an open `position` to `moves`, at least one. If any move of the
    /// attacker reaches the goal, one of these does; after every move of the defender that is not among
    /// them, the attacker reaches it.
    fn moves(&self, position: &G, plies: u32, moves: &mut Vec<G::Move>) {
        let _ = plies;
        moves.extend(position.open_moves());
    }

    /// Returns a number for the question that the goal asks in `position`. Together with the key of the
    /// position, its margin so far and the plies to go, it identifies the question in the table of a
    /// prover, which serves all goals. Where keys do not say whose turn it is, the number must say whether
    /// it is the attacker's.
    fn salt(&self, position: &G) -> u64;
}
