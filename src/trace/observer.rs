//! Who looks on while a search goes through its tree.

use super::statement::{Statement, Window};
use crate::game::Game;
use crate::score::Score;

/// A position that the search enters.
#[derive(Clone, Copy, Debug)]
pub struct Entered<'a, G: Game> {
    /// The position before it and the move that leads to it; `None` at the root.
    pub from: Option<(&'a G, G::Move)>,
    /// The position.
    pub position: &'a G,
    /// How many plies it is from the root.
    pub ply: u32,
    /// What it is asked.
    pub window: Window,
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The game is over.
    Outcome,
    /// The evaluation, at the horizon.
    Evaluation,
    /// An earlier search of the same position: the number of the position, as they are entered, from
    /// 0 for the root.
    Table(u64),
    /// The moves.
    Moves,
}

/// What is known of a position when the search leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The score, as the side to move sees it; forced ends are counted from the root.
    pub score: Score,
    /// What the score says of the value at this depth.
    pub statement: Statement,
    /// Whether it says the same of the result of best play, and rests on no estimate.
    pub proven: bool,
    /// Where it comes from.
    pub source: Source,
    /// The first of the moves that have the score, if moves were searched. Where others were cut
    /// off, it is the one that did it.
    pub best: Option<M>,
    /// How many moves were cut off.
    pub cut: usize,
}

/// Looks on. Everything is told in the order in which it happens: a position is entered, those after
/// its moves are entered and left, the rest of its moves is cut off, if so, and it is left.
pub trait Observer<G: Game> {
    /// The search enters a position. It ends at once, without a value, where this is `false`.
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool;

    /// The search does not look at these moves of `position`, the one that it entered last and has
    /// not left, in the order in which it would have.
    fn cut(&mut self, position: &G, moves: &[(G::Move, G)]) {
        let _ = (position, moves);
    }

    /// The search leaves `position`, the one that it entered last and has not left.
    fn leave(&mut self, position: &G, found: &Found<G::Move>);
}
