//! A node of the tree of a search, the statements about it, and the observer of both.

use std::collections::HashMap;
use std::ops::Neg;

use crate::game::{Game, Side};
use crate::score::{Bounds, Score};

/// A position that a search looked at, or the move to one that it cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<M> {
    /// The move that leads here; `None` at the root.
    pub mv: Option<M>,
    /// The index of the position before; 0 at the root.
    pub parent: usize,
    /// The number of plies from the root.
    pub ply: u32,
    /// The side to move here.
    pub side: Side,
    /// The window of the search. For a move that was cut off, the window of its parent, as the side to move
    /// here sees it.
    pub window: Window,
    /// The result, as the side to move here sees it; `None` for a move that was cut off.
    pub found: Option<Found<M>>,
    /// The number of the position among those that the search entered, from 0 for the root.
    pub number: u64,
    /// Positions entered here and below; 0 for a move that was cut off.
    pub visited: u64,
    /// The index after the last node below it.
    pub end: usize,
}

impl<M> Node<M> {
    pub(super) fn entered(
        mv: Option<M>,
        parent: usize,
        (ply, side): (u32, Side),
        window: Window,
        number: u64,
    ) -> Node<M> {
        Node { mv, parent, ply, side, window, found: None, number, visited: 0, end: 0 }
    }

    pub(super) fn cut(mv: M, parent: usize, (ply, side): (u32, Side), window: Window) -> Node<M> {
        Node { mv: Some(mv), parent, ply, side, window, found: None, number: 0, visited: 0, end: 0 }
    }

    /// Returns true if its other moves were cut off.
    #[must_use]
    pub fn has_cut(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.cut > 0)
    }
}

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

/// The window of a search: it asks for the value of a position if that is between the two scores. Both are
/// as the side to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The score that the side to move has already, by a move elsewhere.
    pub alpha: Score,
    /// The score from which on the opponent avoids the position, by a move elsewhere.
    pub beta: Score,
}

impl Window {
    /// The window that asks for the value in any case.
    pub const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// Returns true if no value is left to ask for.
    #[must_use]
    pub fn is_closed(self) -> bool {
        self.alpha >= self.beta
    }

    /// Returns `best`, moved into `limits`, and its relation to the value of a position whose value is
    /// known to be within `limits`. `best` is the greatest score of the moves that were searched, which are
    /// all moves if none reached beta.
    #[must_use]
    pub fn statement(self, best: Score, limits: Bounds) -> (Score, Statement) {
        let score = limits.clamp(best);
        let statement = match best {
            _ if best >= self.beta && score < limits.upper => Statement::AtLeast,
            _ if best <= self.alpha && score > limits.lower => Statement::AtMost,
            _ => Statement::Exact,
        };
        (score, statement)
    }
}

/// The same window as the other side sees it.
impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The relation of a score to the value of a position at the depth of its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// The score is the value.
    Exact,
    /// The value is the score or greater: a move was good enough for a cut.
    AtLeast,
    /// The value is the score or less: no move reached alpha.
    AtMost,
}

impl Statement {
    /// Returns true if the statement about `score` is true of `value`.
    #[must_use]
    pub fn holds(self, score: Score, value: Score) -> bool {
        match self {
            Statement::Exact => value == score,
            Statement::AtLeast => value >= score,
            Statement::AtMost => value <= score,
        }
    }

    /// Returns true if `score` with this statement answers the question of `window`.
    #[must_use]
    pub fn answers(self, score: Score, window: Window) -> bool {
        match self {
            Statement::Exact => true,
            Statement::AtLeast => score >= window.beta,
            Statement::AtMost => score <= window.alpha,
        }
    }
}

/// The statement about the score with the sign changed, for the other side.
impl Neg for Statement {
    type Output = Statement;

    fn neg(self) -> Statement {
        match self {
            Statement::Exact => Statement::Exact,
            Statement::AtLeast => Statement::AtMost,
            Statement::AtMost => Statement::AtLeast,
        }
    }
}

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
