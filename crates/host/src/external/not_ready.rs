//! Programs that cannot be started.

use thiserror::Error;

/// Why the program of a player cannot be started, as was found before any game. The text is one
/// line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotReady {
    /// There is something wrong with the program, or there is none.
    #[error("{0}")]
    Program(String),
    /// The system lacks what is needed to start such programs: that is no fault of the player.
    #[error("{0}")]
    System(String),
}
