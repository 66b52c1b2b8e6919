//! Runtime tables: the CPU time of choosing one move, for one search depth after the other.
//!
//! [`tabulate`] measures a [`Table`] of [`Row`]s as a [`Plan`] says, [`TableFile`] keeps it in a
//! CSV file from which a killed run resumes, and [`plot`](fn@plot) draws it.

mod depths;
mod error;
mod file;
mod measure;
mod plot;
mod row;
pub(crate) mod seconds;
mod table;
mod tabulate;
#[cfg(test)]
pub(crate) mod toy;

pub use depths::{Depths, NotDepths};
pub use error::Error;
pub use file::TableFile;
pub use plot::{Curve, Picture, plot, plot_curves};
pub use row::{Row, SearchKind};
pub use table::{COLUMNS, NotATable, Table};
pub use tabulate::{End, Observer, Plan, Runs, Subject, tabulate};
