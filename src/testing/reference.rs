//! The reference that the reports of searches are checked against: minimax, and exact values.

use std::fmt;
use std::time::Duration;

use super::describe;
use crate::game::{Game, Turn};
use crate::hints::{Evaluator, SearchHints};
use crate::score::Score;
use crate::search::{Limits, Line, Minimax, Options, Report, Scope, Search, bounds_at};
use crate::value::Value;

/// The result of [`Minimax`] for a position at a depth: every move with its value.
///
/// ```
/// use plyground::search::{Options, Scope};
/// use plyground::testing::{Reference, TicTacToe};
/// use plyground::{AlphaBeta, Flat};
///
/// let reference = Reference::new(&TicTacToe::default(), 4, Flat).ok_or("over")?;
/// let mut search = AlphaBeta::new(Flat, Options { table_mib: 1, ..Options::default() });
/// reference.compare(&mut search, Scope::EveryMove, &Flat)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reference<G: SearchHints> {
    position: G,
    depth: u32,
    value: Value,
    /// The lines, best first.
    lines: Vec<Line<G::Move>>,
}

/// An error in a report. Its text has the error and the position.
#[derive(Clone, PartialEq, Eq)]
pub struct Disagreement(String);

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes the same text as `Display`, since a test that unwraps it shows `Debug`.
impl fmt::Debug for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Disagreement {}

impl<G: SearchHints> Reference<G> {
    /// Searches `position` by minimax, `depth` plies ahead. Returns `None` if the game is over.
    pub fn new<E: Evaluator<G>>(position: &G, depth: u32, evaluator: E) -> Option<Reference<G>> {
        let limits = Limits::depth(depth);
        let mut minimax = Minimax::new(evaluator);
        let report = minimax.search(position, &limits, Scope::EveryMove, &mut |_| ())?;
        let (value, lines) = (report.value, report.lines);
        Some(Reference { position: position.clone(), depth, value, lines })
    }

    /// Returns the position.
    #[must_use]
    pub fn position(&self) -> &G {
        &self.position
    }

    /// Returns the number of plies that minimax looked ahead.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the value of the position.
    #[must_use]
    pub fn score(&self) -> Score {
        self.value.score()
    }

    /// Returns the number of best moves.
    #[must_use]
    pub fn ties(&self) -> usize {
        let best = self.lines[0].score();
        self.lines.iter().filter(|line| line.score() == best).count()
    }

    /// Lets `search` search the same position to the same depth, and checks its report. Returns
    /// the report.
    ///
    /// # Errors
    ///
    /// Returns the first error in the report; see [`check`](Reference::check).
    pub fn compare<E: Evaluator<G>>(
        &self,
        search: &mut impl Search<G>,
        scope: Scope,
        evaluator: &E,
    ) -> Result<Report<G::Move>, Disagreement> {
        let limits = Limits::depth(self.depth);
        let report = search
            .search(&self.position, &limits, scope, &mut |_| ())
            .ok_or_else(|| self.disagreement("no report"))?;
        self.check(&report, scope, evaluator)?;
        Ok(report)
    }

