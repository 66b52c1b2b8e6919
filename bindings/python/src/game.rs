//! Games, by name.

use plyground::Game as _;
use plyground_durable::excerpt;
use plyground_host::SharedGame;
use plyground_host::page::Layout;
use plyground_host::state::StateText;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::position::Position;

/// A game with its rules.
#[pyclass(frozen, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Game {
    pub shared: SharedGame,
}

/// Returns the names of all games.
pub fn names() -> Vec<&'static str> {
    games::all().iter().map(|game| game.name()).collect()
}

/// Returns the game of this name, with these rules or its usual ones.
///
/// Raises `ValueError` if there is no such game, or it has no such rules.
#[pyfunction]
#[pyo3(signature = (name, rules=None))]
pub fn game(name: &str, rules: Option<&str>) -> PyResult<Game> {
    let found = games::all().into_iter().find(|game| game.name() == name);
    let found = found.ok_or_else(|| {
        let names = names().join(", ");
        PyValueError::new_err(format!(
            "expected one of the games {names}, found `{}`",
            excerpt(name)
        ))
    })?;
    let Some(rules) = rules else { return Ok(Game { shared: found }) };
    let shared = found.with_rules(rules).ok_or_else(|| {
        let sets = found.rule_sets().join(", ");
        PyValueError::new_err(format!(
            "expected one of the rules {sets}, found `{}`",
            excerpt(rules)
        ))
    })?;
    Ok(Game { shared })
}

/// Returns the position that a state file describes, by the name of its game and rules.
///
/// Raises `ValueError` with line and column if the file does not describe a position.
#[pyfunction]
pub fn position(name: &str, rules: &str, text: &str) -> PyResult<Position> {
    game(name, Some(rules))?.position(text)
}

impl Game {
    /// Returns the board.
    pub fn layout(&self) -> PyResult<Layout> {
        let no_board = || PyValueError::new_err(format!("{} has no board", self.shared.name()));
        self.shared.layout().ok_or_else(no_board)
    }
}

#[pymethods]
impl Game {
    /// The name of the game: `"maxconnect4"`.
    #[getter]
    fn name(&self) -> &'static str {
        self.shared.name()
    }

    /// The name of the rules: `"standard"`.
    #[getter]
    fn rules(&self) -> String {
        self.shared.rules()
    }

    /// The names of all rules of the game.
    #[getter]
    fn rule_sets(&self) -> Vec<String> {
        self.shared.rule_sets()
    }

    /// The number of rows and the number of columns.
    #[getter]
    fn shape(&self) -> PyResult<(usize, usize)> {
        let layout = self.layout()?;
        Ok((layout.rows, layout.columns))
    }

    /// The number of actions; see `Position.action`.
    #[getter]
    fn actions(&self) -> PyResult<usize> {
        let layout = self.layout()?;
        let cells = layout.rows * layout.columns;
        Ok(if layout.falls { layout.columns } else { cells + cells * cells })
    }

    /// Returns the position before the first move.
    fn start(&self) -> Position {
        Position { position: self.shared.start() }
    }

    /// Returns the position that a state file describes; its lines may also be joined by `/`.
    ///
    /// Raises `ValueError` with line and column if the file does not describe a position.
    pub fn position(&self, text: &str) -> PyResult<Position> {
        let text = StateText::new(text.to_owned());
        match self.shared.parse_state(&text) {
            Ok(position) => Ok(Position { position }),
            Err(error) => Err(PyValueError::new_err(error.to_string())),
        }
    }

    /// Returns the data of the board for the page, as JSON.
    fn layout_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.layout()?)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn __repr__(&self) -> String {
        format!("plyground.game({:?}, {:?})", self.name(), self.rules())
    }

    fn __eq__(&self, other: &Game) -> bool {
        self.name() == other.name() && self.rules() == other.rules()
    }

    fn __hash__(&self) -> u64 {
        self.shared.start().key()
    }

    fn __reduce__(slf: &Bound<'_, Game>) -> PyResult<(Py<PyAny>, (String, String))> {
        let restore = slf.py().import("plyground")?.getattr("game")?;
        let game = slf.get();
        Ok((restore.unbind(), (game.name().to_owned(), game.rules())))
    }
}
