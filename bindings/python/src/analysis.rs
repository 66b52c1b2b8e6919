//! The results of searches: the value of every move, a chosen move, and the value of a position.

use std::hash::{DefaultHasher, Hash, Hasher};

use plyground_host::{Bound, ChosenMove, SharedGame};
use pyo3::prelude::*;

/// A move with its value and a line of play.
#[pyclass(frozen, get_all, module = "plyground")]
#[derive(Clone, Debug)]
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

/// The results of an analysis.
#[pyclass(frozen, get_all, module = "plyground")]
#[derive(Clone, Debug)]
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
    pub fn new(
        found: &plyground_host::Analysis,
        mover: plyground::Side,
        game: &SharedGame,
    ) -> Analysis {
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
        Analysis {
            moves: moves.collect(),
            depth: found.depth,
            nodes: found.nodes,
            is_complete: found.is_complete,
            forced_win,
        }
    }
}

#[pymethods]
impl AnalyzedMove {
    fn __repr__(&self) -> String {
        format!("<AnalyzedMove {} {}>", self.mv, self.value_text())
    }
}

impl AnalyzedMove {
    fn value_text(&self) -> String {
        self.value.text()
    }
}

#[pymethods]
impl Analysis {
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
        let moves: Vec<_> =
            self.moves.iter().map(|line| format!("{} {}", line.mv, line.value_text())).collect();
        format!("<Analysis depth {}: {}>", self.depth, moves.join(", "))
    }
}

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
