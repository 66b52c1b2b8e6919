//! The program `network`, run as people run it.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once
//! with `UPDATE_GOLDEN=1` and look at the difference.

mod berkeley;
mod external;
mod grade;
mod harness;
mod matches;
mod perfect;
mod records;
mod support;
mod tournament;
mod usf;
mod verify;
