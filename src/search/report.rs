//! What a search found.

use std::time::Duration;

use crate::score::Score;
use crate::value::Value;

/// One root move with what the search thinks of it.
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
    /// What is known of the move's result, as the side that makes it sees it. A true statement
    /// about the move, whatever is known of the position.
    pub value: Value,
    /// The principal variation, the move itself first: best play of both sides as far as the
    /// search looked. It may end earlier, where the result is decided or the search was stopped.
    pub pv: Vec<M>,
}

impl<M: Copy> Line<M> {
    /// The root move that the line is about.
    #[must_use]
    pub fn first_move(&self) -> M {
        self.pv[0]
    }

    /// The score of the [`value`](Line::value).
    #[must_use]
    pub fn score(&self) -> Score {
        self.value.score()
    }
}

/// What a search found, as of the last depth that it finished.
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
    /// What is known of the position's result, as the side to move sees it.
    ///
    /// It may say more than the value of the best line: proven limits hold for the position, not
    /// for every move, and one that looks best need not be proven to reach the result.
    pub value: Value,
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

    /// What is known of the position's result, as the side to move sees it.
    #[must_use]
    pub fn value(&self) -> Value {
        self.value
    }

    /// The score of the [`value`](Report::value).
    #[must_use]
    pub fn score(&self) -> Score {
        self.value.score()
    }

    /// Whether the result of best play is known, that of the position and that of every move for
    /// which there is a line.
    #[must_use]
    pub fn proven(&self) -> bool {
        self.value.is_exact() && self.lines.iter().all(|line| line.value.is_exact())
    }

    /// Whether a deeper search would find no more than what the report says: nothing in it is an
    /// estimate.
    pub(crate) fn is_final(&self) -> bool {
        !self.value.is_estimate() && self.lines.iter().all(|line| !line.value.is_estimate())
    }

    /// Nodes for each second of CPU time.
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
