//! Tournaments: many players, a plan from a file, and tables that say who is better.
//!
//! A [`TournamentPlan`] names the players and says who meets whom. A schedule makes games of it, each
//! with a number of its own; a [`Tournament`] plays those that its store, a folder, does not have
//! yet, and keeps every game as soon as it ends. Everything else is derived from the games in the
//! store: places, ratings, the [`TournamentReport`]. A run that was killed therefore goes on where
//! it was, and a tournament that was played in shares is put together by collecting their games.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use plyground::book::BookError;
use plyground_durable::output::WriteError;
use plyground_durable::pool::NoThread;
use plyground_durable::work::WorkError;
use plyground_host::referee::Interrupted;
use thiserror::Error;

use crate::alone::FailedTwice;
use crate::programs::UntoldMoves;
use crate::seat::UnfitPlayer;
use crate::submissions::AmongSubmissions;

pub use plan::{Contestant, OpeningFault, TournamentFormat, TournamentOpenings, TournamentPlan};
pub use playing::TournamentEvent;
pub use report::{
    REPORT_PAGE, ReportCell, ReportGame, ReportMatchups, ReportPlayer, TournamentReport,
};
pub use run::SharedTournament;
pub use store::StoreError;
pub use tournament::Tournament;

mod file;
mod growth;
mod plan;
mod playing;
mod report;
mod result;
mod run;
mod schedule;
#[cfg(test)]
mod stand_ins;
mod standings;
mod store;
mod swiss;
#[expect(clippy::module_inception, reason = "the noun of the folder")]
mod tournament;

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

/// The number of a game: that of the meeting of two players, and that of the game in it, both
/// from 0. Which game a number stands for depends on the plan alone.
///
/// As text both are counted from 1: `0003-02`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNumber {
    /// The number of the meeting.
    pub meeting: u32,
    /// The number of the game in the meeting.
    pub game: u32,
}

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |number: u32| u64::from(number) + 1;
        write!(f, "{:04}-{:02}", counted(self.meeting), counted(self.game))
    }
}

/// The text is no number of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the number of a game, such as 0003-02")]
pub struct NotAGameNumber;

impl FromStr for GameNumber {
    type Err = NotAGameNumber;

    fn from_str(text: &str) -> Result<GameNumber, NotAGameNumber> {
        let index = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
        let numbers = text.split_once('-');
        let number = numbers
            .and_then(|(meeting, game)| {
                Some(GameNumber { meeting: index(meeting)?, game: index(game)? })
            })
            .ok_or(NotAGameNumber)?;
        // Only the one text that is written stands for a game, so no two files do.
        if number.to_string() == text { Ok(number) } else { Err(NotAGameNumber) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for (meeting, game) in [(0, 0), (2, 1), (12_344, 199)] {
            let number = GameNumber { meeting, game };
            assert_eq!(number.to_string().parse(), Ok(number));
        }
        for bad in ["", "1-1", "0001", "0000-01", "0001-00", "0001-1", "+001-01", "0001-01x"] {
            assert_eq!(bad.parse::<GameNumber>(), Err(NotAGameNumber), "{bad}");
        }
    }
}
