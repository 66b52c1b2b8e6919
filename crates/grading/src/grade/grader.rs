//! The grader and the players that it grades.

use std::sync::Arc;
use std::time::Duration;

use plyground_host::SharedGame;
use plyground_host::referee::Interrupted;
use thiserror::Error;

use super::draw::DrawnCheck;
use plyground_arena::alone::Gate;
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::PlayerTemplate;

/// A grader, with its checks and limits.
#[derive(Clone, Debug)]
pub struct Grader {
    /// The game, which is played from its start.
    pub game: SharedGame,
    /// The checks to make.
    pub checks: Vec<DrawnCheck>,
    /// The options for external programs. The wall-time limit for a move applies to all players.
    pub programs: ProgramOptions,
    /// The seed for all chance in games.
    pub seed: u64,
    /// The time for all checks of a player. Whatever is not done by then has failed.
    pub total: Duration,
    /// The gate through which all checks go, many at a time or one alone.
    pub gate: Arc<Gate>,
}

/// A player to grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examinee {
    /// The player, which may have a placeholder for the depth.
    pub player: PlayerTemplate,
    /// The name of the player's log.
    pub log: String,
}

/// The error that leaves a player without a grade. It is never the player's fault.
#[derive(Debug, Error)]
pub enum GradeError {
    /// The OS lacks something that the player's program needs to start.
    #[error("{0}")]
    NotReady(String),
    /// The OS cannot run the player's program.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
