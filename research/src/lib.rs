//! Proofs about Network, and the program `research` that makes them. No program that people play with links this.
//!
//! * [`Opening`] lists the replies to the opening of a color, and [`Strategy::of_proof`] finds the color's
//!   answers from there on.
//! * [`Strategy`] writes all answers as a text, which [`network::strategy_check`] plays against every reply by
//!   rules of its own.
//! * [`OpeningRow`] is a row of the table of first moves, replies and second moves, and [`distances`]
//!   returns the lengths of games that such tables settle.
//! * [`main`] runs the program, with the commands that make all of this.

mod distance;
mod opening;
mod openings;
mod program;
mod sharing;
mod solve;
mod start;
mod strategy;

pub use distance::{ChipRange, Distance, FirstMove, distance_table, distances, first_moves};
pub use opening::{
    NotPlayable, Opening, OpeningResult, OpeningRow, RepliedOpening, opening_table,
    parse_opening_table,
};
pub use program::{command, main};
pub use strategy::{Strategy, Unproven};
