//! Tuning: the weights of an evaluation, from the results of games.
//!
//! The evaluation is a sum of terms, each with a weight. Positions are collected from games, with
//! the game's result; and those weights are found by which the results are most likely, if the
//! expected score is a logistic function of the evaluation. Source: P. Österlund, "Texel's tuning
//! method", 2014, with the log loss in place of the squares.
//!
//! What predicts results best need not play best: only a [match](crate::matches) tells.

mod fit;
mod sample;

pub use fit::{Curve, NoCurve, fit};
pub use sample::{Sample, quiet_samples};
