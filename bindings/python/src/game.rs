//! Games, by name, and their positions, with moves as text and as numbers.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use plyground::{Game as _, Outcome, Side};
use plyground_durable::excerpt;
use plyground_host::page::Layout;
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, MoveText, SharedGame, Text};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::{fill, is_whole, kind_of, whole, wrong};

/// The greatest depth of `perft`.
const MOST_PERFT: u64 = 100;

/// A game with its rules.
#[pyclass(frozen, from_py_object, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Game {
    pub data: Arc<GameData>,
}

/// A game with its frequently used data.
#[derive(Debug)]
pub struct GameData {
    pub shared: SharedGame,
    pub layout: Option<Layout>,
    pub actions: usize,
}

/// The games requested so far, by name and rules.
static KNOWN: LazyLock<Mutex<HashMap<(String, String), Game>>> = LazyLock::new(Mutex::default);

/// Returns the number of an action, or `None` for a negative number, which no action has.
fn number_of(action: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let Ok(number) = action.extract::<i64>() else {
        let found = action.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "expected action as a whole number, found {found}"
        )));
    };
    Ok(usize::try_from(number).ok())
}

/// Returns the names of all games.
pub fn names() -> Vec<&'static str> {
    games::all().iter().map(|game| game.name()).collect()
}

/// Returns the game of this name, with these rules or its usual rules.
///
/// Raises `ValueError` if there is no such game, or if the game has no such rules.
#[pyfunction]
#[pyo3(signature = (name, rules=None))]
pub fn game(name: &str, rules: Option<&str>) -> PyResult<Game> {
    let key = (name.to_owned(), rules.unwrap_or_default().to_owned());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(game) = known.get(&key) {
        return Ok(game.clone());
    }
    let game = Game::new(find(name, rules)?);
    known.insert(key, game.clone());
    Ok(game)
}

fn find(name: &str, rules: Option<&str>) -> PyResult<SharedGame> {
    let found = games::named(name).ok_or_else(|| {
        let names = names().join(", ");
        wrong(format_args!("expected one of the games {names}, found `{}`", excerpt(name)))
    })?;
    let Some(rules) = rules else { return Ok(found) };
    found.with_rules(rules).ok_or_else(|| {
        let sets = found.rule_sets().join(", ");
        wrong(format_args!("expected one of the rules {sets}, found `{}`", excerpt(rules)))
    })
}

/// Returns the position that a state file describes, by the name of its game and rules.
///
/// Raises `ValueError` with line and column if the file does not describe a position.
#[pyfunction]
pub fn position(name: &str, rules: &str, text: &str) -> PyResult<Position> {
    game(name, Some(rules))?.position(text)
}

/// Returns the game in a value.
#[pyfunction]
pub fn expect_game(value: &Bound<'_, PyAny>) -> PyResult<Game> {
    match value.cast::<Game>() {
        Ok(game) => Ok(game.get().clone()),
        Err(_) => Err(not_a("Game", value)?),
    }
}

/// Returns the position in a value, or the first position of a game.
#[pyfunction]
pub fn expect_start(value: &Bound<'_, PyAny>) -> PyResult<Position> {
    match (value.cast::<Game>(), value.cast::<Position>()) {
        (Ok(game), _) => Ok(game.get().start()),
        (_, Ok(position)) => Ok(position.get().clone()),
        _ => Err(not_a("Game or a Position", value)?),
    }
}

/// Returns the position in a value.
pub fn expect_position<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a Position> {
    match value.cast::<Position>() {
        Ok(position) => Ok(position.get()),
        Err(_) => Err(not_a("Position", value)?),
    }
}

/// Returns the error for a value that is not of the type `expected`, with the remedy.
fn not_a(expected: &str, value: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let found = if let Ok(name) = value.extract::<&str>() {
        match expected {
            "Position" => ", found text: game.position(text) reads it".to_owned(),
            _ => format!(": plyground.game(\"{}\")", excerpt(name)),
        }
    } else if value.is_instance_of::<Game>() {
        ", found a Game: game.start() is its first one".to_owned()
    } else if value.is_instance_of::<Position>() {
        ", found a Position: position.game is its game".to_owned()
    } else {
        format!(", found {}", kind_of(value)?)
    };
    Ok(PyTypeError::new_err(format!("expected a {expected}{found}")))
}

impl Game {
    pub fn new(shared: SharedGame) -> Game {
        let (layout, actions) = (shared.layout(), shared.actions());
        Game { data: Arc::new(GameData { shared, layout, actions }) }
    }

    /// Returns the hosted game.
    pub fn shared(&self) -> &SharedGame {
        &self.data.shared
    }

