//! A stream of labeled positions, from threads on all cores.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{mem, thread};

use numpy::prelude::*;
use numpy::{Element, PyArray1, PyArrayDyn};
use plyground::{Game as _, Side};
use plyground_host::{HostedEngine, HostedPosition, Label, LabelRequest};
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::engine::{MOST_TABLE_MIB, make_engine};
use crate::game::{Game, Position};
use crate::{seed as seed_of, threads as threads_of, whole, wrong};

/// The greatest number of finished rows that wait to be read; then the threads wait.
const MOST_WAITING: usize = 4096;
/// The number of random games in a row without a new position after which the drawing ends.
const MOST_VAIN: usize = 20_000;
/// The time between two checks for a signal in Python.
const TICK: Duration = Duration::from_millis(50);
/// The greatest number of positions, and the greatest number of plies before a position.
const MOST_POSITIONS: u64 = 1 << 40;
const MOST_PLIES: u64 = 10_000;

/// A position that waits for its label.
struct Drawn {
    index: u64,
    position: HostedPosition,
    ply: u16,
}

/// The source of positions.
enum Source {
    Random(Box<RandomGames>),
    /// Positions of the caller, in their order.
    Given(std::vec::IntoIter<Drawn>),
}

impl Source {
    /// Draws a position in which the game goes on; `None` if all positions are drawn.
    ///
    /// # Errors
    ///
    /// Returns the reason if there are fewer positions than requested.
    fn draw(&mut self) -> Result<Option<Drawn>, String> {
        match self {
            Source::Random(games) => games.draw(),
            Source::Given(positions) => Ok(positions.next()),
        }
    }
}

/// Random games of random length.
struct RandomGames {
    start: HostedPosition,
    rng: StdRng,
    plies: (usize, usize),
    left: u64,
    next: u64,
    /// The keys of the drawn positions; `None` if a position may come again.
    known: Option<HashSet<u64>>,
}

impl RandomGames {
    fn draw(&mut self) -> Result<Option<Drawn>, String> {
        if self.left == 0 {
            return Ok(None);
        }
        let (low, high) = self.plies;
        for _ in 0..MOST_VAIN {
            let ply = self.rng.random_range(low..=high);
            let (moves, position) = self.start.after_random_moves(&mut self.rng, ply);
            let is_new = |known: &mut HashSet<u64>| known.insert(position.key());
            if moves.len() < ply || position.is_over() || !self.known.as_mut().is_none_or(is_new) {
                continue;
            }
            let index = self.next;
            (self.next, self.left) = (index + 1, self.left - 1);
            return Ok(Some(Drawn { index, position, ply: ply as u16 }));
        }
        let left = mem::take(&mut self.left);
        Err(format!(
            "expected {left} positions more after {low} to {high} plies, found no new one in {MOST_VAIN} \
             random games: ask for fewer, for other plies, or with unique=False"
        ))
    }
}

/// A labeled position.
struct Row {
    drawn: Drawn,
    label: Label,
}

/// A message of a thread: a row, or the reason why there are no more rows.
type Message = Result<Row, String>;

/// The threads that label.
struct Workers {
    stop: Arc<AtomicBool>,
    rows: Option<Receiver<Message>>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Dropping the receiver wakes the threads that wait to send.
        self.rows = None;
        for thread in mem::take(&mut self.threads) {
            // A panic was already reported.
            let _ = thread.join();
        }
    }
}

/// Labels positions until there are no more positions or no receiver.
fn work(
    engine: &mut dyn HostedEngine,
    source: &Mutex<Source>,
    request: &LabelRequest,
    rows: &SyncSender<Message>,
) {
    loop {
        let drawn = source.lock().unwrap_or_else(PoisonError::into_inner).draw();
        let message = match drawn {
            Ok(None) => return,
            Ok(Some(drawn)) => match engine.label(&drawn.position, request) {
                Ok(Some(label)) => Ok(Row { drawn, label }),
                Ok(None) => return,
                Err(error) => Err(error.to_string()),
            },
            Err(why) => Err(why),
        };
        let is_last = message.is_err();
        if rows.send(message).is_err() || is_last {
            return;
        }
    }
}

