//! What a search found.

use std::time::Duration;

use crate::score::Score;

/// One root move with what the search thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M> {
    /// The value of the move to the side that makes it.
    pub score: Score,
    /// Whether [`score`](Line::score) is the result of best play, and not an estimate.
    pub proven: bool,
    /// The principal variation, the move itself first: best play of both sides as far as the
    /// search looked. It may end earlier, where the result is settled or the search was stopped.
    pub pv: Vec<M>,
}

impl<M: Copy> Line<M> {
    /// The root move that the line is about.
    #[must_use]
    pub fn first_move(&self) -> M {
        self.pv[0]
    }
}

/// What a search found, as of the last depth that it finished.
#[derive(Clone, Debug)]
pub struct Report<M> {
    /// The lines, best first; at least one. Only the first unless every move was asked for.
    pub lines: Vec<Line<M>>,
    /// The depth in plies that was finished; 0 when the search was stopped before it finished
    /// even one, and the move is merely a legal one.
    pub depth: u32,
    /// Positions visited since the search began.
    pub nodes: u64,
    /// CPU time of this process since the search began.
    pub cpu: Duration,
    /// Time since the search began.
    pub wall: Duration,
}

impl<M: Copy> Report<M> {
    /// The best line.
    #[must_use]
    pub fn best(&self) -> &Line<M> {
        &self.lines[0]
    }

    /// The best move.
    #[must_use]
    pub fn best_move(&self) -> M {
        self.best().first_move()
    }

    /// The value of the position: the score of the best move.
    #[must_use]
    pub fn score(&self) -> Score {
        self.best().score
    }

    /// Whether the result of best play is known.
    #[must_use]
    pub fn proven(&self) -> bool {
        self.lines.iter().all(|line| line.proven)
    }

    /// Nodes for each second of CPU time.
    #[must_use]
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }
}
