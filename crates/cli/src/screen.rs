//! The layout that one-move and interactive share: that of the course's sample programs.

use plyground_host::HostedPosition;

/// The heading, and the position before anybody moves.
pub(super) fn opening(position: &HostedPosition) -> String {
    let title = position.game().title();
    format!("\n{title}\ngame state before move:\n{}", position.board())
}

/// The move, and the position after it.
pub(super) fn after_move(announcement: &str, position: &HostedPosition) -> String {
    format!("{announcement}\ngame state after move:\n{}", position.board())
}

/// Returns the text that says that the game is over.
pub(super) fn ending(position: &HostedPosition) -> String {
    format!("\n\n{}\nGame over!\n", position.ending())
}
