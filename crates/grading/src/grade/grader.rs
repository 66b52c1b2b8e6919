//! How players are graded, and who.

use std::sync::Arc;
use std::time::Duration;

use plyground_host::SharedGame;
use plyground_host::referee::Interrupted;
use thiserror::Error;

use super::draw::DrawnCheck;
use plyground_arena::alone::Gate;
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::PlayerTemplate;

/// How players are graded.
#[derive(Clone, Debug)]
pub struct Grader {
    /// The game, which is played from its start.
    pub game: SharedGame,
    /// What is asked of a player.
    pub checks: Vec<DrawnCheck>,
    /// How other people's programs are held; its time for a move by the clock on the wall holds for
    /// all players.
    pub programs: ProgramOptions,
    /// What chance in games depends on.
    pub seed: u64,
    /// The time for all checks of a player; what is not done by then has failed.
    pub total: Duration,
    /// The gate of all checks that are made at a time.
    pub gate: Arc<Gate>,
}

/// Somebody who is graded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examinee {
    /// What plays, with a place for the depth perhaps.
    pub player: PlayerTemplate,
    /// The name of its log.
    pub log: String,
}

/// Why a player has no grade: nothing that it could help.
#[derive(Debug, Error)]
pub enum GradeError {
    /// The OS lacks what its program needs to be started.
    #[error("{0}")]
    NotReady(String),
    /// The OS cannot run its program.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
