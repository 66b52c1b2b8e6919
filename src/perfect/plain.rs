//! A second opinion: the plainest search that finds the result of best play.

use std::error::Error;
use std::fmt;

use crate::game::Game;
use crate::score::Score;

/// The search reached its limit of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPositions;

impl fmt::Display for TooManyPositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many positions for a plain search")
    }
}

impl Error for TooManyPositions {}

/// Returns the result of best play from `position`, as the side to move sees it, found by alpha-beta with
/// only the rules: no table, no bounds, no order of moves, no evaluation.
///
/// It shares no code with [`AlphaBeta`](crate::AlphaBeta), so it can check it.
///
/// # Errors
///
/// Returns an error if the search would visit more than `nodes` positions.
///
/// ```
/// use plyground::Score;
/// use plyground::perfect::{TooManyPositions, plain_value};
/// use plyground::testing::TicTacToe;
///
/// assert_eq!(plain_value(&TicTacToe::default(), 100_000), Ok(Score::ZERO));
/// assert_eq!(plain_value(&TicTacToe::default(), 100), Err(TooManyPositions));
/// ```
pub fn plain_value<G: Game>(position: &G, nodes: u64) -> Result<Score, TooManyPositions> {
    let mut left = nodes;
    alpha_beta(position, 0, Score::MIN, Score::MAX, &mut left)
}

fn alpha_beta<G: Game>(
    position: &G,
    ply: u32,
    mut alpha: Score,
    beta: Score,
    nodes_left: &mut u64,
) -> Result<Score, TooManyPositions> {
    *nodes_left = nodes_left.checked_sub(1).ok_or(TooManyPositions)?;
    if let Some(outcome) = position.outcome() {
        return Ok(outcome.score::<G>(position.side_to_move(), ply));
    }
    for mv in position.legal_moves() {
        let score = -alpha_beta(&position.after(mv), ply + 1, -beta, -alpha, nodes_left)?;
        if score >= beta {
            return Ok(beta);
        }
        alpha = alpha.max(score);
    }
    Ok(alpha)
}
