//! What can go wrong with a tournament.

use std::path::PathBuf;

use plyground::book::BookError;
use plyground_durable::output::WriteError;
use plyground_durable::pool::NoThread;
use plyground_durable::work::WorkError;
use plyground_host::referee::Interrupted;
use thiserror::Error;

use super::openings::OpeningFault;
use super::store::StoreError;
use crate::alone::FailedTwice;
use crate::programs::UntoldMoves;
use crate::seat::UnfitPlayer;
use crate::submissions::AmongSubmissions;

/// Why a tournament cannot be played or kept, as one line.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The folder for its games is among the submissions.
    #[error(transparent)]
    AmongSubmissions(#[from] AmongSubmissions),
    /// The plan does not fit the game.
    #[error("{}: {why}", .path.display())]
    Plan {
        /// The file of the plan.
        path: PathBuf,
        /// What is wrong with it.
        why: Box<TournamentError>,
    },
    /// The game has no such player.
    #[error("{name}: {why}")]
    Player {
        /// What it is called.
        name: String,
        /// What is wrong with it.
        why: UnfitPlayer,
    },
    /// There are no such openings.
    #[error(transparent)]
    Opening(#[from] OpeningFault),
    /// A player cannot be told of the openings.
    #[error(transparent)]
    UntoldMoves(#[from] UntoldMoves),
    /// The game's own book is damaged.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The games cannot be kept, or those that were kept not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no game of two players that can be started.
    #[error("no game can be played: {name}: {why}")]
    NoGame {
        /// One of the players that cannot be started.
        name: String,
        /// Why.
        why: String,
    },
    /// The OS lacks what a player's program needs to be started.
    #[error("{0}")]
    NotReady(String),
    /// A game was broken off by no fault of its players.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Games were left out by no fault of their players. All others that can be are played.
    #[error(transparent)]
    FailedTwice(#[from] FailedTwice),
    /// What many processes have played cannot be used.
    #[error(transparent)]
    Shared(#[from] Box<WorkError>),
    /// The OS has no threads to play in.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

impl From<WriteError> for TournamentError {
    fn from(error: WriteError) -> TournamentError {
        TournamentError::Store(error.into())
    }
}

impl TournamentError {
    /// Whether the plan, the players or the files are at fault, and not the run.
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
