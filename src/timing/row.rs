//! One row of a runtime table.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::seconds;
use crate::search::MAX_DEPTH;

/// Which search is timed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub enum SearchKind {
    /// Plain minimax, without any pruning
    Minimax,
    /// Alpha-beta with all its techniques
    AlphaBeta,
}

impl SearchKind {
    /// Both, in the order in which tables list them.
    pub const ALL: [SearchKind; 2] = [SearchKind::Minimax, SearchKind::AlphaBeta];
}

/// The name as written in tables and on the command line.
impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SearchKind::Minimax => "minimax",
            SearchKind::AlphaBeta => "alphabeta",
        })
    }
}

/// What it took to choose one move at one depth. The fields are the columns of the CSV.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The name of the game.
    pub game: String,
    /// The state file of the position, its lines joined by `/`.
    pub position: String,
    /// The search that was timed.
    pub search: SearchKind,
    /// How many plies it looked ahead: 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// How often it was measured, each time from scratch; at least 1.
    pub runs: u32,
    /// Positions visited by one run.
    pub nodes: u64,
    /// CPU time (user and system) of the fastest run.
    #[serde(rename = "cpu_seconds_min", with = "seconds")]
    pub cpu_min: Duration,
    /// The median of the CPU times; the mean of the middle two, if the runs are even in number.
    #[serde(rename = "cpu_seconds_median", with = "seconds")]
    pub cpu_median: Duration,
    /// CPU time of the slowest run.
    #[serde(rename = "cpu_seconds_max", with = "seconds")]
    pub cpu_max: Duration,
    /// Nodes per second of the median CPU time.
    pub nodes_per_second: u64,
    /// The move chosen, in canonical notation.
    pub best_move: String,
    /// The number behind its [`Score`](crate::Score), as the side to move sees it.
    pub score: i32,
    /// Whether the score is the result of best play.
    pub proven: bool,
}

impl Row {
    /// What is wrong with the numbers of the row, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            Some("no search has this depth")
        } else if self.runs == 0 {
            Some("the number of runs is 0")
        } else if self.cpu_min > self.cpu_median || self.cpu_median > self.cpu_max {
            Some("the minimum, median and maximum of the CPU time are not in order")
        } else {
            None
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row whose times grow with its depth.
    pub(crate) fn row(search: SearchKind, depth: u32) -> Row {
        let cpu = Duration::from_nanos(2_345) * 3_u32.pow(depth);
        Row {
            game: "toy".to_owned(),
            position: "0000/1".to_owned(),
            search,
            depth,
            runs: 3,
            nodes: 100 * u64::from(depth),
            cpu_min: cpu - Duration::from_nanos(1),
            cpu_median: cpu,
            cpu_max: cpu * 2,
            nodes_per_second: 1_000_000,
            best_move: "4".to_owned(),
            score: -35,
            proven: false,
        }
    }

    #[test]
    fn faulty_numbers_are_seen() {
        let good = row(SearchKind::Minimax, 3);
        assert_eq!(good.fault(), None);
        assert!(Row { depth: 0, ..good.clone() }.fault().is_some());
        assert!(Row { depth: MAX_DEPTH + 1, ..good.clone() }.fault().is_some());
        assert!(Row { runs: 0, ..good.clone() }.fault().is_some());
        assert!(Row { cpu_max: Duration::ZERO, ..good }.fault().is_some());
    }
}
