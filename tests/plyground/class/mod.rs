//! Real classes: from zips to grades, to a ranking, and to Gradescope.

mod autograder;
pub mod builds;
mod downloads;
mod grades;
mod prepare;
