//! Games, by name, their positions, the boards of positions as arrays of cells, and random positions by the
//! thousand.

use network::{Color, Move, Square};
use plyground::{Game as _, Outcome, Side};
use plyground_durable::excerpt;
use plyground_host::page::{Layout, Path};
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, MoveText, SharedGame, Text};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

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

/// A position. It never changes: a move makes a new position.
#[pyclass(frozen, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Position {
    pub position: HostedPosition,
}

impl Position {
    /// Returns the move that a text stands for, if it is legal.
    fn legal(&self, mv: &str) -> PyResult<MoveText> {
        let mut after = self.position.clone();
        after.play_text(mv).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn layout(&self) -> PyResult<Layout> {
        self.game().layout()
    }
}

/// Returns the number of a move on this board: the column if pieces fall. Otherwise the number of the cell
/// for a new piece, and after those the numbers of the pairs of cells from and to which a piece is moved.
fn action_of(layout: &Layout, path: Path) -> Option<usize> {
    let cells = layout.rows * layout.columns;
    let to = path.to?;
    Some(match path.from {
        _ if layout.falls => to % layout.columns,
        None => to,
        Some(from) => cells + from * cells + to,
    })
}

#[pymethods]
impl Position {
    /// The game, with the rules of the position.
    #[getter]
    fn game(&self) -> Game {
        Game { shared: self.position.game() }
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
        let side = match self.position.outcome()? {
            Outcome::Win(side) => side,
            Outcome::Points { first, second } if first > second => Side::First,
            Outcome::Points { first, second } if first < second => Side::Second,
            Outcome::Points { .. } | Outcome::Draw => return None,
        };
        Some(side.index())
    }

    /// The points of both sides; `None` if the game has no points.
    #[getter]
    fn points(&self) -> Option<(i32, i32)> {
        self.position.points().map(|[first, second]| (first, second))
    }

    /// The greatest number of plies that can still be played; `None` if the rules do not limit it.
    #[getter]
    fn plies_left(&self) -> Option<u32> {
        self.position.plies_left()
    }

    /// The state file, its lines separated by LF, with no LF after the last.
    #[getter]
    fn text(&self) -> String {
        self.position.state()
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
    fn play(&self, mv: &str) -> PyResult<Position> {
        let mut position = self.position.clone();
        position.play_text(mv).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Position { position })
    }

    /// Returns the number of sequences of exactly `depth` legal moves.
    fn perft(&self, py: Python<'_>, depth: u32) -> u64 {
        py.detach(|| self.position.perft(depth))
    }

    /// Returns the number of a legal move, from 0 to one less than `Game.actions`: its column if pieces fall.
    /// Otherwise the number of the cell for a new piece, and after those the numbers of the pairs of cells
    /// from and to which a piece is moved.
    fn action(&self, mv: &str) -> PyResult<usize> {
        let path = self.position.path(self.legal(mv)?);
        action_of(&self.layout()?, path)
            .ok_or_else(|| PyValueError::new_err(format!("{mv} has no cell")))
    }

    /// Returns the legal moves with their numbers.
    fn actions(&self) -> PyResult<Vec<(usize, String)>> {
        let layout = self.layout()?;
        let moves = self.position.legal_moves();
        let numbered = moves.filter_map(|mv| {
            Some((action_of(&layout, self.position.path(mv))?, mv.as_str().to_owned()))
        });
        Ok(numbered.collect())
    }

    /// Returns the cells of the pieces of the side to move, and those of its opponent.
    fn plane_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let planes = with_board(&self.position, ToPlanes);
        let planes = planes.ok_or_else(|| PyValueError::new_err("this game has no board"))?;
        Ok(PyBytes::new(py, &planes))
    }

    /// Returns the data of the position for the page, as JSON.
    fn picture_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.position.picture())
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn __str__(&self) -> String {
        self.position.text(Text::Board)
    }

    fn __repr__(&self) -> String {
        let game = self.position.game();
        format!("<Position of {}: {}>", game.name(), self.position.state_word())
    }

    fn __eq__(&self, other: &Position) -> bool {
        self.position == other.position
    }

    fn __hash__(&self) -> u64 {
        self.position.key()
    }

    fn __reduce__(slf: &Bound<'_, Position>) -> PyResult<(Py<PyAny>, (String, String, String))> {
        let restore = slf.py().import("plyground")?.getattr("position")?;
        let position = &slf.get().position;
        let game = position.game();
        Ok((restore.unbind(), (game.name().to_owned(), game.rules(), position.state())))
    }
}

/// A position with a board.
pub trait Board: plyground::Game {
    /// Returns the number of cells.
    fn cells(&self) -> usize;

    /// Returns the cells with a piece of a side, numbered by rows from the top, and in a row from the left.
    fn pieces(&self, side: Side) -> impl Iterator<Item = usize>;

    /// Returns a legal move, each with the same probability, in a position in which the game is not over.
    fn random_move(&self, rng: &mut StdRng) -> Self::Move;

    /// Appends the cells of the pieces of the side to move, and then those of its opponent, one byte for each
    /// cell.
    fn write_planes(&self, planes: &mut Vec<u8>) {
        let (start, cells) = (planes.len(), self.cells());
        planes.resize(start + 2 * cells, 0);
        let (own, others) = planes[start..].split_at_mut(cells);
        let mover = self.side_to_move();
        self.pieces(mover).for_each(|cell| own[cell] = 1);
        self.pieces(mover.other()).for_each(|cell| others[cell] = 1);
    }
}

