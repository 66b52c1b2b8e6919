//! The interface for a game's knowledge of forced wins, and the goal of a proof.

use super::finder::AtLeast;
use super::prover::Numbers;
use crate::game::Side;
use crate::hints::SearchHints;

/// A move that is known to win, without a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared<M> {
    /// The move.
    pub mv: M,
    /// The number of plies within which the move wins, itself included.
    pub plies: u32,
}

/// A game's knowledge of forced wins, for a search that looks for them.
///
/// [`AtLeast`] with a margin of 1 is a goal that every game has, and enough to begin with; a [`Goal`] of
/// the game's own proves more in the same time.
///
/// ```
/// use std::time::Duration;
///
/// use plyground::proof::{Allowance, AtLeast, Finder, Tactics};
/// use plyground::testing::TicTacToe;
/// use plyground::{Game, Side};
///
/// /// Wins within five plies are worth looking for.
/// struct Five;
///
/// impl Tactics<TicTacToe> for Five {
///     type Goal = AtLeast;
///
///     fn goal(&self, _: &TicTacToe, attacker: Side) -> AtLeast {
///         AtLeast { attacker, margin: 1 }
///     }
///
///     fn horizon(&self, _: &TicTacToe, _: Side) -> u32 {
///         5
///     }
/// }
///
/// let mut position = TicTacToe::default();
/// for text in ["5", "2"] {
///     position.play(text.parse()?)?;
/// }
/// let allowance = Allowance::time(Duration::from_secs(60), None);
/// let win = Finder::new(Five, 1).find(&position, Side::First, &allowance).ok_or("no win")?;
/// assert_eq!((win.winner, win.plies), (Side::First, 5));
/// assert_eq!(win.value(Side::First).to_string(), "win in <= 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Tactics<G: SearchHints>: Send + Sync {
    /// The goal that stands for a win.
    type Goal: Goal<G>;

    /// Returns the goal that `attacker` wins, for `position` and all that follow from it.
    fn goal(&self, position: &G, attacker: Side) -> Self::Goal;

    /// Returns the greatest number of plies within which a win of `attacker` is worth looking for in
    /// `position`; 0 if no win is.
    fn horizon(&self, position: &G, attacker: Side) -> u32;

    /// Returns a move of the side to move that is known to win.
    fn prepared(&self, position: &G) -> Option<Prepared<G::Move>> {
        let _ = position;
        None
    }

    /// Returns the number of plies within which the side to move probably has a forced win, where the
    /// search for it is worth the greater part of the time: in positions that follow from
    /// [`prepared`](Tactics::prepared) moves.
    fn expected(&self, position: &G) -> Option<u32> {
        let _ = position;
        None
    }
}

/// Tactics that know nothing: no forced wins are looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTactics;

impl<G: SearchHints> Tactics<G> for NoTactics {
    type Goal = AtLeast;

    fn goal(&self, _: &G, attacker: Side) -> AtLeast {
        AtLeast { attacker, margin: 1 }
    }

    fn horizon(&self, _: &G, _: Side) -> u32 {
        0
    }
}

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
