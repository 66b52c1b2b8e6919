//! The program `maxconnect4`, run as people run it.
//!
//! Expected outputs are files; after a change of the search that is meant to change them, run the
//! tests once with `UPDATE_GOLDEN=1` and look at the difference.

#[cfg(unix)]
mod absent;
mod analysis;
mod arguments;
mod book;
mod calibrate;
mod cluster;
#[cfg(unix)]
mod engine_check;
mod external;
#[cfg(unix)]
mod grade;
#[cfg(unix)]
mod grade_class;
mod interactive;
mod layout;
mod malformed;
mod matches;
mod one_move;
mod perfect;
mod play;
#[cfg(target_os = "linux")]
mod refusals;
mod report_page;
mod solve;
mod strange_editors;
mod support;
mod timing;
#[cfg(unix)]
mod together;
mod tournament;