impl Board for maxconnect4::Position {
    fn cells(&self) -> usize {
        let size = self.size();
        usize::from(size.rows()) * usize::from(size.columns())
    }

    fn pieces(&self, side: Side) -> impl Iterator<Item = usize> {
        let (rows, columns) = (self.size().rows(), usize::from(self.size().columns()));
        let cell = move |(column, row)| usize::from(rows - 1 - row) * columns + usize::from(column);
        self.cells_of(side).map(cell)
    }

    fn random_move(&self, rng: &mut StdRng) -> Self::Move {
        let count = self.legal_moves().count();
        self.legal_moves().nth(rng.random_range(0..count)).expect("fewer than there are")
    }
}

impl Board for network::Position {
    fn cells(&self) -> usize {
        Square::COUNT
    }

    fn pieces(&self, side: Side) -> impl Iterator<Item = usize> {
        self.chips(self.rules().color(side)).iter().map(Square::index)
    }

    fn random_move(&self, rng: &mut StdRng) -> Move {
        loop {
            let mv = random_candidate(self, self.to_move(), rng);
            // Under rules that forbid networks of both colors, a step that makes both is no candidate.
            if mv.from().is_none()
                || self.rules() == network::Rules::Berkeley
                || self.check_legal(mv).is_ok()
            {
                return mv;
            }
        }
    }
}

/// Returns a move that is legal as far as single squares and groups go. Listing all moves takes ten times as
/// long.
fn random_candidate(position: &network::Position, color: Color, rng: &mut StdRng) -> Move {
    if position.in_hand(color) > 0 {
        let targets = position.add_targets(color);
        let index = rng.random_range(0..targets.len());
        return Move::new(None, targets.iter().nth(index).expect("fewer than there are"));
    }
    let steps =
        || position.chips(color).iter().map(|from| (from, position.step_targets(color, from)));
    let mut index = rng.random_range(0..steps().map(|(_, targets)| targets.len()).sum());
    for (from, targets) in steps() {
        if index < targets.len() {
            return Move::new(Some(from), targets.iter().nth(index).expect("fewer than there are"));
        }
        index -= targets.len();
    }
    unreachable!("fewer than there are")
}

/// A computation on a position as the type that its game has for it.
pub trait Visit {
    /// The result.
    type Output;
    /// Computes the result for a position.
    fn visit<B: Board>(self, position: &B) -> Self::Output;
}

/// Passes the position of one of our games to `visit`; returns `None` for a game without a [`Board`].
pub fn with_board<V: Visit>(position: &HostedPosition, visit: V) -> Option<V::Output> {
    if let Some(position) = position.typed::<maxconnect4::Position>() {
        return Some(visit.visit(position));
    }
    position.typed::<network::Position>().map(|position| visit.visit(position))
}

/// Makes the planes of one position.
pub struct ToPlanes;

impl Visit for ToPlanes {
    type Output = Vec<u8>;

    fn visit<B: Board>(self, position: &B) -> Vec<u8> {
        let mut planes = Vec::new();
        position.write_planes(&mut planes);
        planes
    }
}

/// The greatest number of positions in one array.
const MOST: usize = 100_000_000;

/// Positions, one after the other, as bytes.
struct Batch {
    planes: Vec<u8>,
    sides: Vec<u8>,
    plies: Vec<u8>,
}

/// Random games from a position.
struct RandomGames {
    count: usize,
    seed: u64,
}

impl Visit for RandomGames {
    type Output = Batch;

    fn visit<B: Board>(self, start: &B) -> Batch {
        let mut rng = StdRng::seed_from_u64(self.seed);
        let mut batch = Batch {
            planes: Vec::with_capacity(self.count * 2 * start.cells()),
            sides: Vec::with_capacity(self.count),
            plies: Vec::with_capacity(self.count * size_of::<u16>()),
        };
        let (mut position, mut ply) = (start.clone(), 0_u16);
        for _ in 0..self.count {
            position.write_planes(&mut batch.planes);
            batch.sides.push(u8::from(position.side_to_move() == Side::Second));
            batch.plies.extend(ply.to_ne_bytes());
            position.play_unchecked(position.random_move(&mut rng));
            ply += 1;
            if position.outcome().is_some() {
                (position, ply) = (start.clone(), 0);
            }
        }
        batch
    }
}

/// Returns `count` positions of random games, one after the other, each game from its start to its last move.
/// The parts of the result are the planes, the sides to move and the numbers of plies played, each as bytes;
/// the plies are 16-bit numbers in the byte order of the computer.
#[pyfunction]
pub fn random_batch<'py>(
    py: Python<'py>,
    game: &Bound<'_, Game>,
    count: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    if count > MOST {
        let why = format!("expected at most {MOST} positions, found {count}");
        return Err(PyValueError::new_err(why));
    }
    let start = game.get().shared.start();
    let batch = py.detach(|| with_board(&start, RandomGames { count, seed }));
    let Batch { planes, sides, plies } =
        batch.ok_or_else(|| PyValueError::new_err("this game has no board"))?;
    Ok((PyBytes::new(py, &planes), PyBytes::new(py, &sides), PyBytes::new(py, &plies)))
}
