//! The options, requests and answers of a search for any game; the judgment of a position, as exact as some
//! number of positions allows; and steps of many games that are played together, for programs that learn.

use std::ops::Range;
use std::time::Duration;

use plyground::book::Book;
use plyground::perfect::{Source, Ties, Unlimited};
use plyground::search::{Options, SearchContext};
use plyground::trace::TraceOptions;
use plyground::{Score, Term, Value};
use thiserror::Error;

use crate::adapter::MoveText;

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

impl EngineOptions {
    /// Returns the options of an engine that only searches, with a table of this size in MiB.
    #[must_use]
    pub fn only_search(table_mib: usize) -> EngineOptions {
        let search = Options { table_mib, ..Options::default() };
        EngineOptions { search, book: None, without_prepared: true }
    }
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
    /// The context of the searches. Raising its flag makes the engine move at once.
    pub context: SearchContext,
    /// If true, the engine does not look for forced wins, which needs memory of its own.
    pub without_tactics: bool,
}

/// The reason why an engine gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    /// Perfect play is wanted in a game without an end in sight.
    #[error(transparent)]
    Unlimited(#[from] Unlimited),
    /// The position belongs to another game.
    #[error(transparent)]
    OtherGame(#[from] OtherGame),
}

/// The error of a position that belongs to another game than the engine, or to other rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected a position of {expected}, found one of {found}")]
pub struct OtherGame {
    /// The game of the engine and its rules: `maxconnect4 standard`.
    pub expected: String,
    /// The game of the position and its rules.
    pub found: String,
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
    pub source: Source,
    /// The number of positions visited.
    pub nodes: u64,
}

/// The part of a search to show.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The options of the search.
    pub options: TraceOptions,
    /// The most nodes to keep: plies that would exceed this number are left out. The root and the plies after
    /// its moves are always kept.
    pub most_nodes: u64,
    /// The most positions that the search may enter.
    pub most_visited: u64,
    /// The stop flag and the checkpoint of the search.
    pub context: SearchContext,
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

/// Returns a number that is different in every run.
#[must_use]
pub fn any_seed() -> u64 {
    rand::random()
}

/// The effort of a judgment, as numbers of positions to visit, so that the same position is always judged
/// alike.
#[derive(Clone, Debug, Default)]
pub struct JudgeEffort {
    /// The greatest number for a search to the end of the game; 0 for none.
    pub solve: u64,
    /// The greatest number for each distance of a forced win; 0 for none.
    pub proof: u64,
    /// The number for the estimate, where nothing is proven.
    pub estimate: u64,
    /// A guess of the value, which changes only the time that a search to the end takes.
    pub guess: Option<Score>,
    /// The context of the searches. A judgment that is returned after its flag was raised is unreliable.
    pub context: SearchContext,
}

/// The judgment of a position that is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The value of the position, as the side to move sees it.
    pub value: Value,
    /// The best move and best play after it, as far as the search looked.
    pub line: Vec<MoveText>,
    /// The estimates of all moves, from one search; empty unless the value is an estimate.
    pub estimates: Vec<(MoveText, Value)>,
    /// If true, a search to the end of the game was begun and given up.
    pub gave_up: bool,
}

/// The kind of label to find for a position.
#[derive(Clone, Debug, Default)]
pub struct LabelRequest {
    /// The number of plies to look ahead; `None` to search to the end of the game, for an exact label.
    pub depth: Option<u32>,
    /// If true, every move gets a value of its own.
    pub every_move: bool,
    /// The context of the search.
    pub context: SearchContext,
}

/// The label of a position that is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The value of the position, as the side to move sees it.
    pub value: Value,
    /// Every move with this value, or all moves with values of their own if the request asks for them; the best first.
    pub moves: Vec<(MoveText, Value)>,
}

/// The depths at which plain minimax finds one move better than another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// The least such depth in plies, if one was found.
    pub at: Option<u32>,
    /// The least depth from which on minimax finds this at all searched depths.
    pub from: Option<u32>,
    /// The greatest searched depth.
    pub within: u32,
}

/// The options of a step of all games.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepOptions {
    /// If true, a game that ends starts anew.
    pub resets: bool,
    /// The number of plies after which a game ends without a winner.
    pub most_plies: Option<u16>,
}

/// The arrays into which a step writes.
#[derive(Debug)]
pub struct StepResults<'a> {
    /// Two numbers for each game, for the first and the second side: 1 for a win by this step, -1 for a loss, or else
    /// 0.
    pub rewards: &'a mut [f32],
    /// If true, the game is over by the rules.
    pub terminated: &'a mut [bool],
    /// If true, the game has reached the greatest number of plies.
    pub truncated: &'a mut [bool],
}

/// The error of an action that is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("action {action} is illegal in game {index}: the mask has the legal actions")]
pub struct IllegalAction {
    /// The number of the game in the batch, from 0.
    pub index: usize,
    /// The action.
    pub action: i64,
}