/// A stream of labeled positions, which has threads of its own.
#[pyclass(frozen, module = "plyground._plyground")]
pub struct LabelStream {
    game: Game,
    every_move: bool,
    state: Mutex<State>,
}

struct State {
    workers: Workers,
    /// The received rows that must wait for an earlier row.
    early: HashMap<u64, Row>,
    next: u64,
    count: u64,
}

impl State {
    /// Receives rows until `rows` has `wanted` rows in order, or all remaining rows. Returns false if the rows have
    /// not come within [`TICK`].
    fn receive(&mut self, rows: &mut Vec<Row>, wanted: usize) -> Result<bool, String> {
        let until = Instant::now() + TICK;
        loop {
            while rows.len() < wanted {
                let Some(row) = self.early.remove(&self.next) else { break };
                self.next += 1;
                rows.push(row);
            }
            if rows.len() == wanted || self.next == self.count {
                return Ok(true);
            }
            let Some(receiver) = &self.workers.rows else { return Ok(true) };
            match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(row) => {
                    let row = row?;
                    self.early.insert(row.drawn.index, row);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("a thread has ended before its time".to_owned());
                }
            }
        }
    }
}

/// The way in which positions get labels.
struct Labeling<'a, 'py> {
    depth: Option<&'a Bound<'py, PyAny>>,
    every_move: bool,
    threads: &'a Bound<'py, PyAny>,
    table: &'a Bound<'py, PyAny>,
}

#[pymethods]
impl LabelStream {
    /// Starts threads that label `count` positions, after `plies` random moves.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the wrapper in Python names them")]
    fn new(
        py: Python<'_>,
        game: &Game,
        count: &Bound<'_, PyAny>,
        seed: &Bound<'_, PyAny>,
        plies: (Bound<'_, PyAny>, Bound<'_, PyAny>),
        depth: Option<&Bound<'_, PyAny>>,
        every_move: bool,
        unique: bool,
        threads: &Bound<'_, PyAny>,
        table: &Bound<'_, PyAny>,
    ) -> PyResult<LabelStream> {
        let count = whole("n", count, 0..=MOST_POSITIONS)?;
        let start = game.shared().start();
        // After the last ply a game is over.
        let most =
            start.plies_left().map_or(MOST_PLIES, |plies| u64::from(plies.saturating_sub(1)));
        let low = whole("plies", &plies.0, 0..=most)?;
        let high = whole("plies", &plies.1, 0..=most)?;
        if high < low {
            let why =
                format!("expected a greatest number of plies of at least {low}, found {high}");
            return Err(wrong(why));
        }
        let source = Source::Random(Box::new(RandomGames {
            start,
            rng: StdRng::seed_from_u64(seed_of(seed)?),
            plies: (low as usize, high as usize),
            left: count,
            next: 0,
            known: unique.then(HashSet::new),
        }));
        let labeling = Labeling { depth, every_move, threads, table };
        LabelStream::of(py, game, source, count, labeling)
    }

    /// Starts threads that label these positions of one game.
    #[staticmethod]
    fn given(
        py: Python<'_>,
        positions: Vec<Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        every_move: bool,
        threads: &Bound<'_, PyAny>,
        table: &Bound<'_, PyAny>,
    ) -> PyResult<LabelStream> {
        let first = positions.first().ok_or_else(|| wrong("expected positions, found none"))?;
        let game = position_at(0, first)?.game.clone();
        let given = positions.iter().enumerate();
        let given = given.map(|(index, found)| drawn(&game, index, position_at(index, found)?));
        let source = Source::Given(given.collect::<PyResult<Vec<_>>>()?.into_iter());
        let labeling = Labeling { depth, every_move, threads, table };
        LabelStream::of(py, &game, source, positions.len() as u64, labeling)
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// Returns the next rows, at most `most`, as arrays by name; `None` after the last row.
    fn read<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut rows = Vec::new();
        loop {
            let received = py.detach(|| {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.receive(&mut rows, most)
            });
            if received.map_err(wrong)? {
                break;
            }
            py.check_signals()?;
        }
        if rows.is_empty() { Ok(None) } else { self.arrays(py, &rows).map(Some) }
    }

