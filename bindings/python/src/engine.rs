//! Engines, which an interrupt in Python stops, and their results: the value of every move, a chosen move, and the
//! value of a position.

use std::hash::{Hash, Hasher};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use plyground::Game as _;
use plyground::perfect::Ties;
use plyground::search::Options;
use plyground_host::{
    AnalysisRequest, Bound as Kind, ChosenMove, Constraints, EngineError, EngineOptions,
    HostedEngine, HostedPosition, Stage, Strength,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::game::{Game, Position, expect_game, expect_position};
use crate::{duration, threads as threads_of, whole, wrong};

/// The share of the time of an analysis for the search for forced wins.
const FORCED_SHARE: f64 = 0.3;
/// The greatest size of a table, in MiB.
pub const MOST_TABLE_MIB: u64 = 1 << 20;

/// The default size of a table, in MiB.
const DEFAULT_TABLE_MIB: u64 = 64;

/// A search for one game, with a table that keeps its results.
///
/// An engine runs one call at a time: calls from other threads wait.
#[pyclass(frozen, module = "plyground")]
pub struct Engine {
    game: Game,
    table_mib: usize,
    threads: usize,
    engine: Mutex<Box<dyn HostedEngine>>,
}

fn refused(error: impl Into<EngineError>) -> PyErr {
    PyValueError::new_err(error.into().to_string())
}

/// Returns an engine with the book of the game.
pub fn make_engine(
    game: &Game,
    table_mib: usize,
    threads: usize,
) -> PyResult<Box<dyn HostedEngine>> {
    let book = game.shared().book();
    let book = book.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let search = Options { table_mib, threads, ..Options::default() };
    Ok(game.shared().engine(EngineOptions { search, book, ..EngineOptions::default() }))
}

impl Engine {
    /// Returns the position in a value, which must be a position of the engine's game.
    fn own<'a>(&self, value: &'a Bound<'_, PyAny>) -> PyResult<&'a HostedPosition> {
        let Position { position, game } = expect_position(value)?;
        if *game != self.game {
            let (own, found) = (self.game.rules_text(), game.rules_text());
            let why = format!(
                "expected a position of {own}, the game of the engine, found one of {found}"
            );
            return Err(wrong(why));
        }
        Ok(position)
    }

    fn depth(&self, depth: &Bound<'_, PyAny>) -> PyResult<u32> {
        let most = self.game.shared().max_depth();
        Ok(whole("depth", depth, 1..=u64::from(most))? as u32)
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
        Ok(Analysis::of(&found, position.side_to_move(), &self.game))
    }
}

#[pymethods]
impl Engine {
    /// Creates a search with a table of `table` MiB that uses `threads` threads.
    #[new]
    #[pyo3(signature = (game, *, table=None, threads=None))]
    fn new(
        game: &Bound<'_, PyAny>,
        table: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Engine> {
        let game = expect_game(game)?;
        let mib = |table| whole("table", table, 1..=MOST_TABLE_MIB);
        let table_mib = table.map_or(Ok(DEFAULT_TABLE_MIB), mib)? as usize;
        let threads = threads.map_or(Ok(1), |threads| threads_of("threads", threads))?;
        let engine = Mutex::new(make_engine(&game, table_mib, threads)?);
        Ok(Engine { game, table_mib, threads, engine })
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
        position: &Bound<'_, PyAny>,
        depth: Option<&Bound<'_, PyAny>>,
        seconds: Option<&Bound<'_, PyAny>>,
        perfect: bool,
    ) -> PyResult<Option<Choice>> {
        let position = self.own(position)?;
        let depth = depth.map(|depth| self.depth(depth)).transpose()?;
        let time = seconds.map(duration).transpose()?;
        let strength = match (depth, time, perfect) {
            (None, None, false) => Strength::Default,
            (Some(depth), None, false) => Strength::Depth(depth),
            (None, Some(time), false) => Strength::Time(time),
            (None, time, true) => Strength::Perfect { time, ties: Ties::default() },
            (Some(_), _, _) => {
                let why = "expected a depth without seconds or perfect: a depth has no time limit";
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
        Ok(chosen.map(|chosen| Choice::of(&chosen, &self.game)))
    }

    /// Finds the value of every move: exactly `depth` plies ahead, or as far as `seconds` and `nodes` allow. The
    /// default is one second.
    #[pyo3(signature = (position, *, depth=None, seconds=None, nodes=None))]
    fn analyze(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        depth: Option<&Bound<'_, PyAny>>,
        seconds: Option<&Bound<'_, PyAny>>,
        nodes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Analysis> {
        let position = self.own(position)?;
        let depth = depth.map(|depth| self.depth(depth)).transpose()?;
        let nodes = nodes.map(|nodes| whole("nodes", nodes, 1..=u64::MAX)).transpose()?;
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
        position: &Bound<'_, PyAny>,
        seconds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Analysis> {
        let position = self.own(position)?;
        plyground::perfect::plies_to_end(position).map_err(refused)?;
        let time = seconds.map(duration).transpose()?;
        let stages = vec![Stage::Solve { threads: self.threads }];
        let request = AnalysisRequest { stages, time, ..AnalysisRequest::default() };
        self.analysis(py, position, &request)
    }

    /// Returns the value of the position `depth` plies ahead by plain minimax, the reference for other searches.
    fn minimax(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        depth: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Value>> {
        let position = self.own(position)?;
        let depth = self.depth(depth)?;
        let stop = Arc::new(AtomicBool::new(false));
        let limits = plyground::search::Limits::depth(depth).with_stop(Arc::clone(&stop));
        let report = interruptible(py, &stop, || {
            let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
            engine.minimax(position, &limits)
        })?;
        Ok(report.map_err(refused)?.map(|report| Value::new(report.value, &self.game)))
    }

    /// Forgets the results of earlier searches.
    fn clear(&self) {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn __repr__(&self) -> String {
        let Engine { table_mib, threads, .. } = self;
        format!("<Engine for {}: {table_mib} MiB, {threads} threads>", self.game.rules_text())
    }

    /// Pickles the engine without its results.
    fn __reduce__<'py>(slf: &Bound<'py, Engine>) -> PyResult<(Bound<'py, PyAny>, (Game,))> {
        let py = slf.py();
        let Engine { game, table_mib, threads, .. } = slf.get();
        let options = PyDict::new(py);
        options.set_item("table", table_mib)?;
        options.set_item("threads", threads)?;
        let partial = py.import("functools")?.getattr("partial")?;
        Ok((partial.call((slf.get_type(),), Some(&options))?, (game.clone(),)))
    }
}

/// The time between two checks for a signal in Python.
const TICK: Duration = Duration::from_millis(20);

/// Runs `work` in a thread of its own while other Python threads run. If the handler of a signal such as Ctrl-C raises
/// an exception, `stop` is set, and the exception is returned after the end of the work.
///
/// # Errors
///
/// Returns the exception of the handler, or an error if the system has no thread.
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

/// A statement about the result of best play: a score, and its relation to the result.
#[pyclass(frozen, eq, hash, from_py_object, module = "plyground")]
#[derive(Clone, Debug)]
pub struct Value {
    value: plyground::Value,
    game: Game,
}

impl Value {
    fn new(value: plyground::Value, game: &Game) -> Value {
        Value { value, game: game.clone() }
    }

    /// Returns the value as text: `win in 5`, `+1.35`.
    fn text(&self) -> String {
        self.game.shared().show(self.value)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let name = |value: &Value| value.game.shared().name();
        self.value == other.value && name(self) == name(other)
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.value.hash(hasher);
    }
}

#[pymethods]
impl Value {
    /// Makes the value of this kind with this score.
    #[new]
    fn make(game: &Game, kind: &str, score: i32) -> PyResult<Value> {
        let most = plyground::Score::win_in(0).get();
        if !(-most..=most).contains(&score) {
            return Err(wrong(format_args!(
                "expected score from -{most} to {most}, found {score}"
            )));
        }
        let kind: Kind =
            kind.parse().map_err(|why| wrong(format_args!("{why} as kind, found `{kind}`")))?;
        Ok(Value::new(kind.with(plyground::Score::new(score)), game))
    }

    /// The relation to the result: `"exact"`, `"at-least"`, `"at-most"` or `"estimate"`.
    #[getter]
    fn kind(&self) -> String {
        Kind::of(self.value).to_string()
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
        is_margin.then(|| f64::from(score.get()) / f64::from(self.game.shared().point()))
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

    fn __reduce__<'py>(slf: &Bound<'py, Value>) -> (Bound<'py, PyType>, (Game, String, i32)) {
        let value = slf.get();
        (slf.get_type(), (value.game.clone(), value.kind(), value.score()))
    }
}

/// A move with its value and a line of play.
#[pyclass(frozen, get_all, eq, hash, from_py_object, module = "plyground")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

#[pymethods]
impl AnalyzedMove {
    #[new]
    fn new(r#move: String, value: Value, depth: u32, pv: Vec<String>) -> AnalyzedMove {
        AnalyzedMove { mv: r#move, value, depth, pv }
    }

    fn __repr__(&self) -> String {
        format!("<AnalyzedMove {} {}>", self.mv, self.value.text())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, AnalyzedMove>,
    ) -> (Bound<'py, PyType>, (String, Value, u32, Vec<String>)) {
        let AnalyzedMove { mv, value, depth, pv } = slf.get().clone();
        (slf.get_type(), (mv, value, depth, pv))
    }
}

/// The results of an analysis.
#[pyclass(frozen, get_all, eq, hash, module = "plyground")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    fn of(found: &plyground_host::Analysis, mover: plyground::Side, game: &Game) -> Analysis {
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
        let (depth, nodes, is_complete) = (found.depth, found.nodes, found.is_complete);
        Analysis { moves: moves.collect(), depth, nodes, is_complete, forced_win }
    }
}

#[pymethods]
impl Analysis {
    #[new]
    #[pyo3(signature = (moves, depth, nodes, is_complete, forced_win=None))]
    fn new(
        moves: Vec<AnalyzedMove>,
        depth: u32,
        nodes: u64,
        is_complete: bool,
        forced_win: Option<i64>,
    ) -> Analysis {
        Analysis { moves, depth, nodes, is_complete, forced_win }
    }

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
        let moves = self.moves.iter().map(|line| format!("{} {}", line.mv, line.value.text()));
        format!("<Analysis depth {}: {}>", self.depth, moves.collect::<Vec<_>>().join(", "))
    }

    #[allow(clippy::type_complexity, reason = "the arguments of `new`")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Analysis>,
    ) -> (Bound<'py, PyType>, (Vec<AnalyzedMove>, u32, u64, bool, Option<i64>)) {
        let Analysis { moves, depth, nodes, is_complete, forced_win } = slf.get().clone();
        (slf.get_type(), (moves, depth, nodes, is_complete, forced_win))
    }
}

/// The move that an engine chooses, with its value and its source.
#[pyclass(frozen, get_all, eq, hash, module = "plyground")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    fn of(chosen: &ChosenMove, game: &Game) -> Choice {
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
    #[new]
    fn new(r#move: String, value: Value, depth: Option<u32>, source: String, nodes: u64) -> Choice {
        Choice { mv: r#move, value, depth, source, nodes }
    }

    fn __repr__(&self) -> String {
        format!("<Choice {} {} ({})>", self.mv, self.value.text(), self.source)
    }

    #[allow(clippy::type_complexity, reason = "the arguments of `new`")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Choice>,
    ) -> (Bound<'py, PyType>, (String, Value, Option<u32>, String, u64)) {
        let Choice { mv, value, depth, source, nodes } = slf.get().clone();
        (slf.get_type(), (mv, value, depth, source, nodes))
    }
}
