//! The program `network`, run as people run it.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once
//! with `UPDATE_GOLDEN=1` and look at the difference.

mod berkeley;
mod external;
mod grade;
mod harness;
#[cfg(unix)]
#[path = "../../common/help.rs"]
mod help;
mod matches;
mod openings;
mod perfect;
mod records;
#[path = "../../common/run.rs"]
mod run;
#[path = "../../common/sandbox.rs"]
mod sandbox;
mod solve;
mod support;
mod tournament;
mod tune;
mod usf;
