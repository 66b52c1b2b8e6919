//! Extra turns: toy games in which some moves leave the turn to the side that made them.

use std::fmt;

use super::{Coins, Digraph};
use crate::game::{Game, Outcome, Side};
use crate::hints::SearchHints;
use crate::score::Bounds;

/// A game with alternating sides that can be changed into one with extra turns.
pub trait ExtraTurns: SearchHints {
    /// Returns true if the side that makes `mv`, a legal move, is to move again.
    fn keeps_turn(&self, mv: Self::Move) -> bool;

    /// Leaves the turn to the other side.
    fn turn_over(&mut self);
}

/// The side that takes coins with an even sum takes again.
impl ExtraTurns for Coins {
    fn keeps_turn(&self, take: Self::Move) -> bool {
        self.worth(take) % 2 == 0
    }

    fn turn_over(&mut self) {
        Coins::turn_over(self);
    }
}

/// The side that moves the piece to one of every three nodes moves it again.
impl ExtraTurns for Digraph {
    fn keeps_turn(&self, to: Self::Move) -> bool {
        self.after(to).has_lot(3)
    }

    fn turn_over(&mut self) {
        Digraph::turn_over(self);
    }
}

/// A game with extra turns: [`Coins`] or [`Digraph`], in which some moves keep the turn.
///
/// ```
/// use plyground::testing::{Again, Coins, Sample, check_contract};
/// use plyground::{Flat, Game};
///
/// let sample = Sample::new((0..20).map(|seed| Again(Coins::new(seed, 8))), 1).with_playouts(20);
/// assert!(check_contract(&sample, &Flat)?.positions > 100);
/// assert!(!Again::<Coins>::ALTERNATES);
/// # Ok::<(), plyground::testing::Breach>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again<G>(pub G);

impl<G: ExtraTurns> Game for Again<G> {
    type Move = G::Move;
    type IllegalMove = G::IllegalMove;

    const NAME: &'static str = "again";
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = Self::Move> {
        self.0.legal_moves()
    }

    fn check_legal(&self, mv: Self::Move) -> Result<(), Self::IllegalMove> {
        self.0.check_legal(mv)
    }

    fn play_unchecked(&mut self, mv: Self::Move) {
        let keeps_turn = self.0.keeps_turn(mv);
        self.0.play_unchecked(mv);
        if keeps_turn {
            self.0.turn_over();
        }
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn plies_left(&self) -> Option<u32> {
        self.0.plies_left()
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.0.points()
    }

    fn margin(&self) -> i32 {
        self.0.margin()
    }
}

/// The bounds of [`Coins`] count on no particular side to take what is left.
impl<G: ExtraTurns> SearchHints for Again<G> {
    const MOVE_CODES: usize = G::MOVE_CODES;

    fn move_code(&self, mv: Self::Move) -> usize {
        self.0.move_code(mv)
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.0.canonical_code(code)
    }

    fn bounds(&self) -> Bounds {
        self.0.bounds()
    }
}

impl<G: fmt::Display> fmt::Display for Again<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
