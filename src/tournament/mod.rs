//! Tournaments: many players, a plan from a file, and tables that say who is better.
//!
//! A [`Plan`] names the players and says who meets whom; [`Schedule`] makes games of it, each
//! with a number of its own; [`run`](fn@run) plays those that a [`Store`] does not have yet, and
//! the store keeps every game as soon as it ends. Everything else is derived from the games in
//! the store: [`Standings`], ratings, reports. A run that was killed therefore goes on where it
//! was, and a tournament that was played in shares is put together by collecting their games.

mod bracket;
mod file;
mod number;
mod openings;
mod plan;
mod rating;
mod report;
mod result;
mod run;
mod schedule;
mod standings;
mod store;

pub use number::GameNumber;
pub use openings::{OpeningFault, Openings, draw as draw_openings};
pub use plan::{Contestant, Format, Plan};
pub use rating::{Meeting, Rating, rate};
pub use report::{
    Report, ReportCell, ReportGame, ReportPlayer, csv_of_games, csv_of_meetings, csv_of_standings,
    html,
};
pub use result::GameResult;
pub use run::{Stage, run};
pub use schedule::{Fixture, Opening, Ranking, Schedule};
pub use standings::{Cell, Row, Standings};
pub use store::{Store, StoreError};
