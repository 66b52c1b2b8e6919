//! The certainty of a result: intervals, Elo, sequential tests and ratings.
//!
//! The statistics count pairs of games with the same opening and swapped sides: the two games of a
//! pair depend on each other, but pairs do not. The points of a pair, from 0 to 2 in steps of a
//! half, have five values, hence the name [`Pentanomial`]. [`simulation`] plays matches whose truth
//! is known, to measure how often the intervals and tests are right.

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
