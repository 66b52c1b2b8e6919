//! The native part of the Python package `plyground`: games behind text, as in [`plyground_host`], with
//! searches that release the interpreter.
//!
//! `python/plyground` has the parts that are better written in Python: drawings, iterators and environments.

#![cfg(feature = "extension-module")]

mod arguments;
mod batch;
mod dataset;
mod duel;
mod engine;
mod game;

use pyo3::prelude::*;

/// The native part of the package `plyground`.
#[pymodule]
mod _plyground {
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch::{Batch, random_positions};
    #[pymodule_export]
    use super::dataset::LabelStream;
    #[pymodule_export]
    use super::duel::{play_game, play_pairs, read_record, review_record, summarize_reviews};
    #[pymodule_export]
    use super::engine::{Analysis, AnalyzedMove, Choice, Engine, Value};
    #[pymodule_export]
    use super::game::{Game, Position, expect_game, expect_start, game, position};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        if plyground_sandbox::is_inside() {
            let why = "plyground does not run in one of its sandboxes: a submission plays itself";
            return Err(PyImportError::new_err(why));
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__build__", games::instructions())?;
        module.add("GAMES", super::game::names())
    }
}
