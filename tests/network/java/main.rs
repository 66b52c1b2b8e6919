//! Java classes of the courses: theirs against our players, and ours in their programs.
//!
//! All of it needs a JDK. Where there is none the tests say so and do nothing, unless
//! `PLYGROUND_NEEDS_JAVA` is set.

#![cfg(unix)]

mod arena;
mod course;
mod endings;
mod finding;
mod host;
mod jdk;
mod page;
#[allow(dead_code, reason = "nothing here is compared with files")]
#[path = "../../common/run.rs"]
mod run;
mod sources;