    /// Checks the report of an exact search of the same position to the same depth:
    ///
    /// * the score is the value, and the move has this value;
    /// * with [`Scope::BestMoves`], the lines have all moves with this value;
    /// * with [`Scope::EveryMove`], every move is there with its own value, best first;
    /// * a depth below the requested depth comes with a proven result;
    /// * principal variations are legal, and a long enough variation leads to a position with the promised
    ///   value.
    ///
    /// # Errors
    ///
    /// Returns the first of these conditions that does not hold.
    pub fn check<E: Evaluator<G>>(
        &self,
        report: &Report<G::Move>,
        scope: Scope,
        evaluator: &E,
    ) -> Result<(), Disagreement> {
        let expected = match scope {
            Scope::BestMove => 1,
            Scope::BestMoves
                if report.depth == self.depth
                    && self.score() > bounds_at(&self.position, self.depth).lower =>
            {
                self.ties()
            }
            // The lower bound may hide the moves that are best, and where all is proven sooner, other moves
            // only look as good.
            Scope::BestMoves => report.lines.len().clamp(1, self.ties()),
            Scope::EveryMove => self.lines.len(),
        };
        self.require(report.lines.len() == expected, || {
            format!("{} lines in place of {expected}", report.lines.len())
        })?;
        self.require(report.score() == self.score(), || {
            format!("score {} in place of {}", report.score(), self.score())
        })?;
        let is_final = report.depth == self.depth || report.depth < self.depth && report.proven();
        self.require(is_final, || format!("depth {}, and the result not proven", report.depth))?;
        self.require(report.lines.is_sorted_by(|a, b| a.score() >= b.score()), || {
            "the best move is not first".to_owned()
        })?;
        for (index, line) in report.lines.iter().enumerate() {
            let mv = line.first_move();
            let earlier = &report.lines[..index];
            self.require(earlier.iter().all(|line| line.first_move() != mv), || {
                format!("two lines for move {mv}")
            })?;
            self.check_line(line)?;
            self.check_variation(line, report.depth, evaluator)?;
        }
        Ok(())
    }

    fn check_line(&self, line: &Line<G::Move>) -> Result<(), Disagreement> {
        let mv = line.first_move();
        let own = self.lines.iter().find(|own| own.first_move() == mv);
        let value = own.ok_or_else(|| self.disagreement(&format!("move {mv} is illegal")))?.score();
        self.require(line.score() == value, || {
            format!("move {mv} has score {} in place of {value}", line.score())
        })
    }

    fn check_variation<E: Evaluator<G>>(
        &self,
        line: &Line<G::Move>,
        depth: u32,
        evaluator: &E,
    ) -> Result<(), Disagreement> {
        let text = || line.pv.iter().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ");
        let mut position = self.position.clone();
        for &mv in &line.pv {
            let played = position.play(mv);
            self.require(played.is_ok(), || format!("illegal move {mv} in variation {}", text()))?;
        }
        let plies = line.pv.len() as u32;
        self.require(plies <= depth, || format!("{plies} plies in variation {}", text()))?;
        let side = self.position.side_to_move();
        let value = match position.outcome() {
            Some(outcome) => outcome.score::<G>(side, plies),
            None if plies == depth => {
                let estimate = Score::estimate(evaluator.evaluate(&position).get());
                let value = position.bounds().clamp(estimate);
                if position.side_to_move() == side { value } else { -value }
            }
            None => return Ok(()),
        };
        let value = value.min(bounds_at(&self.position, depth).upper);
        self.require(value == line.score(), || {
            format!("score {}, but variation {} leads to {value}", line.score(), text())
        })
    }

    fn require(&self, holds: bool, found: impl FnOnce() -> String) -> Result<(), Disagreement> {
        if holds { Ok(()) } else { Err(self.disagreement(&found())) }
    }

    fn disagreement(&self, found: &str) -> Disagreement {
        let (game, depth, position) = (G::NAME, self.depth, describe(&self.position));
        Disagreement(format!("{found}, at depth {depth} of {game}, in the position\n{position}"))
    }
}

/// Returns every combination of the techniques of [`AlphaBeta`](crate::AlphaBeta), each without a table and
/// with a table of `table_mib` MiB, without a seed and with this seed.
pub fn every_option(table_mib: usize, seed: u64) -> impl Iterator<Item = Options> {
    const SWITCHES: u32 = 9;
    (0..1_u32 << SWITCHES).map(move |combination| {
        let is_on = |switch: u32| combination >> switch & 1 == 1;
        Options {
            table_mib: if is_on(0) { table_mib } else { 0 },
            // The least depth, so that every node is tested.
            table_depth: 1,
            // On in half of the combinations of the other options.
            local_table: combination.count_ones().is_multiple_of(2),
            late_move_reductions: true,
            forcing: combination.count_ones() % 4 < 2,
            child_cutoff_depth: 2,
            child_cutoff: is_on(1),
            null_window: is_on(2),
            deepening: is_on(3),
            aspiration: is_on(4),
            killers: is_on(5),
            history: is_on(6),
            evaluator_order: is_on(7),
            seed: is_on(8).then_some(seed),
            threads: 1,
            head_start: Duration::ZERO,
        }
    })
}

