//! The error for a tournament.

use std::path::PathBuf;

use plyground::book::BookError;
use plyground_durable::output::WriteError;
use plyground_durable::pool::NoThread;
use plyground_durable::work::WorkError;
use plyground_host::referee::Interrupted;
use thiserror::Error;

use super::joining::TooLate;
use super::plan::OpeningFault;
use super::store::StoreError;
use crate::alone::FailedTwice;
use crate::programs::UntoldMoves;
use crate::seat::UnfitPlayer;
use crate::submissions::AmongSubmissions;

/// The error for a tournament that cannot be played or stored, as one line.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The folder for the games is among the submissions.
    #[error(transparent)]
    AmongSubmissions(#[from] AmongSubmissions),
    /// The plan does not fit the game.
    #[error("{}: {why}", .path.display())]
    Plan {
        /// The file of the plan.
        path: PathBuf,
        /// The fault of the plan.
        why: Box<TournamentError>,
    },
    /// The game does not have this player.
    #[error("{}{why}", label(name, why))]
    Player {
        /// The name of the player.
        name: String,
        /// The reason.
        why: UnfitPlayer,
    },
    /// A player comes too late.
    #[error(transparent)]
    TooLate(#[from] TooLate),
    /// The openings cannot be drawn or played.
    #[error(transparent)]
    Opening(#[from] OpeningFault),
    /// A player cannot be told of the openings.
    #[error(transparent)]
    UntoldMoves(#[from] UntoldMoves),
    /// The game's own book is damaged.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The games cannot be stored, or the stored games cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No game has two players that can be started.
    #[error("no game can be played: {name}: {why}")]
    NoGame {
        /// The name of a player that cannot be started.
        name: String,
        /// The reason.
        why: String,
    },
    /// The OS lacks something that a player's program needs to start.
    #[error("{0}")]
    NotReady(String),
    /// A game was interrupted, without a fault of its players.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Some games were left out, without a fault of their players. All other games that can be
    /// played are played.
    #[error(transparent)]
    FailedTwice(#[from] FailedTwice),
    /// The results of other processes cannot be used.
    #[error(transparent)]
    Shared(#[from] Box<WorkError>),
    /// The OS has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

/// Returns the name of a player as the beginning of an error that does not name it.
fn label(name: &str, why: &UnfitPlayer) -> String {
    let label = format!("{name}: ");
    if why.to_string().starts_with(&label) { String::new() } else { label }
}

impl From<WriteError> for TournamentError {
    fn from(error: WriteError) -> TournamentError {
        TournamentError::Store(error.into())
    }
}

impl TournamentError {
    /// Returns true if the plan, the players or the files are at fault, and not the run.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            TournamentError::NotReady(_)
            | TournamentError::NoThread(_)
            | TournamentError::FailedTwice(_)
            | TournamentError::Shared(_) => false,
            TournamentError::Plan { why, .. } => why.is_bad_input(),
            TournamentError::Interrupted(why) => matches!(why, Interrupted::Opening { .. }),
            TournamentError::Store(why) => {
                !matches!(why, StoreError::Write(_) | StoreError::Lock(_))
            }
            _ => true,
        }
    }
}
