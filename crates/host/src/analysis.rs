//! The analysis of a position, told step by step.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground::search::{Checkpoint, Monitor};
use plyground::{Bounds, Side, Value};

use crate::move_text::MoveText;

/// What to find out about a position: the stages one after the other, until the value of every move
/// is exact, the time is over or it is stopped.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRequest {
    /// What to do.
    pub stages: Vec<Stage>,
    /// What an earlier analysis of the same position found, to continue from.
    pub known: Option<Analysis>,
    /// The time for all stages together by the clock on the wall, if there is a limit.
    pub time: Option<Duration>,
    /// Ends the analysis when raised.
    pub stop: Arc<AtomicBool>,
    /// Called now and then by every thread of the search.
    pub checkpoint: Option<Arc<dyn Checkpoint>>,
    /// Receives the progress of the searches.
    pub monitor: Arc<Monitor>,
}

/// A part of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looks for a win that either side can force, where the game knows how to.
    ForcedWin {
        /// The time for it. A win of the side to move gets the greater part.
        time: Duration,
        /// The positions to visit for each distance, if there is a limit.
        nodes: Option<u64>,
        /// The memory for it in MiB.
        table_mib: usize,
    },
    /// Searches every move, a ply deeper again and again.
    Deepen {
        /// Exactly this many plies, whatever the time.
        depth: Option<u32>,
        /// The positions to visit, if there is a limit.
        nodes: Option<u64>,
    },
    /// Searches every move to the end of the game, where the rules limit its length.
    Solve {
        /// How many threads search together, at least 1.
        threads: usize,
    },
}

/// What is known of a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The moves, best first; none if the game is over.
    pub lines: Vec<AnalyzedLine>,
    /// What is proven of the position's value, as the side to move sees it.
    pub bounds: Bounds,
    /// A win that one side can force, if one was found.
    pub forced: Option<ForcedWin>,
    /// The last depth that was finished for all moves, in plies.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// CPU time of this process.
    pub cpu: Duration,
    /// What is being done now, in a few words.
    pub task: String,
    /// Whether the value of the position, and of every move, is exact.
    pub is_complete: bool,
}

/// A move with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalyzedLine {
    /// What the move is worth to the side that makes it.
    pub value: Value,
    /// How many plies the search looked ahead.
    pub depth: u32,
    /// The principal variation, the move itself first.
    pub pv: Vec<MoveText>,
}

/// A win that the loser cannot prevent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForcedWin {
    /// The side that wins.
    pub winner: Side,
    /// Within how many plies from now, at the latest.
    pub plies: u32,
    /// The winning moves, with example replies of the loser.
    pub line: Vec<MoveText>,
    /// Whether it comes from the solved opening of the game, and not from a proof found now.
    pub prepared: bool,
}

impl Analysis {
    /// Nothing is known.
    #[must_use]
    pub fn empty() -> Analysis {
        Analysis {
            lines: Vec::new(),
            bounds: Bounds::NONE,
            forced: None,
            depth: 0,
            nodes: 0,
            cpu: Duration::ZERO,
            task: String::new(),
            is_complete: false,
        }
    }

    /// Positions visited for each second of CPU time.
    #[must_use]
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }
}

impl Default for Analysis {
    fn default() -> Analysis {
        Analysis::empty()
    }
}

impl AnalyzedLine {
    /// The move that the line is about.
    #[must_use]
    pub fn first_move(&self) -> MoveText {
        self.pv[0]
    }
}
