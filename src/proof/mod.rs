//! Proof search: a proof or disproof that one side can reach a goal against any play of the other.
//!
//! A boolean question needs no scores: [`Prover`] is a depth-first proof-number search (df-pn; A. Nagai,
//! "Df-pn Algorithm for Searching AND/OR Trees and Its Applications", 2002), which works on the positions
//! that are easiest to prove or to disprove. It knows no game: a [`Goal`] judges positions, estimates how
//! hard they are, and names the moves worth trying.

mod finder;
mod line;
mod prover;
mod tactics;

pub use finder::{Allowance, Defense, Finder, Forced};
pub use prover::{Proof, Prover};
pub use tactics::{AtLeast, Goal, NoTactics, Numbers, Prepared, Tactics};
