//! Grading: whether a player does what an assignment asks for, and how many points that is worth.
//!
//! A game supplies its [`Check`]s as data, a text in TOML. [`grade`](fn@grade) holds a player to
//! each of them, by the rules of the game and by looking ahead plainly, without our own search;
//! [`Results`] are what came out, as Gradescope reads it.

mod absent;
mod check;
mod exchange;
mod expect;
mod points;
mod results;
mod run;

pub use absent::grade_absent;
pub use check::{Check, Kind, NotChecks, parse_checks};
pub use expect::{Prospect, best_moves};
pub use points::read_points;
pub use results::{Leader, Results, Status, Test};
pub use run::{Candidate, Subject, grade};