    /// Returns the board.
    pub fn layout(&self) -> PyResult<&Layout> {
        let no_board = || wrong(format_args!("{} has no board", self.data.shared.name()));
        self.data.layout.as_ref().ok_or_else(no_board)
    }

    /// Returns the name of the game and the name of its rules: `maxconnect4 standard`.
    pub fn rules_text(&self) -> String {
        format!("{} {}", self.shared().name(), self.shared().rules())
    }

    /// Returns a position of this game.
    pub fn at(&self, position: HostedPosition) -> Position {
        Position { position, game: self.clone() }
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        Arc::ptr_eq(&self.data, &other.data) || self.rules_text() == other.rules_text()
    }
}

#[pymethods]
impl Game {
    /// The name of the game: `"tictactoe"`.
    #[getter]
    fn name(&self) -> &'static str {
        self.shared().name()
    }

    /// The name of the rules: `"standard"`.
    #[getter]
    fn rules(&self) -> String {
        self.shared().rules()
    }

    /// The names of all rules of the game.
    #[getter]
    fn rule_sets(&self) -> Vec<String> {
        self.shared().rule_sets()
    }

    /// The number of rows and the number of columns.
    #[getter]
    fn shape(&self) -> PyResult<(usize, usize)> {
        let layout = self.layout()?;
        Ok((layout.rows, layout.columns))
    }

    /// The number of actions: the action of each move is less than this number.
    #[getter]
    pub fn actions(&self) -> PyResult<usize> {
        self.layout()?;
        Ok(self.data.actions)
    }

    /// Returns the position before the first move.
    fn start(&self) -> Position {
        self.at(self.shared().start())
    }

    /// Returns the position that a state file describes; its lines may also be joined by `/`.
    ///
    /// Raises `ValueError` with line and column if the file does not describe a position.
    pub fn position(&self, text: &str) -> PyResult<Position> {
        let text = StateText::new(text.to_owned());
        self.shared().parse_state(&text).map(|position| self.at(position)).map_err(wrong)
    }

    /// Returns the data of the board for the page, as JSON.
    fn layout_json(&self) -> PyResult<String> {
        serde_json::to_string(self.layout()?).map_err(wrong)
    }

    fn __repr__(&self) -> String {
        format!("plyground.game({:?}, {:?})", self.name(), self.rules())
    }

    fn __eq__(&self, other: &Game) -> bool {
        self == other
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.name(), self.rules()).into_pyobject(py)?.hash()
    }

    fn __reduce__(slf: &Bound<'_, Game>) -> PyResult<(Py<PyAny>, (String, String))> {
        let restore = slf.py().import("plyground")?.getattr("game")?;
        let game = slf.get();
        Ok((restore.unbind(), (game.name().to_owned(), game.rules())))
    }
}

/// A position. A position never changes: a move makes a new position.
#[pyclass(frozen, module = "plyground")]
#[derive(Clone)]
pub struct Position {
    pub position: HostedPosition,
    pub game: Game,
}

impl Position {
    fn legal(&self, text: &str) -> PyResult<MoveText> {
        let no_move = || wrong(format_args!("`{}` is no move", excerpt(text)));
        let mv = self.position.parse_move(text).ok_or_else(no_move)?;
        self.position.check_legal(mv).map_err(wrong)?;
        Ok(mv)
    }

    /// Returns the error for an action that is not legal.
    fn illegal_action(&self, action: &Bound<'_, PyAny>) -> PyErr {
        let legal = self.position.legal_actions();
        let shown: Vec<String> = legal.iter().take(8).map(usize::to_string).collect();
        let more = if legal.len() > shown.len() { ", ..." } else { "" };
        let expected = match legal.is_empty() {
            true => "the game is over: no action is legal".to_owned(),
            false => format!("expected one of the legal actions {}{more}", shown.join(", ")),
        };
        wrong(format_args!("{expected}; found {action}"))
    }
}

#[pymethods]
impl Position {
    /// The game, with the rules of the position.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The side to move: 0 for the side that moves first in a game, 1 for the other.
    #[getter]
    fn turn(&self) -> usize {
        self.position.side_to_move().index()
    }

