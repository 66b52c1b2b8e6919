//! A search for any game, which chooses moves, analyzes, solves and explains.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground::book::Book;
use plyground::perfect::{BestMove, Refutation, Ties, Unlimited};
use plyground::search::{Checkpoint, Limits, Line, Options, Report, Scope};
use plyground::trace::{Counts, TraceOptions, Tree};
use plyground::{Term, Value};

use crate::analysis::{Analysis, AnalysisRequest};
use crate::game::{HostedGame, MoveText};
use crate::page::Path;
use crate::position::HostedPosition;
use crate::state::{StateText, TextError};

/// The options of an engine.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// The options of the search.
    pub search: Options,
    /// The book for searches to the end of the game.
    pub book: Option<Book>,
    /// If true, the engine ignores the prepared answers that come with the game's tactics.
    pub without_prepared: bool,
}

/// The effort that an engine spends on a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strength {
    /// The time [`DEFAULT_TIME`](crate::DEFAULT_TIME), or up to four seconds if a forced win is likely.
    #[default]
    Default,
    /// Exactly this many plies ahead, however long they take.
    Depth(u32),
    /// As many plies ahead as fit into this wall-clock time.
    Time(Duration),
    /// The best move, or the best that is found in the time.
    Perfect {
        /// The time, if there is a limit.
        time: Option<Duration>,
        /// The choice among equally good moves.
        ties: Ties,
    },
}

/// The limits on one move, in addition to the strength.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// The time within which the engine must answer.
    pub limit: Option<Duration>,
    /// The flag that makes the engine move at once when raised.
    pub stop: Option<Arc<AtomicBool>>,
    /// The checkpoint that every thread of the search calls now and then.
    pub checkpoint: Option<Arc<dyn Checkpoint>>,
    /// If true, the engine does not look for forced wins, which needs memory of its own.
    pub without_tactics: bool,
}

/// The source of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSource {
    /// The book, whose move is best.
    Book,
    /// A search to the end of the game, whose move is best.
    Exact,
    /// A proof that one side wins, though perhaps not as soon as possible.
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

/// The number of plies left above which a search to the end of the game may take hours.
pub const MOST_PLIES_TO_SOLVE: u32 = 48;

/// The move that an engine chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenMove {
    /// The move.
    pub mv: MoveText,
    /// The value of the move to the side that makes it.
    pub value: Value,
    /// The number of plies that the engine looked ahead, if that is known.
    pub depth: Option<u32>,
    /// The source of the move.
    pub source: MoveSource,
    /// The number of positions visited.
    pub nodes: u64,
}

/// A search for the game that made it. It keeps its results from one call to the next.
///
/// A position of another game has no answer: it counts as one in which the game is over.
pub trait HostedEngine: Send {
    /// Chooses a move, or returns `None` if the game is over.
    ///
    /// # Errors
    ///
    /// Returns an error if perfect play is wanted, the length of the game has no limit, and the game has no
    /// tactics for forced wins.
    fn choose(
        &mut self,
        position: &HostedPosition,
        strength: Strength,
        constraints: &Constraints,
    ) -> Result<Option<ChosenMove>, Unlimited>;

    /// Determines the value of every move, and calls `on_info` at every step. Returns the last report.
    fn analyze(
        &mut self,
        position: &HostedPosition,
        request: &AnalysisRequest,
        on_info: &mut dyn FnMut(&Analysis),
    ) -> Analysis;

    /// Does a plain search, as [`Search::search`](plyground::Search::search).
    fn search(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
        scope: Scope,
        on_info: &mut dyn FnMut(&Report<MoveText>),
    ) -> Option<Report<MoveText>>;

    /// Searches by plain minimax, the reference.
    fn minimax(&self, position: &HostedPosition, limits: &Limits) -> Option<Report<MoveText>>;

    /// Returns the value of `position` at a glance: the outcome, the book's value, or that of a search within
    /// `limits`. Returns `None` if not even one depth is finished.
    fn glance(&mut self, position: &HostedPosition, limits: &Limits) -> Option<Value>;

    /// Finds one best move by a search to the end, without the book. Returns `None` if the game is over, or a
    /// limit is reached first.
    ///
    /// # Errors
    ///
    /// Returns an error if the length of the game has no limit.
    fn solve_best(
        &mut self,
        position: &HostedPosition,
        limits: Limits,
    ) -> Result<Option<BestMove<MoveText>>, Unlimited>;

    /// Checks a solution by playing its line to the end and by a plain search near the end. Returns the
    /// number of positions that this search settled.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the solution.
    fn verify(
        &mut self,
        position: &HostedPosition,
        line: &Line<MoveText>,
    ) -> Result<usize, Refutation>;

    /// Returns another engine that shares the transposition table with this one.
    fn sharing(&self) -> Box<dyn HostedEngine>;

