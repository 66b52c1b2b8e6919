//! The player that searches.

use std::time::Duration;

use super::{Answer, Choice, Fault, Player, Turn};
use crate::book::Book;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::{AlphaBeta, Clock, Limits, Options, Report, Search};

/// How long a machine thinks about a move when nothing is said about it. Far below the five
/// seconds that the assignments allow, so that a busy computer does not make it late.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// A machine that may think for a time `limit` stops after this share of it: the rest is for
/// what comes before and after the search.
pub(super) const SHARE_OF_LIMIT: f64 = 0.8;

/// How hard a machine thinks about every move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strength {
    /// For [`DEFAULT_TIME`].
    #[default]
    Default,
    /// Exactly this many plies ahead, from 1 to [`MAX_DEPTH`](crate::search::MAX_DEPTH),
    /// however long it takes.
    Depth(u32),
    /// As many plies ahead as can be finished in this time by the clock on the wall.
    Time(Duration),
}

/// A player that makes the move that an [`AlphaBeta`] search finds best.
#[derive(Debug)]
pub struct Machine<E> {
    search: AlphaBeta<E>,
    strength: Strength,
    book: Option<Book>,
}

impl<E> Machine<E> {
    /// A machine that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E, strength: Strength, options: Options) -> Machine<E> {
        Machine { search: AlphaBeta::new(evaluator, options), strength, book: None }
    }

    /// The same machine, which goes by `book` where [`Strength::Depth`] reaches the last move of
    /// the game, and so would find what the book says.
    #[must_use]
    pub fn with_book(self, book: Option<Book>) -> Machine<E> {
        Machine { book, ..self }
    }

    /// The move of the book, where it is what the search would find.
    fn book_move<G: Game>(&self, position: &G) -> Option<Choice<G::Move>> {
        let Strength::Depth(depth) = self.strength else { return None };
        let (mv, score) = self.book.as_ref()?.at_depth(position, depth)?;
        Some(Choice { mv, score: Some(score), depth: position.plies_left() })
    }

    /// Searches `position`, within `limit` if there is one; `None` when the game is over.
    ///
    /// Of the strengths, only [`Strength::Depth`] may be cut short by the limit: the report then
    /// has a lesser depth without being proven.
    pub fn think<G: Game>(
        &mut self,
        position: &G,
        limit: Option<Duration>,
    ) -> Option<Report<G::Move>>
    where
        E: Evaluator<G>,
    {
        let at_most = |time: Duration| {
            let share = limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT));
            Limits::time(Clock::Wall, share.map_or(time, |share| share.min(time)))
        };
        let limits = match self.strength {
            Strength::Default => at_most(DEFAULT_TIME),
            Strength::Time(time) => at_most(time),
            Strength::Depth(depth) => {
                Limits { time: limit.map(|limit| (Clock::Wall, limit)), ..Limits::depth(depth) }
            }
        };
        self.search.best(position, &limits)
    }
}

impl<G: Game, E: Evaluator<G>> Player<G> for Machine<E> {
    fn choose_move(&mut self, turn: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault> {
        if let Some(choice) = self.book_move(turn.position) {
            return Ok(Answer::Move(choice));
        }
        let report = self.think(turn.position, turn.limit).ok_or(Fault::NoMove)?;
        match (self.strength, turn.limit) {
            (Strength::Depth(depth), Some(limit)) if report.depth < depth && !report.proven() => {
                Err(Fault::WallLimit { limit })
            }
            _ => Ok(Answer::Move(Choice {
                mv: report.best_move(),
                score: Some(report.score()),
                depth: Some(report.depth),
            })),
        }
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}
