//! Values, which tell if they are exact.

use std::hash::{DefaultHasher, Hash, Hasher};

use plyground_host::{Bound, SharedGame};
use pyo3::prelude::*;

/// A statement about the result of best play: a score, and its relation to the result.
#[pyclass(frozen, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Value {
    value: plyground::Value,
    game: SharedGame,
}

impl Value {
    pub fn new(value: plyground::Value, game: &SharedGame) -> Value {
        Value { value, game: SharedGame::clone(game) }
    }

    /// Returns the value as people read it: `win in 5`, `+1.35`.
    pub fn text(&self) -> String {
        self.game.show(self.value)
    }
}

#[pymethods]
impl Value {
    /// The relation to the result: `"exact"`, `"at-least"`, `"at-most"` or `"estimate"`.
    #[getter]
    fn kind(&self) -> String {
        Bound::of(self.value).to_string()
    }

    /// If true, the score is the result of best play.
    #[getter]
    fn is_exact(&self) -> bool {
        self.value.is_exact()
    }

    /// The score as a number, from -30000 to 30000; see the chapter on values.
    #[getter]
    fn score(&self) -> i32 {
        self.value.score().get()
    }

    /// The margin in points; `None` for a forced win or loss.
    #[getter]
    fn points(&self) -> Option<f64> {
        let score = self.value.score();
        let is_margin = score.plies_to_end().is_none();
        is_margin.then(|| f64::from(score.get()) / f64::from(self.game.point()))
    }

    /// The plies to a forced win, negative for a forced loss; `None` if neither is forced.
    #[getter]
    fn plies(&self) -> Option<i32> {
        self.value.score().plies_to_end()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Value {}: {}>", self.kind(), self.text())
    }

    fn __eq__(&self, other: &Value) -> bool {
        self.value == other.value
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.value.hash(&mut hasher);
        hasher.finish()
    }
}
