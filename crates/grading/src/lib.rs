//! Submissions of a class, from the download to the grade.
//!
//! * [`submissions`] prepares what students hand in: it unpacks, builds, and finds the command that starts a
//!   program.
//! * [`grade`] holds a program to its assignment, and writes reports and tables for a course.

pub mod grade;
pub mod submissions;
