//! The checks of the assignments.

mod grade;
mod plain_minimax;
