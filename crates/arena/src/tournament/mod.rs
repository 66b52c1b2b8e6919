//! Tournaments: many players, a plan from a file, and tables that show who is better.
//!
//! A [`TournamentPlan`] names the players and the format. A schedule derives the games from it,
//! each with a number of its own. A [`Tournament`] plays the games that its store, a folder, does
//! not have yet, and stores each game as soon as it ends. Everything else is derived from the games
//! in the store: places, ratings, the [`TournamentReport`]. So a run that was killed resumes where
//! it was, and a tournament that was played in shares is joined by collecting their games.

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

pub use growth::TooLate;
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

/// The number of a game: the number of the meeting of two players, and the number of the game in
/// it, both from 0. The plan alone determines the game with a given number.
///
/// The text counts both from 1: `0003-02`.
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

/// The error for a text that is not the number of a game.
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
        // Each game has one text only, so no two files stand for one game.
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
