//! One depth of a runtime table.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use plyground::search::MAX_DEPTH;
use plyground::{Score, Value};
use plyground_durable::sealed_line::seal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::csv_line::{csv_line, seconds};

/// What the checksum of a row is about, besides the row.
pub(super) const SEALED: &str = "runtime";
/// What stands before the checksum of a row.
pub(super) const SEPARATOR: &str = ",";

/// Which search is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Plain minimax, without any pruning.
    Minimax,
    /// Alpha-beta with all its techniques.
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

/// The text names no search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected minimax or alphabeta")]
pub struct NotASearch;

impl FromStr for SearchKind {
    type Err = NotASearch;

    fn from_str(text: &str) -> Result<SearchKind, NotASearch> {
        SearchKind::ALL.into_iter().find(|kind| kind.to_string() == text).ok_or(NotASearch)
    }
}

/// What it took to choose one move at one depth. The fields are the columns of the CSV.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeRow {
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
    /// [`Score::get`] of what the position is worth to the side to move.
    pub score: i32,
    /// Whether the score is the result of best play, and not an estimate.
    pub proven: bool,
}

impl RuntimeRow {
    /// What the row says of the position, as the side to move sees it.
    #[must_use]
    pub fn value(&self) -> Value {
        let score = Score::new(self.score);
        if self.proven { Value::Exact(score) } else { Value::Estimate(score) }
    }

    /// The row as one line of CSV, with its checksum and its end.
    #[must_use]
    pub fn to_csv(&self) -> String {
        seal(SEALED, csv_line(self).trim_end_matches('\n'), SEPARATOR) + "\n"
    }

    /// Whether the row is of this game and position.
    pub(super) fn is_of(&self, game: &str, position: &str) -> bool {
        self.game == game && self.position == position
    }

    /// What is wrong with the numbers of the row, if anything.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            Some("no search has this depth")
        } else if !(Score::MIN.get()..=Score::MAX.get()).contains(&self.score) {
            Some("no position has this score")
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
    pub(crate) fn row(search: SearchKind, depth: u32) -> RuntimeRow {
        let cpu = Duration::from_nanos(2_345) * 3_u32.pow(depth);
        RuntimeRow {
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
    fn searches_are_read_back() {
        for kind in SearchKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("guess".parse::<SearchKind>(), Err(NotASearch));
    }

    #[test]
    fn score_is_exact_only_where_it_is_proven() {
        let row = row(SearchKind::Minimax, 3);
        assert_eq!(row.value(), Value::Estimate(Score::new(-35)));
        assert!(RuntimeRow { proven: true, ..row }.value().is_exact());
    }

    #[test]
    fn faulty_numbers_are_seen() {
        let good = row(SearchKind::Minimax, 3);
        assert_eq!(good.fault(), None);
        assert!(RuntimeRow { depth: 0, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { depth: MAX_DEPTH + 1, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { runs: 0, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { score: 30_001, ..good.clone() }.fault().is_some());
        assert!(RuntimeRow { cpu_max: Duration::ZERO, ..good }.fault().is_some());
    }
}
