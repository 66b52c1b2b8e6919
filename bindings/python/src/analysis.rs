//! The results of an analysis of a position.

use plyground_host::SharedGame;
use pyo3::prelude::*;

use crate::value::Value;

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