/// Returns the result of best play from `position` as the side to move sees it, if it is found within
/// `plies` plies and about `nodes` positions; otherwise `None`.
///
/// ```
/// use plyground::Score;
/// use plyground::testing::{TicTacToe, exact_result};
///
/// let start = TicTacToe::default();
/// assert_eq!(exact_result(&start, 9, 1_000_000), Some(Score::ZERO));
/// // Within four plies no game of tic-tac-toe ends.
/// assert_eq!(exact_result(&start, 4, 1_000_000), None);
/// ```
#[must_use]
pub fn exact_result<G: Game>(position: &G, plies: u32, nodes: u64) -> Option<Score> {
    Solver::new(nodes, |_: &G, _| Ok::<(), ()>(())).solve(position, plies).ok().flatten()
}

/// A solver that visits a limited number of positions, and shows every position that it has solved.
pub(super) struct Solver<F> {
    nodes_left: u64,
    show: F,
}

impl<F> Solver<F> {
    /// Makes a solver that visits at most `nodes` positions and calls `show` with every solved position and
    /// its result. An error of `show` ends the search.
    pub(super) fn new(nodes: u64, show: F) -> Solver<F> {
        Solver { nodes_left: nodes, show }
    }

    /// Returns the result of `position`, if best play ends it within `plies` plies.
    pub(super) fn solve<G: Game, E>(&mut self, position: &G, plies: u32) -> Result<Option<Score>, E>
    where
        F: FnMut(&G, Score) -> Result<(), E>,
    {
        if self.nodes_left == 0 {
            return Ok(None);
        }
        self.nodes_left -= 1;
        let solved = match position.outcome() {
            Some(outcome) => Some(outcome.score::<G>(position.side_to_move(), 0)),
            None if plies == 0 => None,
            None => self.best_move(position, plies)?,
        };
        if let Some(score) = solved {
            (self.show)(position, score)?;
        }
        Ok(solved)
    }

    fn best_move<G: Game, E>(&mut self, position: &G, plies: u32) -> Result<Option<Score>, E>
    where
        F: FnMut(&G, Score) -> Result<(), E>,
    {
        let mut best: Option<Score> = None;
        let mut all_known = true;
        for mv in position.legal_moves() {
            let next = position.after(mv);
            match self.solve(&next, plies - 1)? {
                Some(score) => {
                    best = best.max(Some(Turn::between(position, &next).before_move(score)));
                }
                None => all_known = false,
            }
        }
        // A win counts even if other moves are unknown: those can only win later. But if the nodes ran out,
        // a sooner win may have been missed.
        let complete = all_known || self.nodes_left > 0;
        Ok(best.filter(|score| all_known || complete && score.is_win()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Coins, TicTacToe};

    #[test]
    fn tic_tac_toe_is_a_draw() {
        assert_eq!(exact_result(&TicTacToe::default(), 9, 1_000_000), Some(Score::ZERO));
    }

    #[test]
    fn says_nothing_that_it_does_not_know() {
        assert_eq!(exact_result(&TicTacToe::default(), 8, 1_000_000), None);
        assert_eq!(exact_result(&TicTacToe::default(), 9, 1_000), None);
    }

    #[test]
    fn a_win_counts_with_other_moves_unknown() {
        let mut position = TicTacToe::default();
        for square in ["1", "4", "2", "5"] {
            position.play_unchecked(square.parse().expect("a square"));
        }
        assert_eq!(exact_result(&position, 1, 100), Some(Score::win_in(1)));
    }

    #[test]
    fn points_are_counted_to_the_end() {
        // The game knows the worth of its last two coins by a formula.
        for seed in 0..50 {
            let coins = Coins::new(seed, 2);
            let found = exact_result(&coins, 2, 100);
            assert_eq!(found, coins.short_result().map(Score::points), "{coins}");
        }
    }
}
