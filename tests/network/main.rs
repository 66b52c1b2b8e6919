//! Network: its rules, state files and notations, the evaluation, searches and the assignments'
//! players.

mod against_naive;
#[path = "../common/cases.rs"]
mod cases;
mod notation;
mod players;
mod rules;
mod samples;
mod search;
mod state;
mod threats;
