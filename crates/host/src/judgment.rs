//! The judgment of a position: its value and the best move, as exact as some number of positions allows; and
//! the depths at which plain minimax tells two moves apart.

use plyground::search::SearchContext;
use plyground::{Score, Value};

use crate::move_text::MoveText;

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
    /// The context of the searches. What is returned after its flag was raised is worth little.
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

/// The label that a position gets.
#[derive(Clone, Debug, Default)]
pub struct LabelRequest {
    /// The number of plies to look ahead; `None` for the end of the game, by which a label is exact.
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
    /// Every move with this value, or all moves with their values if these are wanted; the best first.
    pub moves: Vec<(MoveText, Value)>,
}

/// The depths at which plain minimax finds one move better than another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// The least such depth in plies, if one was found.
    pub at: Option<u32>,
    /// The least depth from which on it does so at all depths that were looked at.
    pub from: Option<u32>,
    /// The greatest depth that was looked at.
    pub within: u32,
}

impl Sight {
    /// Adds what minimax finds at the next depth.
    pub(crate) fn add(&mut self, is_better: bool) {
        self.within += 1;
        match is_better {
            true => {
                self.at = self.at.or(Some(self.within));
                self.from = self.from.or(Some(self.within));
            }
            false => self.from = None,
        }
    }
}
