//! Engines, which an interrupt of Python stops, and the results of their searches: the value of every move, a
//! chosen move, and the value of a position.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{panic, thread};

use plyground::Game as _;
use plyground::perfect::Ties;
use plyground::search::Options;
use plyground_arena::seat::check_depth;
use plyground_host::{
    AnalysisRequest, ChosenMove, Constraints, EngineError, EngineOptions, HostedEngine,
    HostedPosition, SharedGame, Stage, Strength,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::game::{Game, Position};

/// The share of the time of an analysis that is used to look for forced wins.
const FORCED_SHARE: f64 = 0.3;
/// The greatest size of a table, in MiB.
const MOST_TABLE_MIB: usize = 1 << 20;

/// A search for one game, with a table in which it remembers its results.
///
/// It does one thing at a time: calls from other threads wait.
#[pyclass(frozen, module = "plyground")]
pub struct Engine {
    game: Game,
    table_mib: usize,
    threads: NonZeroUsize,
    engine: Mutex<Box<dyn HostedEngine>>,
}

/// Returns a time in seconds as a duration.
fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("expected seconds, found {seconds}")))
}

fn refused(error: impl Into<EngineError>) -> PyErr {
    PyValueError::new_err(error.into().to_string())
}

impl Engine {
    fn check_depth(&self, depth: Option<u32>) -> PyResult<()> {
        let checked = depth.map_or(Ok(()), |depth| check_depth(&*self.game.shared, depth));
        checked.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn analysis(
        &self,
        py: Python<'_>,
        position: &HostedPosition,
        request: &AnalysisRequest,
    ) -> PyResult<Analysis> {
        let found = interruptible(py, &request.context.stop, || {
            let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine.analyze(position, request, &mut |_| {})
        })?;
        let found = found.map_err(refused)?;
        Ok(Analysis::new(&found, position.side_to_move(), &self.game.shared))
    }
}

#[pymethods]
impl Engine {
    /// Creates a search with a table of `table` MiB that uses `threads` threads.
    #[new]
    #[pyo3(signature = (game, *, table=64, threads=1))]
    fn new(game: &Bound<'_, Game>, table: usize, threads: usize) -> PyResult<Engine> {
        if !(1..=MOST_TABLE_MIB).contains(&table) {
            let why = format!("expected a table of 1 to {MOST_TABLE_MIB} MiB, found {table}");
            return Err(PyValueError::new_err(why));
        }
        let threads = NonZeroUsize::new(threads)
            .ok_or_else(|| PyValueError::new_err("expected at least one thread, found 0"))?;
        let game = game.get().clone();
        let book = game.shared.book();
        let book = book.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let search = Options { table_mib: table, threads: threads.get(), ..Options::default() };
        let options = EngineOptions { search, book, ..EngineOptions::default() };
        let engine = Mutex::new(game.shared.engine(options));
        Ok(Engine { game, table_mib: table, threads, engine })
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// Chooses a move: exactly `depth` plies ahead, within `seconds`, or perfectly; without any of these,
    /// with the limits of the player `machine`. Returns `None` if the game is over.
    ///
    /// Raises `ValueError` if perfect play is requested and not possible, or if the position belongs to
    /// another game.
    #[pyo3(signature = (position, *, depth=None, seconds=None, perfect=false))]
    fn best_move(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        depth: Option<u32>,
        seconds: Option<f64>,
        perfect: bool,
    ) -> PyResult<Option<Choice>> {
        let position = &position.get().position;
        self.check_depth(depth)?;
        let time = seconds.map(duration).transpose()?;
        let strength = match (depth, time, perfect) {
            (None, None, false) => Strength::Default,
            (Some(depth), None, false) => Strength::Depth(depth),
            (None, Some(time), false) => Strength::Time(time),
            (None, time, true) => Strength::Perfect { time, ties: Ties::default() },
            (Some(_), _, _) => {
                let why = "expected a depth alone: it takes as long as it takes";
                return Err(PyValueError::new_err(why));
            }
        };
        let stop = Arc::new(AtomicBool::new(false));
        let constraints =
            Constraints { context: Arc::clone(&stop).into(), ..Constraints::default() };
        let chosen = interruptible(py, &stop, || {
            let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine.choose(position, strength, &constraints)
        })?;
        let chosen = chosen.map_err(refused)?;
        Ok(chosen.map(|chosen| Choice::new(&chosen, &self.game.shared)))
    }

    /// Finds the value of every move: exactly `depth` plies ahead, or as far as `seconds` and `nodes` allow.
    /// Without any of these, it takes one second.
    #[pyo3(signature = (position, *, depth=None, seconds=None, nodes=None))]
    fn analyze(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        depth: Option<u32>,
        seconds: Option<f64>,
        nodes: Option<u64>,
    ) -> PyResult<Analysis> {
        let position = &position.get().position;
        self.check_depth(depth)?;
        let is_limited = depth.is_some() || nodes.is_some();
        let time = seconds.map(duration).transpose()?;
        let time = time.or((!is_limited).then_some(Duration::from_secs(1)));
        let forced = time.filter(|_| depth.is_none()).map(|time| Stage::ForcedWin {
            time: time.mul_f64(FORCED_SHARE),
            nodes,
            table_mib: self.table_mib,
        });
        let stages = forced.into_iter().chain([Stage::Deepen { depth, nodes }]).collect();
        let request = AnalysisRequest { stages, time, ..AnalysisRequest::default() };
        self.analysis(py, position, &request)
    }

    /// Searches every move to the end of the game, for at most `seconds`. `Analysis.is_complete` is true if
    /// the search reached the end.
    ///
    /// Raises `ValueError` if the rules do not limit the length of the game.
    #[pyo3(signature = (position, *, seconds=None))]
    fn solve(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        seconds: Option<f64>,
    ) -> PyResult<Analysis> {
        let position = &position.get().position;
        plyground::perfect::plies_to_end(position).map_err(refused)?;
        let time = seconds.map(duration).transpose()?;
        let stages = vec![Stage::Solve { threads: self.threads.get() }];
        let request = AnalysisRequest { stages, time, ..AnalysisRequest::default() };
        self.analysis(py, position, &request)
    }

    /// Returns the value of the position `depth` plies ahead by plain minimax, the reference.
    fn minimax(
        &self,
        py: Python<'_>,
        position: &Bound<'_, Position>,
        depth: u32,
    ) -> PyResult<Option<crate::engine::Value>> {
        let position = &position.get().position;
        self.check_depth(Some(depth))?;
        let stop = Arc::new(AtomicBool::new(false));
        let limits = plyground::search::Limits::depth(depth).with_stop(Arc::clone(&stop));
        let report = interruptible(py, &stop, || {
            let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine.minimax(position, &limits)
        })?;
        Ok(report
            .map_err(refused)?
            .map(|report| crate::engine::Value::new(report.value, &self.game.shared)))
    }

    /// Forgets the results of earlier searches.
    fn clear(&self) {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn __repr__(&self) -> String {
        let (name, rules) = (self.game.shared.name(), self.game.shared.rules());
        format!("<Engine for {name} {rules}: {} MiB, {} threads>", self.table_mib, self.threads)
    }
}

/// The time between two checks for a signal in Python.
const TICK: Duration = Duration::from_millis(20);

/// Does `work` on a thread of its own while other Python threads run. If the handler of a signal such as
/// Ctrl-C raises an exception, `stop` is set, and the exception is returned when the work has ended.
///
/// # Errors
///
/// Returns that exception, or an error if the system has no thread.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let is_over = || {
        let receiver = receiver.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        receiver.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout)
    };
    thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, move || {
            // The sender is dropped at the end of the work, after a panic as well.
            let _sender: std::sync::mpsc::Sender<()> = sender;
            work()
        });
        let worker = worker.map_err(|error| PyOSError::new_err(error.to_string()))?;
        let mut exception = None;
        while !py.detach(is_over) {
            if exception.is_none()
                && let Err(raised) = py.check_signals()
            {
                stop.store(true, Ordering::Relaxed);
                exception = Some(raised);
            }
        }
        match (py.detach(|| worker.join()), exception) {
            (_, Some(raised)) => Err(raised),
            (Ok(result), None) => Ok(result),
            (Err(panic), None) => panic::resume_unwind(panic),
        }
    })
}

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
        plyground_host::Bound::of(self.value).to_string()
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
