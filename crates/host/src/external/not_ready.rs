//! Programs that cannot be started.

use thiserror::Error;

/// The reason, found before any game, why the program of a player cannot be started. The text is one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotReady {
    /// The program is missing or broken.
    #[error("{0}")]
    Program(String),
    /// The system lacks what is needed to start such programs. This is not a fault of the player.
    #[error("{0}")]
    System(String),
}
