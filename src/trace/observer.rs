//! The observers of a search.

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
    /// The number of plies from the root.
    pub ply: u32,
    /// The window of the search.
    pub window: Window,
}

/// The source of an answer.
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

/// The result for a position when the search leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The score, as the side to move sees it; forced ends are counted from the root.
    pub score: Score,
    /// The relation of the score to the value at this depth.
    pub statement: Statement,
    /// If true, the score has the same relation to the result of best play, and rests on no estimate.
    pub proven: bool,
    /// The source of the score.
    pub source: Source,
    /// The first of the moves that have the score, if moves were searched. If others were cut off, it is
    /// the move that caused the cut.
    pub best: Option<M>,
    /// The number of moves cut off.
    pub cut: usize,
}

/// An observer of a search. It is told of every step in order: the search enters a position, enters and
/// leaves those after its moves, may cut off the rest of the moves, and leaves the position.
pub trait Observer<G: Game> {
    /// Called when the search enters a position. If it returns `false`, the search ends at once, without a
    /// value.
    fn enter(&mut self, entered: &Entered<'_, G>) -> bool;

    /// Called when the search cuts off these moves of `position`, the one that it entered last and has not
    /// left. They are in the order in which it would have searched them.
    fn cut(&mut self, position: &G, moves: &[(G::Move, G)]) {
        let _ = (position, moves);
    }

    /// Called when the search leaves `position`, the one that it entered last and has not left.
    fn leave(&mut self, position: &G, found: &Found<G::Move>);
}
