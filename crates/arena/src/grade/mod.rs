//! Grading: whether a player does what an assignment asks for, and how many points that is worth.
//!
//! A game supplies its [`Check`]s as data, a text in TOML. A [`Grader`] holds a player to each of
//! them, by the rules of the game and by looking ahead plainly, without our own search;
//! [`GradeResults`] are what came out, as Gradescope reads it.

mod absent;
mod alarm;
mod check;
mod exchange;
mod expect;
mod games;
mod grader;
mod points;
mod results;
mod session;

pub use check::{Check, CheckKind, NotChecks, parse_checks};
pub use expect::{Promise, best_moves};
pub use grader::{Examinee, GradeError, Grader};
pub use points::read_points;
pub use results::{CheckResult, CheckStatus, GradeResults, LeaderboardLine};
