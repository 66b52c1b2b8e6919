//! Knowledge of the next two plies without a search.

/// The obligation of the side to move, in a position that is not over.
///
/// ```
/// use plyground::testing::TicTacToe;
/// use plyground::{Forcing, SearchHints};
///
/// // Tic-tac-toe leaves it to the search.
/// let mut replies = Vec::new();
/// assert_eq!(TicTacToe::default().forcing(&mut replies), Forcing::Unknown);
/// assert!(replies.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forcing<M> {
    /// The game knows nothing of the next two plies.
    Unknown,
    /// This move ends the game at once, and the side that makes it wins.
    Win(M),
    /// No move wins at once, nor could the opponent win at once if it were their turn.
    Quiet,
    /// No move wins at once, and the opponent threatens to. Every move that is not among the replies loses:
    /// the opponent wins with the next move, if the game has not been lost before. There is a legal move
    /// that does not end the game. The replies may or may not help, and there may be no replies.
    Threatened,
}
