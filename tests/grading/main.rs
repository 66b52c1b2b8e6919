//! The checks of the assignments, and what the texts of results/ say of their tables.

mod grade;
mod plain_minimax;
mod results;
