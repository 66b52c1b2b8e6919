//! How sure one can be of a result: intervals, Elo, sequential tests and ratings.
//!
//! What counts is the pair of games with the same opening, the players on the other sides in the second:
//! its two games are not independent of each other, but pairs are. The points of a pair, from 0 to 2 in
//! steps of a half, have five values, hence the name [`Pentanomial`]. [`simulation`] plays matches whose
//! truth is known, and so measures how often the intervals and tests are right.

mod interval;
mod pentanomial;
#[cfg(test)]
mod published;
mod rating;
pub mod simulation;
mod sprt;

pub use interval::{Interval, elo_of, expected_score, signed};
pub use pentanomial::Pentanomial;
pub use rating::{RatedMeeting, Rating, rate};
pub use sprt::{EloModel, NotATest, Sprt, SprtState};
