//! The player that searches.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::{Answer, Choice, Fault, Player, Turn};
use crate::book::Book;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::perfect::{Forcing, Sought};
use crate::proof::{NoTactics, Tactics};
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
    /// For [`DEFAULT_TIME`]; up to four seconds where a forced win is likely.
    #[default]
    Default,
    /// Exactly this many plies ahead, from 1 to [`MAX_DEPTH`](crate::search::MAX_DEPTH),
    /// however long it takes.
    Depth(u32),
    /// As many plies ahead as can be finished in this time by the clock on the wall.
    Time(Duration),
}

/// How long a machine of [`Strength::Default`] may think where it probably has a forced win: within
/// the five seconds that the assignments allow, too.
const LIKELY_WIN_TIME: Duration = Duration::from_secs(4);

/// A player that makes the move that an [`AlphaBeta`] search finds best; on the clock, one that
/// wins by force where it finds such a move.
#[derive(Debug)]
pub struct Machine<E, T = NoTactics> {
    search: AlphaBeta<E>,
    forcing: Forcing<T>,
    strength: Strength,
    stop: Option<Arc<AtomicBool>>,
    book: Option<Book>,
}

impl<E> Machine<E> {
    /// A machine that asks `evaluator` about positions at its horizon.
    pub fn new(evaluator: E, strength: Strength, options: Options) -> Machine<E> {
        Machine {
            forcing: Forcing::new(NoTactics, options.table_mib),
            search: AlphaBeta::new(evaluator, options),
            strength,
            book: None,
            stop: None,
        }
    }
}

impl<E, T> Machine<E, T> {
    /// The same machine, which looks for forced wins by these tactics unless its strength is a
    /// depth; with a table of so many MiB for it.
    #[must_use]
    pub fn with_tactics<U>(self, tactics: U, table_mib: usize) -> Machine<E, U> {
        let Machine { search, strength, stop, book, .. } = self;
        Machine { search, forcing: Forcing::new(tactics, table_mib), strength, stop, book }
    }

    /// The same machine, which moves at once when the flag is raised, however little it has
    /// thought.
    #[must_use]
    pub fn with_stop(self, stop: Option<Arc<AtomicBool>>) -> Machine<E, T> {
        Machine { stop, ..self }
    }

    /// The same machine, which goes by `book` where [`Strength::Depth`] reaches the last move of
    /// the game, and so would find what the book says.
    #[must_use]
    pub fn with_book(self, book: Option<Book>) -> Machine<E, T> {
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
        T: Tactics<G>,
    {
        let at_most = |time: Duration| {
            let share = limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT));
            share.map_or(time, |share| share.min(time))
        };
        let (time, likely) = match self.strength {
            Strength::Default => (at_most(DEFAULT_TIME), at_most(LIKELY_WIN_TIME)),
            Strength::Time(time) => (at_most(time), at_most(time)),
            Strength::Depth(depth) => {
                let time = limit.map(|limit| (Clock::Wall, limit));
                let limits = Limits { time, stop: self.stop.clone(), ..Limits::depth(depth) };
                return self.search.best(position, &limits);
            }
        };
        let sought = Sought { started: Instant::now(), time, likely, stop: self.stop.clone() };
        self.forcing.choose(&mut self.search, position, &sought)
    }
}

impl<G: Game, E: Evaluator<G>, T: Tactics<G>> Player<G> for Machine<E, T> {
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
