//! Java classes of the courses: theirs against our players, and ours in their programs.
//!
//! All tests need a JDK. Without one they say so and do nothing, or fail if `PLYGROUND_NEEDS_JAVA` is
//! set.

mod arena;
mod course;
mod finding;
mod host;
pub mod jdk;
mod page;
mod sources;
