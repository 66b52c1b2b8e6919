//! Timing: the CPU time of choosing one move, at one search depth after the other.
//!
//! The same measurement makes two tables:
//!
//! * [`tabulate`] times the engine's searches, cold, in one position, as a [`RuntimePlan`] says. Its
//!   [`RuntimeTable`] is kept in a [`RuntimeFile`], from which a killed run resumes.
//! * [`calibrate`] times any [`Player`](plyground_host::player::Player) that can be told how many
//!   plies to look ahead, in many positions, as a [`CalibrationPlan`] says: the slowest move of a
//!   game is seldom the first.
//!
//! [`DepthPlot`] draws either table.

mod calibrate;
mod measure;
mod plot;
mod runtime_file;
mod runtime_table;
mod tabulate;

pub use calibrate::set_up;
pub use calibrate::{CALIBRATION_COLUMNS, CalibrationPlan, CalibrationRow, calibrate};
pub use measure::{Depths, NotDepths, Runs, TimingEnd, sample_games};
pub use plot::{DepthCurve, DepthPlot, PlotError};
pub use runtime_file::{OpenedRuntimeFile, RuntimeError, RuntimeFile};
pub use runtime_table::{
    NotARuntimeTable, NotASearch, RUNTIME_COLUMNS, ReadRuntimeTable, RuntimeRow, RuntimeTable,
    SearchKind,
};
pub use tabulate::{RuntimeObserver, RuntimePlan, tabulate};
