//! The move that an engine chooses.

use plyground_host::{ChosenMove, SharedGame};
use pyo3::prelude::*;

use crate::value::Value;

/// The move that an engine chooses, with its value and its source.
#[pyclass(frozen, get_all, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    #[pyo3(name = "move")]
    mv: String,
    /// The value of the move for the side that makes it.
    value: Value,
    /// The depth of the search in plies; `None` if the source of the move has no depth.
    depth: Option<u32>,
    /// The source of the move: `"book"`, `"exact search"`, `"proof"` or `"depth N"`.
    source: String,
    /// The number of positions visited.
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
