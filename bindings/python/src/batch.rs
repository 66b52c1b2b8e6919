//! Batches of positions that step together, and of random positions.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::prelude::*;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use plyground_host::{HostedBatch, StepOptions, StepResults};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::engine::interruptible;
use crate::game::{Game, Position, expect_game};
use crate::{fill, seed as seed_of, whole, wrong};

/// The greatest number of positions in a batch.
const MOST: u64 = 10_000_000;

/// The rewards of the two sides, and two flags for each game: over by the rules, and over by its length.
type Stepped<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>);

/// Many positions of one game that step together.
#[pyclass(frozen, module = "plyground")]
pub struct Batch {
    game: Game,
    options: StepOptions,
    games: Mutex<Games>,
}

struct Games {
    batch: Box<dyn HostedBatch>,
    rng: StdRng,
}

impl Batch {
    fn of(game: Game, batch: Box<dyn HostedBatch>, options: StepOptions, rng: StdRng) -> Batch {
        Batch { game, options, games: Mutex::new(Games { batch, rng }) }
    }

    fn games(&self) -> MutexGuard<'_, Games> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work on the games while other Python threads run.
    fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Games) -> T + Send) -> T {
        py.detach(|| work(&mut self.games()))
    }
}

#[pymethods]
impl Batch {
    /// Starts `size` games. With `resets`, a game that ends starts anew. After `most_plies`, a game ends without a
    /// winner. `seed` is the seed of `sample`.
    #[new]
    #[pyo3(signature = (game, size, *, resets=false, most_plies=None, seed=None))]
    fn new(
        game: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
        resets: bool,
        most_plies: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        let game = expect_game(game)?;
        game.layout()?;
        let size = whole("size", size, 1..=MOST)? as usize;
        let most = |plies| whole("most_plies", plies, 1..=u64::from(u16::MAX));
        let most_plies = most_plies.map(most).transpose()?.map(|plies| plies as u16);
        let rng = StdRng::seed_from_u64(seed.map_or(Ok(0), seed_of)?);
        let options = StepOptions { resets, most_plies };
        let batch = game.shared().batch(size);
        Ok(Batch::of(game, batch, options, rng))
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    fn __len__(&self) -> usize {
        self.games().batch.size()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Position> {
        let games = self.games();
        let size = games.batch.size();
        let from_start = if index < 0 { index + size as isize } else { index };
        let found = usize::try_from(from_start).ok().filter(|&index| index < size);
        let found = found.ok_or_else(|| {
            PyIndexError::new_err(format!("expected an index below {size}, found {index}"))
        })?;
        Ok(self.game.at(games.batch.position(found)))
    }

    /// Starts all games anew.
    fn reset(&self, py: Python<'_>) {
        self.detached(py, |games| games.batch.reset());
    }

    /// Plays an action in each game. The actions of finished games are ignored. Returns the rewards of the two sides
    /// in each game, and two flags for each game: over by the rules, and over by `most_plies`.
    ///
    /// Raises `ValueError` if an action is illegal; then no action is played.
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let actions = numbers(actions)?;
        let (actions, size) = (actions.as_slice()?, self.__len__());
        if actions.len() != size {
            let why =
                format!("expected {size} actions, one for each game, found {}", actions.len());
            return Err(wrong(why));
        }
        let rewards = PyArray2::<f32>::zeros(py, [size, 2], false);
        let [terminated, truncated] = [(); 2].map(|()| PyArray1::<bool>::zeros(py, size, false));
        {
            let mut rewards = rewards.readwrite();
            let (mut terminated, mut truncated) = (terminated.readwrite(), truncated.readwrite());
            let results = StepResults {
                rewards: rewards.as_slice_mut()?,
                terminated: terminated.as_slice_mut()?,
                truncated: truncated.as_slice_mut()?,
            };
            self.detached(py, |games| games.batch.step(actions, self.options, results))
                .map_err(wrong)?;
        }
        Ok((rewards, terminated, truncated))
    }

    /// Returns a random legal action for each game, all with the same probability; 0 for finished games.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let actions = PyArray1::<i64>::zeros(py, self.__len__(), false);
        {
            let mut actions = actions.readwrite();
            let actions = actions.as_slice_mut()?;
            self.detached(py, |Games { batch, rng }| batch.write_random_actions(rng, actions));
        }
        Ok(actions)
    }

    /// Returns the planes of all positions: games x 2 x rows x columns. If `out` is given, the planes are written to
    /// it.
    #[pyo3(signature = (out=None))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.game.layout()?;
        let shape = [self.__len__(), 2, layout.rows, layout.columns];
        fill(py, out, &shape, |planes: &mut [u8]| {
            self.detached(py, |games| games.batch.write_planes(planes));
        })
    }

    /// Returns the masks of all positions: games x actions. If `out` is given, the masks are written to it.
    #[pyo3(signature = (out=None))]
    fn mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = [self.__len__(), self.game.actions()?];
        fill(py, out, &shape, |mask: &mut [i8]| {
            self.detached(py, |games| games.batch.write_mask(mask));
        })
    }

    /// The sides to move: 0 or 1.
    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        fill(py, None, &[self.__len__()], |turns: &mut [u8]| {
            self.detached(py, |games| games.batch.write_turns(turns));
        })
    }

    /// The number of moves made in each game.
    #[getter]
    fn ply<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        PyArray1::from_slice(py, self.games().batch.plies())
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} positions of {}>", self.__len__(), self.game.rules_text())
    }
}

/// Returns whole numbers as an array.
fn numbers<'py>(values: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, i64>> {
    if let Ok(array) = values.cast::<PyArray1<i64>>()
        && array.is_contiguous()
    {
        return Ok(array.try_readonly()?);
    }
    let numpy = values.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (values,))?;
    let kind = array.getattr("dtype")?.getattr("kind")?.extract::<String>()?;
    if !matches!(kind.as_str(), "i" | "u") {
        return Err(PyTypeError::new_err("expected actions as an array of whole numbers"));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    let array = array.cast_into::<PyArray1<i64>>();
    let array = array.map_err(|_| wrong("expected actions with one number for each game"))?;
    Ok(array.try_readonly()?)
}

/// Returns `count` positions of random games, one after the other, from the start of each game to its last
/// move. The same seed draws the same positions.
#[pyfunction]
pub fn random_positions(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    count: &Bound<'_, PyAny>,
    seed: &Bound<'_, PyAny>,
) -> PyResult<Batch> {
    let game = expect_game(game)?;
    game.layout()?;
    let count = whole("count", count, 0..=MOST)? as usize;
    let mut rng = StdRng::seed_from_u64(seed_of(seed)?);
    let stop = Arc::new(AtomicBool::new(false));
    let batch = interruptible(py, &stop, || game.shared().random_batch(count, &mut rng, &stop))?;
    let batch = batch.ok_or_else(|| wrong("the drawing was stopped"))?;
    Ok(Batch::of(game, batch, StepOptions::default(), rng))
}
