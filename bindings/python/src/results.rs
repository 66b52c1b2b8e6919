//! The results of searches: the value of every move, a chosen move, and the value of a position.

use std::hash::{Hash, Hasher};

use plyground_host::{Bound as Kind, ChosenMove};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::wrong;
use crate::game::Game;

/// A statement about the result of best play: a score, and its relation to the result.
#[pyclass(frozen, eq, hash, from_py_object, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Value {
    value: plyground::Value,
    game: Game,
}

impl Value {
    pub fn new(value: plyground::Value, game: &Game) -> Value {
        Value { value, game: game.clone() }
    }

    /// Returns the value as people read it: `win in 5`, `+1.35`.
    pub fn text(&self) -> String {
        self.game.shared().show(self.value)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let name = |value: &Value| value.game.shared().name();
        self.value == other.value && name(self) == name(other)
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.value.hash(hasher);
    }
}

#[pymethods]
impl Value {
    /// Makes the value of this kind with this score.
    #[new]
    fn make(game: &Game, kind: &str, score: i32) -> PyResult<Value> {
        let most = plyground::Score::win_in(0).get();
        if !(-most..=most).contains(&score) {
            return Err(wrong(format_args!(
                "expected score from -{most} to {most}, found {score}"
            )));
        }
        let kind: Kind =
            kind.parse().map_err(|why| wrong(format_args!("{why} as kind, found `{kind}`")))?;
        Ok(Value::new(kind.with(plyground::Score::new(score)), game))
    }

    /// The relation to the result: `"exact"`, `"at-least"`, `"at-most"` or `"estimate"`.
    #[getter]
    fn kind(&self) -> String {
        Kind::of(self.value).to_string()
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
        is_margin.then(|| f64::from(score.get()) / f64::from(self.game.shared().point()))
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

    fn __reduce__<'py>(slf: &Bound<'py, Value>) -> (Bound<'py, PyType>, (Game, String, i32)) {
        let value = slf.get();
        (slf.get_type(), (value.game.clone(), value.kind(), value.score()))
    }
}

/// A move with its value and a line of play.
#[pyclass(frozen, get_all, eq, hash, from_py_object, module = "plyground")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnalyzedMove {
    /// The move.
    #[pyo3(name = "move")]
    mv: String,
    /// The value of the move for the side that makes it.
    value: Value,
    /// The depth of the search for the value, in plies.
    depth: u32,
    /// The moves that follow when both sides play best, the move itself first.
    pv: Vec<String>,
}

#[pymethods]
impl AnalyzedMove {
    #[new]
    fn new(r#move: String, value: Value, depth: u32, pv: Vec<String>) -> AnalyzedMove {
        AnalyzedMove { mv: r#move, value, depth, pv }
    }

    fn __repr__(&self) -> String {
        format!("<AnalyzedMove {} {}>", self.mv, self.value.text())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, AnalyzedMove>,
    ) -> (Bound<'py, PyType>, (String, Value, u32, Vec<String>)) {
        let AnalyzedMove { mv, value, depth, pv } = slf.get().clone();
        (slf.get_type(), (mv, value, depth, pv))
    }
}

/// The results of an analysis.
#[pyclass(frozen, get_all, eq, hash, module = "plyground")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Analysis {
    /// Every legal move, the best first.
    moves: Vec<AnalyzedMove>,
    /// The last depth that was finished for all moves, in plies.
    depth: u32,
    /// The number of positions visited.
    nodes: u64,
    /// If true, the value of every move is exact.
    is_complete: bool,
    /// The plies within which the side to move can force a win; negative if the opponent can force a win;
    /// `None` if no forced win was found.
    forced_win: Option<i64>,
}

impl Analysis {
    pub fn of(found: &plyground_host::Analysis, mover: plyground::Side, game: &Game) -> Analysis {
        let moves = found.lines.iter().filter_map(|line| {
            Some(AnalyzedMove {
                mv: line.pv.first()?.as_str().to_owned(),
                value: Value::new(line.value, game),
                depth: line.depth,
                pv: line.pv.iter().map(|mv| mv.as_str().to_owned()).collect(),
            })
        });
        let forced_win = found.forced.as_ref().map(|forced| {
            let plies = i64::from(forced.plies);
            if forced.winner == mover { plies } else { -plies }
        });
        let (depth, nodes, is_complete) = (found.depth, found.nodes, found.is_complete);
        Analysis { moves: moves.collect(), depth, nodes, is_complete, forced_win }
    }
}

#[pymethods]
impl Analysis {
    #[new]
    #[pyo3(signature = (moves, depth, nodes, is_complete, forced_win=None))]
    fn new(
        moves: Vec<AnalyzedMove>,
        depth: u32,
        nodes: u64,
        is_complete: bool,
        forced_win: Option<i64>,
    ) -> Analysis {
        Analysis { moves, depth, nodes, is_complete, forced_win }
    }

    /// The value of the best move; `None` if the game is over.
    #[getter]
    fn value(&self) -> Option<Value> {
        self.moves.first().map(|best| best.value.clone())
    }

    /// The best move; `None` if the game is over.
    #[getter]
    fn best_move(&self) -> Option<String> {
        self.moves.first().map(|best| best.mv.clone())
    }

    fn __repr__(&self) -> String {
        let moves = self.moves.iter().map(|line| format!("{} {}", line.mv, line.value.text()));
        format!("<Analysis depth {}: {}>", self.depth, moves.collect::<Vec<_>>().join(", "))
    }

    #[allow(clippy::type_complexity, reason = "the arguments of `new`")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Analysis>,
    ) -> (Bound<'py, PyType>, (Vec<AnalyzedMove>, u32, u64, bool, Option<i64>)) {
        let Analysis { moves, depth, nodes, is_complete, forced_win } = slf.get().clone();
        (slf.get_type(), (moves, depth, nodes, is_complete, forced_win))
    }
}

/// The move that an engine chooses, with its value and its source.
#[pyclass(frozen, get_all, eq, hash, module = "plyground")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    pub fn of(chosen: &ChosenMove, game: &Game) -> Choice {
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
    #[new]
    fn new(r#move: String, value: Value, depth: Option<u32>, source: String, nodes: u64) -> Choice {
        Choice { mv: r#move, value, depth, source, nodes }
    }

    fn __repr__(&self) -> String {
        format!("<Choice {} {} ({})>", self.mv, self.value.text(), self.source)
    }

    #[allow(clippy::type_complexity, reason = "the arguments of `new`")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Choice>,
    ) -> (Bound<'py, PyType>, (String, Value, Option<u32>, String, u64)) {
        let Choice { mv, value, depth, source, nodes } = slf.get().clone();
        (slf.get_type(), (mv, value, depth, source, nodes))
    }
}
