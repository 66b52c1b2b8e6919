//! The analysis of a position, reported step by step.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground::search::{Checkpoint, Monitor};
use plyground::{Bounds, Side, Value};

use crate::move_text::MoveText;

/// The questions about a position: the stages are done one after the other, until the value of every move is
/// exact, the time is over, or the analysis is stopped.
#[derive(Clone, Debug, Default)]
pub struct AnalysisRequest {
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// The result of an earlier analysis of the same position, to continue from.
    pub known: Option<Analysis>,
    /// The limit on the wall-clock time for all stages together, if there is one.
    pub time: Option<Duration>,
    /// The flag that ends the analysis when raised.
    pub stop: Arc<AtomicBool>,
    /// The checkpoint that every thread of the search calls now and then.
    pub checkpoint: Option<Arc<dyn Checkpoint>>,
    /// The monitor that receives the progress of the searches.
    pub monitor: Arc<Monitor>,
}

/// A part of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looks for a win that either side can force, if the game has tactics for that.
    ForcedWin {
        /// The time for this stage. A win of the side to move gets the greater part.
        time: Duration,
        /// The number of positions to visit for each distance, if there is a limit.
        nodes: Option<u64>,
        /// The memory for this stage in MiB.
        table_mib: usize,
    },
    /// Searches every move, one ply deeper each time.
    Deepen {
        /// The exact depth in plies, if it is given; then the time does not matter.
        depth: Option<u32>,
        /// The number of positions to visit, if there is a limit.
        nodes: Option<u64>,
    },
    /// Searches every move to the end of the game, if the rules limit its length.
    Solve {
        /// The number of threads that search together, at least 1.
        threads: usize,
    },
}

/// The knowledge about a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The moves, best first; empty if the game is over.
    pub lines: Vec<AnalyzedLine>,
    /// The proven bounds of the position's value, as the side to move sees it.
    pub bounds: Bounds,
    /// A win that one side can force, if one was found.
    pub forced: Option<ForcedWin>,
    /// The last depth that was finished for all moves, in plies.
    pub depth: u32,
    /// The number of positions visited.
    pub nodes: u64,
    /// The CPU time that this process has used.
    pub cpu: Duration,
    /// The current task, in a few words.
    pub task: String,
    /// If true, the value of the position and of every move is exact.
    pub is_complete: bool,
}

/// A move and the knowledge about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalyzedLine {
    /// The value of the move to the side that makes it.
    pub value: Value,
    /// The number of plies that the search looked ahead.
    pub depth: u32,
    /// The principal variation, the move itself first.
    pub pv: Vec<MoveText>,
}

/// A win that the loser cannot prevent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForcedWin {
    /// The side that wins.
    pub winner: Side,
    /// The greatest number of plies from now to the win.
    pub plies: u32,
    /// The winning moves, with example replies of the loser.
    pub line: Vec<MoveText>,
    /// If true, the win comes from the solved opening of the game, and not from a proof found now.
    pub prepared: bool,
}

impl Analysis {
    /// Returns an analysis without any knowledge.
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

    /// Returns the number of positions visited for each second of CPU time.
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
    /// Returns the move that the line is about.
    #[must_use]
    pub fn first_move(&self) -> MoveText {
        self.pv[0]
    }
}
