//! Tournaments: many players, a plan from a file, and tables that show who is better.
//!
//! A [`TournamentPlan`] names the players and the format. A schedule derives the games from it,
//! each with a number of its own. A [`Tournament`] plays the games that its store, a folder, does
//! not have yet, and stores each game as soon as it ends. Everything else is derived from the games
//! in the store: places, ratings, the [`TournamentReport`]. So a run that was killed resumes where
//! it was, and a tournament that was played in shares is joined by collecting their games.

pub use error::{TooLate, TournamentError};
pub use fixture::{GameNumber, NotAGameNumber};
pub use plan::{Contestant, OpeningFault, TournamentFormat, TournamentOpenings, TournamentPlan};
pub use playing::TournamentEvent;
pub use report::{
    REPORT_PAGE, ReportCell, ReportGame, ReportMatchups, ReportPlayer, TournamentReport,
};
pub use store::StoreError;
pub use tournament::Tournament;
pub use work::SharedTournament;

mod error;
mod file;
mod fixture;
mod growth;
mod plan;
mod playing;
mod report;
mod result;
mod schedule;
#[cfg(test)]
mod stand_ins;
mod standings;
mod store;
mod swiss;
#[expect(clippy::module_inception, reason = "the noun of the folder")]
mod tournament;
mod work;
