//! The program `network`, run as people run it.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once
//! with `UPDATE_GOLDEN=1` and look at the difference.

mod berkeley;
mod cluster;
mod external;
mod grade;
mod harness;
mod matches;
mod openings;
mod perfect;
mod records;
mod solve;
mod support;
#[cfg(unix)]
mod together;
mod tournament;
mod tune;
mod usf;
