//! Random positions by the thousand, and boards as arrays of cells; players that are functions of Python.

use std::sync::{Arc, Mutex, PoisonError};

use network::{Color, Move, Square};
use plyground::{Game as _, Side};
use plyground_host::player::{Answer, Player, Turn};
use plyground_host::{Fault, HostedPosition};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::game::Game;
use crate::position::Position;

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

/// The exception that ended a game, if one did.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A player that calls a Python object with the position and takes the move that it returns.
pub struct Callable {
    object: Py<PyAny>,
    raised: Raised,
}

impl Callable {
    /// Creates a player that keeps an exception of `object` in `raised`.
    pub fn new(object: Py<PyAny>, raised: Raised) -> Callable {
        Callable { object, raised }
    }
}

impl Player for Callable {
    /// Calls the object. An exception counts as a loss for neither player: it ends the match, and is raised
    /// again in Python.
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let answer = Python::attach(|py| {
            let position = Position { position: turn.position.clone() };
            self.object.call1(py, (position,))?.extract::<String>(py)
        });
        match answer {
            Ok(text) => match turn.position.clone().play_text(&text) {
                Ok(mv) => Ok(Answer::Move(mv.into())),
                Err(illegal) => Err(Fault::IllegalMove { why: illegal.to_string() }),
            },
            Err(error) => {
                let why = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(Fault::System { why })
            }
        }
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
