//! A Python callable as a player.

use std::sync::{Arc, Mutex, PoisonError};

use plyground_host::Fault;
use plyground_host::player::{Answer, Player, Turn};
use pyo3::prelude::*;

use crate::position::Position;

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
