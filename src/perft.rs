//! Perft: the number of sequences of moves from a position, the standard test of a move generator.

use crate::game::Game;

/// Returns the number of sequences of exactly `depth` legal moves from `position`. A game that ends sooner
/// is not counted.
///
/// ```
/// use plyground::perft::perft;
/// use plyground::testing::TicTacToe;
///
/// let start = TicTacToe::default();
/// assert_eq!([1, 2, 3].map(|depth| perft(&start, depth)), [9, 72, 504]);
/// ```
#[must_use]
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ if position.outcome().is_some() => 0,
        // The last moves need not be made to be counted.
        1 => position.legal_moves().count() as u64,
        _ => position.legal_moves().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}

/// Returns the [`perft`] of `depth`, which must not be 0, split by the first move, in the order in which
/// the game generates them.
///
/// ```
/// use plyground::perft::divide;
/// use plyground::testing::TicTacToe;
///
/// let counts = divide(&TicTacToe::default(), 3);
/// assert_eq!(counts.len(), 9);
/// assert!(counts.iter().all(|(_, count)| *count == 56));
/// ```
#[must_use]
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    let count = |mv| (mv, perft(&position.after(mv), depth.saturating_sub(1)));
    position.legal_moves().map(count).collect()
}