    /// If true, the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.position.is_over()
    }

    /// The side that has won: 0 or 1; `None` during the game and after a draw.
    #[getter]
    fn winner(&self) -> Option<usize> {
        self.position.outcome().and_then(Outcome::winner).map(Side::index)
    }

    /// The points of both sides; `None` if the game has no points.
    #[getter]
    fn points(&self) -> Option<(i32, i32)> {
        self.position.points().map(|[first, second]| (first, second))
    }

    /// The greatest number of plies that can still be played; `None` if the rules set no limit.
    #[getter]
    fn plies_left(&self) -> Option<u32> {
        self.position.plies_left()
    }

    /// The state file, its lines separated by LF, with no LF after the last.
    #[getter]
    fn text(&self) -> String {
        self.position.state()
    }

    /// Returns 1 for the winner, -1 for the loser, and 0 for both after a draw and during the game.
    fn returns(&self) -> (f64, f64) {
        match self.winner() {
            Some(0) => (1.0, -1.0),
            Some(_) => (-1.0, 1.0),
            None => (0.0, 0.0),
        }
    }

    /// Returns the legal moves as text; an empty list if the game is over.
    fn legal_moves(&self) -> Vec<String> {
        self.position.legal_moves().map(|mv| mv.as_str().to_owned()).collect()
    }

    /// Returns true if a text is a legal move.
    fn is_legal(&self, mv: &str) -> bool {
        self.legal(mv).is_ok()
    }

    /// Returns the position after a move.
    ///
    /// Raises `ValueError` if the move is not legal.
    fn play(&self, mv: &Bound<'_, PyAny>) -> PyResult<Position> {
        let Ok(text) = mv.extract::<&str>() else {
            let mut why = format!("expected a move as text, found {}", kind_of(mv)?);
            if is_whole(mv) {
                why += &format!(
                    ": play_action({mv}) plays the action {mv}, and play(\"{mv}\") the move `{mv}`"
                );
            }
            return Err(PyTypeError::new_err(why));
        };
        let mut position = self.position.clone();
        position.play_text(text).map_err(wrong)?;
        Ok(self.game.at(position))
    }

    /// Returns the numbers of the legal moves; an empty list if the game is over.
    fn legal_actions(&self) -> PyResult<Vec<usize>> {
        self.game.layout()?;
        Ok(self.position.legal_actions())
    }

    /// Returns the position after the move with this number.
    ///
    /// Raises `ValueError` if the action is not legal.
    fn play_action(&self, action: &Bound<'_, PyAny>) -> PyResult<Position> {
        let next = number_of(action)?.and_then(|number| self.position.after_action(number));
        next.map(|next| self.game.at(next)).ok_or_else(|| self.illegal_action(action))
    }

    /// Returns the number of a legal move.
    ///
    /// Raises `ValueError` if the move is not legal.
    fn action_of(&self, mv: &str) -> PyResult<usize> {
        let action = self.position.action(self.legal(mv)?);
        action.ok_or_else(|| wrong(format_args!("{mv} has no number")))
    }

    /// Returns the legal move with this number, as text.
    ///
    /// Raises `ValueError` if the action is not legal.
    fn text_of(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        let mv = number_of(action)?.and_then(|number| self.position.move_of_action(number));
        mv.map(|mv| mv.as_str().to_owned()).ok_or_else(|| self.illegal_action(action))
    }

    /// Returns the cells of the pieces of the side to move, and of the pieces of its opponent: 2 x rows x columns, 1
    /// for a piece, otherwise 0. If `out` is given, the planes are written to it.
    #[pyo3(signature = (out=None))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.game.layout()?;
        let shape = [2, layout.rows, layout.columns];
        fill(py, out, &shape, |planes: &mut [u8]| self.position.write_planes(planes))
    }

    /// Returns a number for each action: 1 if the action is legal, otherwise 0. If `out` is given, the numbers are
    /// written to it.
    #[pyo3(signature = (out=None))]
    fn mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = [self.game.actions()?];
        fill(py, out, &shape, |mask: &mut [i8]| self.position.write_mask(mask))
    }

    /// Returns the number of sequences of exactly `depth` legal moves.
    fn perft(&self, py: Python<'_>, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
        let depth = whole("depth", depth, 0..=MOST_PERFT)? as u32;
        Ok(py.detach(|| self.position.perft(depth)))
    }

    /// Returns the data of the position for the page, as JSON.
    fn picture_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.position.picture()).map_err(wrong)
    }

    fn __str__(&self) -> String {
        self.position.text(Text::Board)
    }

    fn __repr__(&self) -> String {
        format!("<Position of {}: {}>", self.game.shared().name(), self.position.state_word())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Position>().is_ok_and(|other| self.position == other.get().position)
    }

    fn __hash__(&self) -> u64 {
        self.position.key()
    }

    fn __reduce__(slf: &Bound<'_, Position>) -> PyResult<(Py<PyAny>, (String, String, String))> {
        let restore = slf.py().import("plyground")?.getattr("position")?;
        let Position { position, game } = slf.get();
        let (name, rules) = (game.shared().name().to_owned(), game.shared().rules());
        Ok((restore.unbind(), (name, rules, position.state())))
    }
}
