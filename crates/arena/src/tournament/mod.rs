//! Tournaments: many players, a plan from a file, and tables that say who is better.
//!
//! A [`TournamentPlan`] names the players and says who meets whom. A schedule makes games of it, each
//! with a number of its own; a [`Tournament`] plays those that its store, a folder, does not have
//! yet, and keeps every game as soon as it ends. Everything else is derived from the games in the
//! store: places, ratings, the [`TournamentReport`]. A run that was killed therefore goes on where
//! it was, and a tournament that was played in shares is put together by collecting their games.

mod attendance;
mod bracket;
mod error;
mod file;
mod fixture;
mod growth;
mod matchup;
mod number;
mod openings;
mod plan;
mod playing;
mod report;
mod result;
mod run;
mod schedule;
mod shared;
#[cfg(test)]
mod stand_ins;
mod standings;
mod store;
mod swiss;
#[expect(clippy::module_inception, reason = "the noun of the folder")]
mod tournament;

pub use error::TournamentError;
pub use openings::{OpeningFault, TournamentOpenings};
pub use plan::{Contestant, TournamentFormat, TournamentPlan};
pub use playing::TournamentEvent;
pub use report::{
    REPORT_PAGE, ReportCell, ReportGame, ReportMatchups, ReportPlayer, TournamentReport,
};
pub use shared::SharedTournament;
pub use store::StoreError;
pub use tournament::Tournament;
