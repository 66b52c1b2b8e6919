//! The layout that one-move and interactive share: that of the course's sample programs.

use super::program::Program;

/// The heading, and the position before anybody moves.
pub(super) fn opening<P: Program>(program: &P, position: &P::Game) -> String {
    format!("\n{}\ngame state before move:\n{}", P::TITLE, program.board(position))
}

/// The move, and the position after it.
pub(super) fn after_move<P: Program>(
    program: &P,
    announcement: &str,
    position: &P::Game,
) -> String {
    format!("{announcement}\ngame state after move:\n{}", program.board(position))
}

/// That the game is over.
pub(super) fn ending<P: Program>(program: &P, position: &P::Game) -> String {
    format!("\n\n{}\nGame over!\n", program.ending(position))
}
