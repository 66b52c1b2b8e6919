//! A search, and its report.

use std::time::Duration;

use super::limits::Limits;
use crate::hints::SearchHints;
use crate::score::Score;
use crate::value::Value;

/// The root moves for which a search must find a score and a principal variation.
///
/// ```
/// use plyground::search::{Options, Scope};
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Search};
///
/// let mut search = AlphaBeta::new(Flat, Options { table_mib: 1, ..Options::default() });
/// let mut lines = |scope| {
///     let report = search.search(&TicTacToe::default(), &Limits::depth(9), scope, &mut |_| ());
///     report.map(|report| report.lines.len())
/// };
/// assert_eq!(lines(Scope::BestMove), Some(1));
/// // With best play, every first move leads to a draw.
/// assert_eq!(lines(Scope::BestMoves), Some(9));
/// assert_eq!(lines(Scope::EveryMove), Some(9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the best move.
    BestMove,
    /// Every legal move that is as good as the best. The move that [`BestMove`](Scope::BestMove) gives
    /// comes first; the principal variation of the others is the move alone. If the search is stopped after
    /// the best move is known, only the moves that were found by then.
    BestMoves,
    /// Every legal move.
    EveryMove,
}

/// A search for the value of a position.
///
/// ```
/// use plyground::search::Scope;
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Limits, Minimax, Search};
///
/// let mut depths = Vec::new();
/// let limits = Limits::nodes(2_000);
/// Minimax::new(Flat).search(&TicTacToe::default(), &limits, Scope::BestMove, &mut |report| {
///     depths.push(report.depth);
/// });
/// assert_eq!(depths, [1, 2, 3]);
/// ```
pub trait Search<G: SearchHints> {
    /// Finds the value of `position` within `limits`, with the best move, or every move.
    ///
    /// `progress` is called with the state of affairs after each finished depth. Returns `None`
    /// exactly when the game is over.
    fn search(
        &mut self,
        position: &G,
        limits: &Limits,
        scope: Scope,
        progress: &mut dyn FnMut(&Report<G::Move>),
    ) -> Option<Report<G::Move>>;

    /// Finds the value of `position` within `limits` and the best move; `None` if the game is over.
    fn best(&mut self, position: &G, limits: &Limits) -> Option<Report<G::Move>> {
        self.search(position, limits, Scope::BestMove, &mut |_| ())
    }
}

/// A root move with its value and principal variation.
///
/// ```
/// use plyground::search::Line;
/// use plyground::{Score, Value};
///
/// let line = Line { value: Value::Exact(Score::win_in(3)), pv: vec!["a", "b", "c"] };
/// assert_eq!((line.first_move(), line.score()), ("a", Score::win_in(3)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M> {
    /// The value of the move, as the side that makes it sees it. It is a true statement about the move by
    /// itself.
    pub value: Value,
    /// The principal variation, the move itself first: best play of both sides as far as the
    /// search looked. It may end earlier, where the result is decided or the search was stopped.
    pub pv: Vec<M>,
}

impl<M: Copy> Line<M> {
    /// Returns the root move that the line is about.
    #[must_use]
    pub fn first_move(&self) -> M {
        self.pv[0]
    }

    /// Returns the score of the [`value`](Line::value).
    #[must_use]
    pub fn score(&self) -> Score {
        self.value.score()
    }
}

/// The report of a search, as of the last depth that it finished.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Limits, Minimax, Search, Value};
///
/// let report = Minimax::new(Flat).best(&TicTacToe::default(), &Limits::depth(2)).ok_or("over")?;
/// assert_eq!(report.best().pv.len(), 2);
/// assert_eq!(report.depth, 2);
/// // Two plies say nothing about the result.
/// assert!(matches!(report.value, Value::Estimate(_)) && !report.proven());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report<M> {
    /// The value of the position, as the side to move sees it.
    ///
    /// It may say more than the value of the best line: proven limits hold for the position, not for every
    /// move, and a move that looks best need not be proven to reach the result.
    pub value: Value,
    /// The lines, best first; at least one. With [`Scope::BestMove`](super::Scope::BestMove) there is only
    /// one.
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
    /// Returns the best line.
    #[must_use]
    pub fn best(&self) -> &Line<M> {
        &self.lines[0]
    }

    /// Returns the best move.
    #[must_use]
    pub fn best_move(&self) -> M {
        self.best().first_move()
    }

    /// Returns the value of the position, as the side to move sees it.
    #[must_use]
    pub fn value(&self) -> Value {
        self.value
    }

    /// Returns the score of the [`value`](Report::value).
    #[must_use]
    pub fn score(&self) -> Score {
        self.value.score()
    }

    /// Returns true if the result of best play is known for the position and for every move that has a
    /// line.
    #[must_use]
    pub fn proven(&self) -> bool {
        self.value.is_exact() && self.lines.iter().all(|line| line.value.is_exact())
    }

    /// Returns true if a deeper search would find no more: nothing in the report is an estimate.
    pub(crate) fn is_final(&self) -> bool {
        !self.value.is_estimate() && self.lines.iter().all(|line| !line.value.is_estimate())
    }

    /// Returns the number of nodes for each second of CPU time.
    #[must_use]
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(value: Value, lines: &[Value]) -> Report<char> {
        let lines = lines.iter().map(|&value| Line { value, pv: vec!['a'] }).collect();
        let (cpu, wall) = (Duration::from_millis(500), Duration::from_secs(2));
        Report { value, lines, depth: 3, nodes: 1_000, cpu, wall }
    }

    #[test]
    fn all_of_a_report_is_proven_or_nothing_is() {
        let [exact, bound, guess] =
            [Value::Exact, Value::AtLeast, Value::Estimate].map(|value| value(Score::points(1)));
        for (value, lines, proven, is_final) in [
            (exact, [exact, exact], true, true),
            (exact, [exact, bound], false, true),
            (bound, [exact, exact], false, true),
            (bound, [bound, bound], false, true),
            (exact, [exact, guess], false, false),
            (guess, [exact, exact], false, false),
            (guess, [guess, guess], false, false),
        ] {
            let report = report(value, &lines);
            assert_eq!((report.proven(), report.is_final()), (proven, is_final), "{report:?}");
        }
    }

    #[test]
    fn nodes_are_counted_by_the_second_of_cpu_time() {
        let mut report = report(Value::Exact(Score::ZERO), &[Value::Exact(Score::ZERO)]);
        assert_eq!(report.nodes_per_second(), 2_000.0);
        report.cpu = Duration::ZERO;
        assert!(report.nodes_per_second().is_finite());
    }
}