    /// Ends the threads.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.workers = Workers { stop: Arc::default(), rows: None, threads: Vec::new() };
            state.count = state.next;
        });
    }
}

/// Returns the position in the element `index` of a list.
fn position_at<'a>(index: usize, found: &'a Bound<'_, PyAny>) -> PyResult<&'a Position> {
    if let Ok(position) = found.cast::<Position>() {
        return Ok(position.get());
    }
    let (kind, remedy) = (found.get_type().name()?, "game.position(text) reads a text");
    let why = format!("expected positions, found {kind} at index {index}; {remedy}");
    Err(PyTypeError::new_err(why))
}

/// Returns a position of the caller, which must be a position of `game` that is not over.
fn drawn(game: &Game, index: usize, found: &Position) -> PyResult<Drawn> {
    if found.game != *game {
        let (own, other) = (found.game.rules_text(), game.rules_text());
        let why = format!("position {index} is of {own}, and earlier positions are of {other}");
        return Err(wrong(format!("expected positions of one game: {why}")));
    }
    if found.position.is_over() {
        let why =
            format!("expected positions in which the game goes on: it is over in position {index}");
        return Err(wrong(why));
    }
    let mut planes = vec![0; 2 * game.layout()?.cells()];
    found.position.write_planes(&mut planes);
    let ply = planes.iter().map(|&cell| u16::from(cell)).sum();
    Ok(Drawn { index: index as u64, position: found.position.clone(), ply })
}

/// Starts a thread for each engine.
fn start(
    engines: Vec<Box<dyn HostedEngine>>,
    source: Source,
    request: &LabelRequest,
    stop: Arc<AtomicBool>,
) -> std::io::Result<Workers> {
    let (sender, receiver) = sync_channel(MOST_WAITING);
    let source = Arc::new(Mutex::new(source));
    let mut workers = Workers { stop, rows: Some(receiver), threads: Vec::new() };
    for mut engine in engines {
        let (source, request, sender) = (Arc::clone(&source), request.clone(), sender.clone());
        let work = move || work(&mut *engine, &source, &request, &sender);
        workers.threads.push(thread::Builder::new().spawn(work)?);
    }
    Ok(workers)
}

