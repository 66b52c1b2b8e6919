//! Timing: the CPU time of choosing one move, for one search depth after the other.
//!
//! Two tables come of the same measurement:
//!
//! * [`tabulate`] times our own searches, cold, in one position, as a [`RuntimePlan`] says. Its
//!   [`RuntimeTable`] is kept in a [`RuntimeFile`], from which a killed run resumes.
//! * [`calibrate`] times any [`Player`](plyground_host::player::Player) that can be told how many
//!   plies to look ahead, in many positions, as a [`CalibrationPlan`] says: the slowest move of a
//!   game is seldom the first.
//!
//! [`DepthPlot`] draws either.

mod calibrate;
mod calibration_row;
mod csv_line;
mod depths;
mod measure;
mod plot;
mod runtime_error;
mod runtime_file;
mod runtime_row;
mod runtime_table;
mod sample;
mod tabulate;

pub(crate) use calibrate::set_up;
pub use calibrate::{CalibrationPlan, calibrate};
pub use calibration_row::{CALIBRATION_COLUMNS, CalibrationRow};
pub use depths::{Depths, NotDepths};
pub use measure::{Runs, TimingEnd};
pub use plot::{DepthCurve, DepthPlot, PlotError};
pub use runtime_error::RuntimeError;
pub use runtime_file::{OpenedRuntimeFile, RuntimeFile};
pub use runtime_row::{NotASearch, RuntimeRow, SearchKind};
pub use runtime_table::{NotARuntimeTable, RUNTIME_COLUMNS, ReadRuntimeTable, RuntimeTable};
pub use sample::sample_games;
pub use tabulate::{RuntimeObserver, RuntimePlan, tabulate};