    /// Forgets all results of earlier searches.
    fn clear(&mut self);

    /// Checks that perfect play from `position` is possible: by a search to the end, or by forced wins.
    ///
    /// # Errors
    ///
    /// Returns an error if neither is possible.
    fn check_perfect(&self, position: &HostedPosition) -> Result<(), Unlimited>;
}

/// The part of a search to show.
#[derive(Clone, Copy, Debug)]
pub struct ExplainRequest {
    /// The options of the search.
    pub options: TraceOptions,
    /// The most nodes to keep: plies that would exceed this number are left out. The root and the plies after
    /// its moves are always kept.
    pub most_nodes: u64,
    /// The most positions that the search may enter.
    pub most_visited: u64,
}

/// The tree of a search, with everything that people look at beside it.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position at the root.
    pub position: HostedPosition,
    /// The options of the search.
    pub options: TraceOptions,
    /// The counts of the whole search, including the part that is left out.
    pub counts: Counts,
    /// The tree. Its moves are indexes of [`moves`](Explanation::moves).
    pub tree: Tree<u16>,
    /// The moves that occur in the tree.
    pub moves: Vec<MoveText>,
    /// The cells of the move to each node.
    pub paths: Vec<Path>,
    /// The terms of the evaluations.
    pub terms: Terms,
}

impl Explanation {
    /// Returns the move with this index in the tree.
    #[must_use]
    pub fn move_text(&self, mv: u16) -> MoveText {
        self.moves[usize::from(mv)]
    }

    /// Returns the moves from the root to a node.
    #[must_use]
    pub fn way(&self, node: usize) -> Vec<MoveText> {
        let nodes = self.tree.path(node).into_iter();
        nodes.filter_map(|node| self.tree.nodes()[node].mv).map(|mv| self.move_text(mv)).collect()
    }

    /// Returns the number of positions that the search entered and the tree leaves out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        let shown = self.tree.nodes().iter().filter(|node| node.found.is_some()).count();
        self.counts.nodes() - shown as u64
    }
}

/// The terms of the evaluations at the nodes of a tree.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The names and weights of all terms that occur.
    pub kinds: Vec<(&'static str, i32)>,
    /// The terms of one evaluation after the other: the index of the kind, and the counts for the side to
    /// move and for the opponent.
    pub counts: Vec<(u16, [i32; 2])>,
    /// The nodes that have terms, in order, each with the index of its first term.
    starts: Vec<(usize, usize)>,
}

impl Terms {
    /// Adds the terms of the evaluation at a node after all others.
    pub(crate) fn push(&mut self, node: usize, terms: &[Term]) {
        self.starts.push((node, self.counts.len()));
        for Term { name, counts, weight } in terms {
            let kind = (*name, *weight);
            let index = self.kinds.iter().position(|known| *known == kind);
            let index = index.unwrap_or_else(|| {
                self.kinds.push(kind);
                self.kinds.len() - 1
            });
            self.counts.push((index as u16, *counts));
        }
    }

    /// Returns the range of a node's terms among the [`counts`](Terms::counts).
    #[must_use]
    pub fn range(&self, node: usize) -> Option<Range<usize>> {
        let index = self.starts.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        let end = self.starts.get(index + 1).map_or(self.counts.len(), |&(_, start)| start);
        Some(self.starts[index].1..end)
    }

    /// Returns the terms of the evaluation at a node.
    #[must_use]
    pub fn of(&self, node: usize) -> Vec<Term> {
        let counts = &self.counts[self.range(node).unwrap_or_default()];
        let term = |&(kind, counts): &(u16, [i32; 2])| {
            let (name, weight) = self.kinds[usize::from(kind)];
            Term { name, counts, weight }
        };
        counts.iter().map(term).collect()
    }
}

/// Searches the positions of a game's bench, one after the other, each to its depth and without the results
/// of the others.
///
/// # Errors
///
/// Yields the fault of a bench position that cannot be read.
pub fn bench(
    game: &dyn HostedGame,
    options: EngineOptions,
) -> impl Iterator<Item = Result<Report<MoveText>, TextError>> {
    let mut engine = game.engine(options);
    game.bench()
        .into_iter()
        .filter_map(move |(state, depth)| search(game, &mut *engine, &state, depth).transpose())
}

fn search(
    game: &dyn HostedGame,
    engine: &mut dyn HostedEngine,
    state: &str,
    depth: u32,
) -> Result<Option<Report<MoveText>>, TextError> {
    let position = game.parse_state(&StateText::from_lines(&state.replace('/', "\n")))?;
    engine.clear();
    Ok(engine.search(&position, &Limits::depth(depth), Scope::BestMove, &mut |_| ()))
}

/// Returns a number that is different in every run.
#[must_use]
pub fn any_seed() -> u64 {
    rand::random()
}
