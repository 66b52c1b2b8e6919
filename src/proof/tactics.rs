//! The interface for a game's knowledge of forced wins, and the goal of a proof with its numbers.

use crate::game::Side;
use crate::hints::SearchHints;
use crate::score::Score;

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

    /// Returns the verdict on `position` with `plies` to go, or estimates if it is open. The verdict must be
    /// decided if the game is over or `plies` is 0.
    fn judge(&self, position: &G, plies: u32) -> Numbers;

    /// Returns the result of [`judge`](Goal::judge) for `position`, or a cheap guess at it; `None` if there
    /// is no cheap guess. With a guess, positions after moves of the defender are judged only when they are
    /// visited, because one move that holds is enough.
    fn guess(&self, position: &G, plies: u32) -> Option<Numbers> {
        let _ = (position, plies);
        None
    }

    /// Adds the moves worth trying in an open `position` to `moves`, at least one. If any move of the
    /// attacker reaches the goal, one of the added moves does; after every move of the defender that is not
    /// added, the attacker reaches the goal.
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

/// The number of an impossible proof or disproof.
const IMPOSSIBLE: u32 = (1 << 21) - 1;

/// The proof and disproof numbers of a position: estimates of the number of positions that a proof and a
/// disproof take. Each is at most 2^21 - 2 while the position is open.
///
/// ```
/// use plyground::proof::Numbers;
///
/// assert_eq!(Numbers::PROVEN.verdict(), Some(true));
/// assert_eq!(Numbers::DISPROVEN.verdict(), Some(false));
/// assert_eq!(Numbers::open(3, 5).verdict(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Numbers {
    /// The numbers of a goal that the attacker reaches.
    pub const PROVEN: Numbers = Numbers { proof: 0, disproof: IMPOSSIBLE };
    /// The numbers of a goal that the defender prevents.
    pub const DISPROVEN: Numbers = Numbers { proof: IMPOSSIBLE, disproof: 0 };
    /// The limit of a search without limits.
    pub(super) const UNLIMITED: Numbers = Numbers { proof: IMPOSSIBLE, disproof: IMPOSSIBLE };

    /// Returns the numbers of an open position, each held between 1 and the greatest.
    #[inline]
    #[must_use]
    pub fn open(proof: u32, disproof: u32) -> Numbers {
        let held = |number: u32| number.clamp(1, IMPOSSIBLE - 1);
        Numbers { proof: held(proof), disproof: held(disproof) }
    }

    /// Returns true if the goal is reached, false if it is not; `None` while the question is open.
    #[inline]
    #[must_use]
    pub fn verdict(self) -> Option<bool> {
        match self {
            Numbers { proof: 0, .. } => Some(true),
            Numbers { disproof: 0, .. } => Some(false),
            _ => None,
        }
    }
}

/// The goal that the attacker wins by `margin` points or more. In a game without points, a positive margin
/// asks for a win; with a margin of 0 a draw is enough.
///
/// ```
/// use plyground::proof::{AtLeast, Prover};
/// use plyground::testing::TicTacToe;
/// use plyground::{Limits, Side};
///
/// let reaches = |attacker, margin| {
///     let goal = AtLeast { attacker, margin };
///     Prover::new(1).prove(&goal, &TicTacToe::default(), 9, &Limits::default()).reached
/// };
/// // Neither side wins tic-tac-toe, and both can hold the draw.
/// assert_eq!([Side::First, Side::Second].map(|side| reaches(side, 1)), [Some(false); 2]);
/// assert_eq!([Side::First, Side::Second].map(|side| reaches(side, 0)), [Some(true); 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AtLeast {
    /// The side that wants to reach the goal.
    pub attacker: Side,
    /// The least margin, which may be negative.
    pub margin: i32,
}

impl<G: SearchHints> Goal<G> for AtLeast {
    fn attacker(&self) -> Side {
        self.attacker
    }

    fn judge(&self, position: &G, plies: u32) -> Numbers {
        let wanted = Score::of_margin(self.margin, G::POINT);
        let decided = |reached| if reached { Numbers::PROVEN } else { Numbers::DISPROVEN };
        if let Some(outcome) = position.outcome() {
            return decided(outcome.score::<G>(self.attacker, 0) >= wanted);
        }
        if plies == 0 {
            return Numbers::DISPROVEN;
        }
        let bounds = position.bounds();
        let bounds = if position.side_to_move() == self.attacker { bounds } else { bounds.flip() };
        match (bounds.lower >= wanted, bounds.upper < wanted) {
            // The bounds hold for the end of the game, which must be within reach.
            (true, _) if position.plies_left().is_some_and(|left| left <= plies) => Numbers::PROVEN,
            (_, true) => Numbers::DISPROVEN,
            _ => Numbers::open(1, 1),
        }
    }

    /// Returns the number of the question as the side to move sees it, like the key of a position.
    fn salt(&self, position: &G) -> u64 {
        const OF_MARGINS: u64 = 0xd6e8_feb8_6659_fd93;
        let is_mover = position.side_to_move() == self.attacker;
        let question = 2 * i64::from(self.margin) + i64::from(is_mover);
        OF_MARGINS.wrapping_mul(question as u64)
    }
}
