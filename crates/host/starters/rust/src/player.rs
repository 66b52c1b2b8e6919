//! The player: this is the file to write in.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::board::{Board, Move, START_FILE};

/// The move that the side to move chooses, looking `depth` moves ahead; 1 means one's own move
/// only. The same board, depth and seed give the same move.
pub fn choose_move(board: &mut Board, _depth: u32, seed: u64) -> Move {
    // Your search begins here. `board` has legal_moves(), play(mv), undo(mv), and what is
    // yours to add. Until then it plays at random.
    let moves = board.legal_moves();
    moves[random_number(seed, board) as usize % moves.len()]
}

/// A number that has nothing to do with the others, to all appearance.
fn random_number(seed: u64, board: &Board) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, board.to_text(START_FILE)).hash(&mut hasher);
    hasher.finish()
}
