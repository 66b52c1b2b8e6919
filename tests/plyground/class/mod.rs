//! Real classes: from zips to grades, to a ranking, and to Gradescope.

mod autograder;
mod downloads;
mod grades;
mod prepare;
mod zips;
