//! What a proof is about.

use super::numbers::Numbers;
use crate::game::Side;
use crate::hints::SearchHints;

/// Something that one side, the attacker, wants to reach within a number of plies and the other
/// wants to prevent.
///
/// Plies are counted down from the position that a proof is asked for, so that a proof is finite
/// in games with cycles, too; what is proven holds for at least this many plies.
pub trait Goal<G: SearchHints>: Sync {
    /// The side that wants to reach the goal.
    fn attacker(&self) -> Side;

    /// What is known of `position` with `plies` to go, and estimates for an open one. It must be
    /// decided if the game is over or `plies` is 0.
    fn judge(&self, position: &G, plies: u32) -> Numbers;

    /// What [`judge`](Goal::judge) would say of `position`, or a guess at it that costs little;
    /// `None` if nothing does. Positions after moves of the defender are judged only when they
    /// are visited, if there is a guess, because one that holds is enough.
    fn guess(&self, position: &G, plies: u32) -> Option<Numbers> {
        let _ = (position, plies);
        None
    }

    /// Adds the moves worth trying in an open `position` to `moves`: the attacker reaches the
    /// goal by one of them if by any, and after every move of the defender that is not among
    /// them. At least one.
    fn moves(&self, position: &G, plies: u32, moves: &mut Vec<G::Move>) {
        let _ = plies;
        moves.extend(position.open_moves());
    }

    /// A number for the question that the goal asks in `position`. With the key of the position, its
    /// margin so far and the plies to go it stands for the question in the table of a prover, which
    /// serves all goals. Where keys do not say whose turn it is, the number must say whether it is
    /// the attacker's.
    fn salt(&self, position: &G) -> u64;
}
