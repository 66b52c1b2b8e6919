//! Random positions by the thousand, and players that are functions of Python.

use std::sync::{Arc, Mutex, PoisonError};

use plyground::Side;
use plyground_host::Fault;
use plyground_host::player::{Answer, Player, Turn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::board::{Board, Visit, with_board};
use crate::game::{Game, Position};

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
