//! A search, the techniques that it uses, and its report.

use std::time::Duration;

use super::limits::Limits;
use crate::hints::SearchHints;
use crate::score::Score;
use crate::value::Value;

/// The techniques that an [`AlphaBeta`](super::AlphaBeta) uses. Only
/// [`late_move_reductions`](Options::late_move_reductions) changes the value of a search.
///
/// ```
/// use plyground::search::Options;
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Limits, Search};
///
/// let plain = Options { table_mib: 0, killers: false, history: false, ..Options::default() };
/// let mut nodes = [Options::default(), plain].map(|options| {
///     let report = AlphaBeta::new(Flat, options).best(&TicTacToe::default(), &Limits::depth(9));
///     report.map(|report| (report.score(), report.nodes))
/// });
/// // The same value, with more positions visited.
/// assert_eq!(nodes[0].map(|(score, _)| score), nodes[1].map(|(score, _)| score));
/// assert!(nodes[0].map(|(_, nodes)| nodes) < nodes[1].map(|(_, nodes)| nodes));
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Memory for the transposition table in MiB, rounded down to a power of two; less where the system
    /// refuses that; 0 for no table.
    pub table_mib: usize,
    /// The least depth at which positions are kept in the table. Below it, a search costs less than the
    /// memory access.
    pub table_depth: u32,
    /// If true, nodes near the horizon are kept in a small table of each thread's own, which fits into the
    /// cache of the processor.
    pub local_table: bool,
    /// If true, the search looks for a child whose table entry settles a node before it searches any
    /// (enhanced transposition cutoff; J. Schaeffer and A. Plaat, "New advances in alpha-beta searching",
    /// 1996), or whose closer bounds settle it.
    pub child_cutoff: bool,
    /// The least depth at which [`child_cutoff`](Options::child_cutoff) is tried.
    pub child_cutoff_depth: u32,
    /// If true, all moves except the first are searched with a null window (principal variation search; T.
    /// A. Marsland and M. Campbell, 1982).
    pub null_window: bool,
    /// If true, lesser depths are searched before the one asked for, to learn a good order of moves.
    pub deepening: bool,
    /// If true, the search starts from a narrow window around the value of the last depth.
    pub aspiration: bool,
    /// If true, moves that refuted a sibling are tried first (S. G. Akl and M. M. Newborn, 1977).
    pub killers: bool,
    /// If true, moves that caused many cutoffs elsewhere are tried first (J. Schaeffer, 1983).
    pub history: bool,
    /// If true, the order of moves includes the evaluator's.
    pub evaluator_order: bool,
    /// If true, the search asks the game for immediate wins and for the replies to threats.
    pub forcing: bool,
    /// If true, moves that come late in the order are searched less deep, where only time or nodes limit the
    /// search and the rules set no limit to the length of the game: the value is then no longer exact.
    pub late_move_reductions: bool,
    /// The seed that shuffles the root moves, so that different seeds choose different moves among equals.
    /// Without a seed, the search chooses the first among equals in its own order: the best move of the last
    /// depth, then the moves in the order of the evaluator.
    #[cfg(feature = "rand")]
    pub seed: Option<u64>,
    /// The number of threads that search together, at least 1. All search the same tree and share the table;
    /// each defers the moves that another thread is searching (simplified ABDADA). To a fixed depth, values
    /// and moves stay the same; node counts, the ends of principal variations and the results under a limit
    /// of time or nodes then depend on chance.
    pub threads: usize,
    /// The time for which the first thread searches alone. In a shorter search, the helpers would take more
    /// time to start and to repeat its work than they save (measured on the empty board of Max-Connect4 to
    /// depth 10: 1.3 times the time of one thread).
    pub head_start: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            table_mib: 64,
            table_depth: 2,
            local_table: true,
            child_cutoff: true,
            child_cutoff_depth: 4,
            null_window: true,
            deepening: true,
            aspiration: true,
            killers: true,
            history: true,
            evaluator_order: true,
            forcing: true,
            late_move_reductions: true,
            #[cfg(feature = "rand")]
            seed: None,
            threads: 1,
            head_start: Duration::from_millis(50),
        }
    }
}

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
    /// the best move is known, the report has only the moves found by then.
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
    /// `progress` is called with the report so far after each finished depth. Returns `None` exactly when
    /// the game is over.
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
    /// The value of the move, as the side that makes it sees it. It holds for the move itself, not only for
    /// the position.
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
    /// The value may say more than the value of the best line: proven limits hold for the position, not for
    /// every move, and a move that looks best need not be proven to reach the result.
    pub value: Value,
    /// The lines, best first; at least one. With [`Scope::BestMove`](super::Scope::BestMove) there is only
    /// one.
    pub lines: Vec<Line<M>>,
    /// The depth in plies that was finished; 0 if the search was stopped before it finished any depth, and
    /// the move is an unsearched legal move.
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

    /// Returns true if a deeper search would find no more, because no value in the report is an estimate.
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
