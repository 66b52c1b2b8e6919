//! Exact results by plain minimax, without bounds, keys or evaluation.

use crate::game::Game;
use crate::score::Score;

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
            match self.solve(&position.after(mv), plies - 1)? {
                Some(score) => best = best.max(Some(one_ply_earlier(-score))),
                None => all_known = false,
            }
        }
        // A win counts even if other moves are unknown: those can only win later. But if the nodes ran out,
        // a sooner win may have been missed.
        let complete = all_known || self.nodes_left > 0;
        Ok(best.filter(|score| all_known || complete && score.is_win()))
    }
}

/// Returns the score one ply before `score`: wins and losses are one ply farther away.
fn one_ply_earlier(score: Score) -> Score {
    if score.is_win() {
        score - 1
    } else if score.is_loss() {
        score + 1
    } else {
        score
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
