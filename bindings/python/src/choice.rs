//! The move that an engine chooses.

use plyground_host::{ChosenMove, SharedGame};
use pyo3::prelude::*;

use crate::value::Value;

/// The move that an engine chooses, with what it knows of it.
#[pyclass(frozen, get_all, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    #[pyo3(name = "move")]
    mv: String,
    /// What it is worth to the side that makes it.
    value: Value,
    /// How many plies the engine looked ahead, where that means anything.
    depth: Option<u32>,
    /// Where the move comes from: `"book"`, `"exact search"`, `"proof"` or `"depth N"`.
    source: String,
    /// Positions visited.
    nodes: u64,
}

impl Choice {
    pub fn new(chosen: &ChosenMove, game: &SharedGame) -> Choice {
        Choice {
            mv: chosen.mv.as_str().to_owned(),
            value: Value::new(chosen.value, game),
            depth: chosen.depth,
            source: chosen.source.to_string(),
            nodes: chosen.nodes,
        }
    }
}

#[pymethods]
impl Choice {
    fn __repr__(&self) -> String {
        format!("<Choice {} {} ({})>", self.mv, self.value.text(), self.source)
    }
}
