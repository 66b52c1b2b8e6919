//! A search of any game: chooses moves, analyzes and solves.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground::Value;
use plyground::book::Book;
use plyground::perfect::{BestMove, Refutation, Ties, Unlimited};
use plyground::search::{Checkpoint, Limits, Line, Options, Report, Scope};

use crate::analysis::{Analysis, AnalysisRequest};
use crate::move_text::MoveText;
use crate::position::HostedPosition;

/// The options of an engine.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// How it searches.
    pub search: Options,
    /// The book that it uses where it looks to the end of the game.
    pub book: Option<Book>,
    /// Whether it ignores the prepared answers that come with the game's tactics.
    pub without_prepared: bool,
}

/// How hard an engine thinks about a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strength {
    /// For [`DEFAULT_TIME`](crate::DEFAULT_TIME); up to four seconds where a forced win is likely.
    #[default]
    Default,
    /// Exactly this many plies ahead, however long it takes.
    Depth(u32),
    /// As many plies ahead as can be finished in this time by the clock on the wall.
    Time(Duration),
    /// The best move there is, or what can be found in the time.
    Perfect {
        /// The time, if there is a limit.
        time: Option<Duration>,
        /// How to choose among equally good moves.
        ties: Ties,
    },
}

/// The limits on one move, besides the strength.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// The time within which the engine must have answered.
    pub limit: Option<Duration>,
    /// Makes the engine move at once when raised.
    pub stop: Option<Arc<AtomicBool>>,
    /// Called now and then by every thread of the search.
    pub checkpoint: Option<Arc<dyn Checkpoint>>,
    /// Whether not to look for forced wins, which needs memory of its own.
    pub without_tactics: bool,
}

/// Where a move comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSource {
    /// The book: the move is best.
    Book,
    /// A search to the end of the game: the move is best.
    Exact,
    /// A proof that one side wins, though perhaps sooner.
    Proof,
    /// A search that looked this many plies ahead.
    Depth(u32),
}

impl fmt::Display for MoveSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveSource::Book => f.write_str("book"),
            MoveSource::Exact => f.write_str("exact search"),
            MoveSource::Proof => f.write_str("proof"),
            MoveSource::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

/// With more plies left than this, a search to the end of the game may take hours.
pub const MOST_PLIES_TO_SOLVE: u32 = 48;

/// The move that an engine chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenMove {
    /// The move.
    pub mv: MoveText,
    /// What the move is worth to the side that makes it.
    pub value: Value,
    /// How many plies the engine looked ahead, where that means anything.
    pub depth: Option<u32>,
    /// Where the move comes from.
    pub source: MoveSource,
    /// Positions visited.
    pub nodes: u64,
}

/// A search for the game that made it. It remembers what it finds out from one call to the next.
///
/// A position of another game has no answer: it is treated as one in which the game is over.
pub trait HostedEngine: Send {
    /// Chooses a move; `None` when the game is over.
    ///
    /// # Errors
    ///
    /// When perfect play is asked for, nothing limits the length of the game, and the game knows
    /// no forced wins.
    fn choose(
        &mut self,
        position: &HostedPosition,
        strength: Strength,
        constraints: &Constraints,
    ) -> Result<Option<ChosenMove>, Unlimited>;

    /// Finds out what every move is worth, and calls `on_info` at every step. Returns what it
    /// reported last.
    fn analyze(
        &mut self,
        position: &HostedPosition,
        request: &AnalysisRequest,
        on_info: &mut dyn FnMut(&Analysis),
    ) -> Analysis;

    /// A plain search, as [`Search::search`](plyground::Search::search).
    fn search(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
        scope: Scope,
        on_info: &mut dyn FnMut(&Report<MoveText>),
    ) -> Option<Report<MoveText>>;

    /// A search by plain minimax, the reference.
    fn minimax(&self, position: &HostedPosition, limits: &Limits) -> Option<Report<MoveText>>;

    /// The value of `position` at a glance: the outcome, the book, or a search within `limits`.
    /// `None` if not even one depth could be finished.
    fn glance(&mut self, position: &HostedPosition, limits: &Limits) -> Option<Value>;

    /// One best move by a search to the end, whatever the book says; `None` when the game is over
    /// or a limit was reached before.
    ///
    /// # Errors
    ///
    /// When nothing limits the length of the game.
    fn solve_best(
        &mut self,
        position: &HostedPosition,
        limits: Limits,
    ) -> Result<Option<BestMove<MoveText>>, Unlimited>;

    /// Checks a solution by playing its line out and by a plain search near the end. Returns how
    /// many positions that search settled.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    fn verify(
        &mut self,
        position: &HostedPosition,
        line: &Line<MoveText>,
    ) -> Result<usize, Refutation>;

    /// Another engine that shares the transposition table with this one.
    fn sharing(&self) -> Box<dyn HostedEngine>;

    /// Forgets all that earlier searches found.
    fn clear(&mut self);

    /// Whether there can be perfect play from `position`: by a search to the end, or by forced wins.
    ///
    /// # Errors
    ///
    /// When there is neither.
    fn check_perfect(&self, position: &HostedPosition) -> Result<(), Unlimited>;
}