impl LabelStream {
    /// Starts threads that label the `count` positions of a source.
    fn of(
        py: Python<'_>,
        game: &Game,
        source: Source,
        count: u64,
        labeling: Labeling<'_, '_>,
    ) -> PyResult<LabelStream> {
        game.layout()?;
        let Labeling { depth, every_move, threads, table } = labeling;
        let shared = game.shared();
        let most = u64::from(shared.max_depth());
        let depth = depth.map(|depth| whole("depth", depth, 1..=most)).transpose()?;
        if depth.is_none() && !shared.is_solvable() {
            let why = "expected exact=False: the rules do not limit the length of a game of";
            return Err(wrong(format_args!("{why} {}", shared.name())));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let context = Arc::clone(&stop).into();
        let request = LabelRequest { depth: depth.map(|depth| depth as u32), every_move, context };
        let threads = threads_of("threads", threads)?;
        // A thread without a position would have nothing to do.
        let threads = threads.min(usize::try_from(count).unwrap_or(usize::MAX));
        let table = whole("table", table, 1..=MOST_TABLE_MIB)? as usize;
        let engines = (0..threads).map(|_| make_engine(game, table, 1));
        let engines = engines.collect::<PyResult<Vec<_>>>()?;
        let workers = py
            .detach(|| start(engines, source, &request, stop))
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
        let state = State { workers, early: HashMap::new(), next: 0, count };
        Ok(LabelStream { game: game.clone(), every_move, state: Mutex::new(state) })
    }

    fn arrays<'py>(&self, py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyDict>> {
        let layout = self.game.layout()?;
        let (size, cells, actions) = (rows.len(), layout.cells(), self.game.data.actions);
        let columns =
            py.detach(|| Columns::of(&self.game, rows, (cells, actions), self.every_move));
        let arrays = PyDict::new(py);
        let board = [size, 2, layout.rows, layout.columns];
        arrays.set_item("planes", shaped(py, columns.planes, &board)?)?;
        arrays.set_item("mask", shaped(py, columns.mask, &[size, actions])?)?;
        arrays.set_item("best", shaped(py, columns.best, &[size, actions])?)?;
        arrays.set_item("turn", PyArray1::from_vec(py, columns.turn))?;
        arrays.set_item("ply", PyArray1::from_vec(py, columns.ply))?;
        arrays.set_item("value", PyArray1::from_vec(py, columns.value))?;
        arrays.set_item("score", PyArray1::from_vec(py, columns.score))?;
        arrays.set_item("exact", PyArray1::from_vec(py, columns.exact))?;
        if self.every_move {
            arrays.set_item("values", shaped(py, columns.values, &[size, actions])?)?;
        }
        arrays.set_item("text", columns.text)?;
        Ok(arrays)
    }
}

fn shaped<'py, T: Element>(
    py: Python<'py>,
    cells: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    PyArray1::from_vec(py, cells).reshape(shape)
}

/// The arrays of some rows.
#[derive(Default)]
struct Columns {
    planes: Vec<u8>,
    mask: Vec<i8>,
    best: Vec<bool>,
    turn: Vec<u8>,
    ply: Vec<u16>,
    value: Vec<f32>,
    score: Vec<i32>,
    exact: Vec<bool>,
    values: Vec<f32>,
    text: Vec<String>,
}

impl Columns {
    fn of(
        game: &Game,
        rows: &[Row],
        (cells, actions): (usize, usize),
        every_move: bool,
    ) -> Columns {
        let size = rows.len();
        let mut columns = Columns {
            planes: vec![0; size * 2 * cells],
            mask: vec![0; size * actions],
            best: vec![false; size * actions],
            values: vec![f32::NAN; if every_move { size * actions } else { 0 }],
            ..Columns::default()
        };
        for (index, Row { drawn, label }) in rows.iter().enumerate() {
            let position = &drawn.position;
            position.write_planes(&mut columns.planes[index * 2 * cells..][..2 * cells]);
            position.write_mask(&mut columns.mask[index * actions..][..actions]);
            columns.turn.push(u8::from(position.side_to_move() == Side::Second));
            columns.ply.push(drawn.ply);
            columns.value.push(worth(game, label.value));
            columns.score.push(label.value.score().get());
            columns.exact.push(label.value.is_exact());
            columns.text.push(position.state_word());
            for &(mv, value) in &label.moves {
                let Some(action) = position.action(mv) else { continue };
                if value.score() == label.value.score() {
                    columns.best[index * actions + action] = true;
                }
                if every_move {
                    columns.values[index * actions + action] = worth(game, value);
                }
            }
        }
        columns
    }
}

/// Returns the value as a number: the margin in points, or 1 for a forced win and -1 for a forced loss.
fn worth(game: &Game, value: plyground::Value) -> f32 {
    let score = value.score();
    if score.plies_to_end().is_some() {
        return if score.is_win() { 1.0 } else { -1.0 };
    }
    score.get() as f32 / game.shared().point() as f32
}
