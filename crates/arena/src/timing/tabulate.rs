//! The measurement of a runtime table, row by row; the file that keeps it, and the faults of such a file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io};

use cpu_time::ThreadTime;
use plyground::Game;
use plyground::search::{Limits, Report, Scope};
use plyground_durable::FileError;
use plyground_durable::input::STDIN;
use plyground_durable::journal::JournalLoss;
use plyground_durable::lock::{LockError, Locking, WorkLock};
use plyground_durable::output::{check_writable, remove_abandoned_of, write_whole};
use plyground_host::{EngineOptions, HostedPosition, MoveText, OtherGame};
use thiserror::Error;

use super::measure::{DepthTime, Depths, Runs, TimingEnd, by_depth};
use super::plot::PlotError;
use super::runtime_table::{ReadRuntimeTable, RuntimeRow, RuntimeTable, SearchKind};

/// A plan to measure a runtime table.
#[derive(Clone, Debug)]
pub struct RuntimePlan {
    /// The position in which a move is chosen.
    pub position: HostedPosition,
    /// The search to time.
    pub search: SearchKind,
    /// The memory for the transposition table of alpha-beta, in MiB; 0 for no table.
    pub table_mib: usize,
    /// The depths to measure.
    pub depths: Depths,
    /// The CPU time that ends the table: the table ends with the first depth whose median time is
    /// greater.
    pub max_cpu: Duration,
    /// The number of runs of each depth.
    pub runs: Runs,
    /// The flag that stops the measurement when raised.
    pub stop: Arc<AtomicBool>,
}

/// Measures the rows of `plan`, in order of depth, and passes each to `on_row` as soon as it is
/// measured. A row of `known` that has enough runs is not measured again: `on_row` gets it with
/// false in place of true.
///
/// `on_begin` gets the depth and the number of each run, from 1, before the run. The time of this
/// call, and of threads that it starts, is not measured.
///
/// The table ends with the first depth over the time limit, which is still finished, or with the
/// first depth that proves the result. No search beyond the last ply of the game is measured.
///
/// # Errors
///
/// Returns an error if the game is over in the position, the measurement is stopped, or `on_row`
/// fails.
pub fn tabulate(
    plan: &RuntimePlan,
    known: &RuntimeTable,
    mut on_begin: impl FnMut(u32, u32),
    mut on_row: impl FnMut(&RuntimeRow, bool) -> Result<(), RuntimeError>,
) -> Result<TimingEnd, RuntimeError> {
    by_depth(plan.depths, plan.max_cpu, plan.position.plies_left(), |depth| {
        let old = known.get(plan.search, depth);
        let old = old.filter(|row| row.runs >= plan.runs.wanted(row.cpu_min));
        let row = match old {
            Some(row) => row.clone(),
            None => measure_row(plan, depth, &mut on_begin)?,
        };
        on_row(&row, old.is_none())?;
        Ok(ControlFlow::Continue(DepthTime { cpu: row.cpu_median, is_solved: row.proven }))
    })
}

fn measure_row(
    plan: &RuntimePlan,
    depth: u32,
    on_begin: &mut impl FnMut(u32, u32),
) -> Result<RuntimeRow, RuntimeError> {
    let mut found = None;
    let times = plan.runs.measure(|run| {
        on_begin(depth, run);
        // The search has only this thread, and other threads of the process may measure as well.
        let start = ThreadTime::now();
        let report = search(plan, depth);
        let cpu = start.elapsed();
        if plan.stop.load(Ordering::Relaxed) {
            // The search was cut short.
            return Err(RuntimeError::Stopped(depth));
        }
        found = Some(report?.ok_or(RuntimeError::GameOver)?);
        Ok(cpu)
    })?;
    let report = found.ok_or(RuntimeError::GameOver)?;
    Ok(RuntimeRow {
        game: plan.position.game().name().to_owned(),
        position: plan.position.state_word(),
        search: plan.search,
        depth,
        runs: u32::try_from(times.count()).unwrap_or(u32::MAX),
        nodes: report.nodes,
        cpu_min: times.min(),
        cpu_median: times.median(),
        cpu_max: times.max(),
        nodes_per_second: per_second(report.nodes, times.median()),
        best_move: report.best_move().to_string(),
        score: report.score().get(),
        proven: report.proven(),
    })
}

/// Chooses a move with a new engine, so that its table is cold. Creating the engine is part of the
/// time. Returns `None` if the game is over.
fn search(plan: &RuntimePlan, depth: u32) -> Result<Option<Report<MoveText>>, OtherGame> {
    let table_mib = match plan.search {
        SearchKind::Minimax => 0,
        SearchKind::AlphaBeta => plan.table_mib,
    };
    let mut engine = plan.position.game().engine(EngineOptions::only_search(table_mib));
    let limits = Limits::depth(depth).with_stop(Arc::clone(&plan.stop));
    match plan.search {
        SearchKind::Minimax => engine.minimax(&plan.position, &limits),
        SearchKind::AlphaBeta => {
            engine.search(&plan.position, &limits, Scope::BestMove, &mut |_| ())
        }
    }
}

fn per_second(nodes: u64, time: Duration) -> u64 {
    let nanos = time.as_nanos().max(1);
    let rate = u128::from(nodes) * Duration::from_secs(1).as_nanos() / nanos;
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// The CSV file of the runtime table of one position. Only one process uses it at a time.
#[derive(Debug)]
pub struct RuntimeFile {
    path: PathBuf,
    _lock: Option<WorkLock>,
}

/// A file with its content.
#[derive(Debug)]
pub struct OpenedRuntimeFile {
    /// The file, to which new rows are written.
    pub file: RuntimeFile,
    /// The rows in the file.
    pub table: RuntimeTable,
    /// The damaged rows, which were removed from the file and are not in the table.
    pub loss: Option<JournalLoss>,
}

impl RuntimeFile {
    /// Opens the file for rows of this game and position. A missing file is created, and damaged
    /// rows are removed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is something else, in which case it is left unchanged. Also
    /// returns an error if the file cannot be read or written, or if another process uses it.
    pub fn open(
        path: &Path,
        game: &str,
        position: &str,
        locking: Locking,
    ) -> Result<OpenedRuntimeFile, RuntimeError> {
        // A file that is not a runtime table gets no lock either.
        read(path, game, position)?;
        check_writable(path)?;
        let lock = locking.lock(WorkLock::of_file(path))?;
        remove_abandoned_of(path);
        let ReadRuntimeTable { table, damaged, cut_off } = read(path, game, position)?;
        let file = RuntimeFile { path: path.to_owned(), _lock: lock };
        file.write(&table)?;
        let loss = JournalLoss::of_lines(path, damaged, cut_off);
        Ok(OpenedRuntimeFile { file, table, loss })
    }

    /// Checks that a file can hold rows of this game and position and can be written.
    pub fn check(path: &Path, game: &str, position: &str) -> Result<(), RuntimeError> {
        read(path, game, position)?;
        Ok(check_writable(path)?)
    }

    /// Replaces the rows in the file. The file is complete at every moment.
    pub fn write(&self, table: &RuntimeTable) -> Result<(), FileError> {
        write_whole(&self.path, table.to_csv())
    }
}

/// Reads the file, if it holds rows of this game and position or does not exist.
fn read(path: &Path, game: &str, position: &str) -> Result<ReadRuntimeTable, RuntimeError> {
    let other = |why: String| RuntimeError::OtherFile(path.to_owned(), why);
    let text = match fs::metadata(path) {
        found if path == Path::new(STDIN) || found.as_ref().is_ok_and(|file| !file.is_file()) => {
            return Err(other("expected a file, found a folder, device or pipe".to_owned()));
        }
        Ok(_) => fs::read(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let text = text
        .map_err(|error| RuntimeError::Unreadable(FileError::at(path, "read the file")(error)))?;
    let read = RuntimeTable::read_csv(&text)
        .map_err(|fault| other(format!("not a runtime table, so it is left alone: {fault}")))?;
    match read.table.rows().first() {
        Some(row) if !row.is_of(game, position) => Err(other(format!(
            "holds the runtime table of another position, so it is left alone: expected {game} \
             {position}, found {} {}",
            row.game, row.position
        ))),
        _ => Ok(read),
    }
}

/// The error for a runtime table that cannot be measured or kept, as one line.
#[derive(Debug, Error)]
pub enum RuntimeError {
    /// The position has no move to time.
    #[error("the game is over in this position: there is no move to time")]
    GameOver,
    /// The engine plays another game than the game of the position.
    #[error(transparent)]
    OtherGame(#[from] OtherGame),
    /// The file is not the runtime table of this game and position.
    #[error("{}: {}", .0.display(), .1)]
    OtherFile(PathBuf, String),
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// Another process uses the file, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// The rows cannot be printed.
    #[error("cannot print the table: {0}")]
    Output(#[from] io::Error),
    /// The measurement was stopped in this depth, which is not finished.
    #[error("stopped in depth {0}")]
    Stopped(u32),
    /// The plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use plyground_host::toy::toy;

    use super::*;
    use crate::timing::runtime_table::tests::row;

    #[derive(Default)]
    struct Log {
        begun: Vec<(u32, u32)>,
        rows: Vec<(RuntimeRow, bool)>,
    }

    impl Log {
        fn depths(&self) -> Vec<u32> {
            self.rows.iter().map(|(row, _)| row.depth).collect()
        }

        fn table(&self) -> RuntimeTable {
            let mut table = RuntimeTable::default();
            self.rows.iter().for_each(|(row, _)| table.insert(row.clone()));
            table
        }
    }

    /// Returns a plan for tic-tac-toe after these moves.
    fn plan(search: SearchKind, moves: &str) -> RuntimePlan {
        let mut position = toy().start();
        for mv in moves.split_whitespace() {
            position.play_text(mv).expect("a legal move");
        }
        RuntimePlan {
            position,
            search,
            table_mib: 1,
            depths: Depths::ALL,
            max_cpu: Duration::from_secs(3_600),
            runs: Runs::Fixed(NonZeroU32::MIN),
            stop: Arc::default(),
        }
    }

    fn run(plan: &RuntimePlan, known: &RuntimeTable) -> (Result<TimingEnd, RuntimeError>, Log) {
        let Log { mut begun, mut rows } = Log::default();
        let on_begin = |depth, run| begun.push((depth, run));
        let end = tabulate(plan, known, on_begin, |row, is_new| {
            rows.push((row.clone(), is_new));
            Ok(())
        });
        (end, Log { begun, rows })
    }

    /// The moves after which four plies are left, and only the last ply shows that the game is
    /// drawn.
    const DRAWN: &str = "5 1 2 8 4";

    #[test]
    fn table_ends_with_the_last_ply() -> Result<(), RuntimeError> {
        for search in SearchKind::ALL {
            let plan = plan(search, DRAWN);
            let (end, log) = run(&plan, &RuntimeTable::default());
            assert_eq!(end?, TimingEnd::Solved(4));
            assert_eq!(log.depths(), [1, 2, 3, 4]);
            assert!(log.rows.iter().all(|(row, is_new)| *is_new && row.fault().is_none()));
            let (last, _) = &log.rows[3];
            assert!(last.proven && last.nodes > 0);
            assert_eq!(last.position, plan.position.state_word());
        }
        Ok(())
    }

    #[test]
    fn known_result_ends_the_table() -> Result<(), RuntimeError> {
        let (end, log) = run(&plan(SearchKind::AlphaBeta, "1 4 2 5"), &RuntimeTable::default());
        assert_eq!((end?, log.depths()), (TimingEnd::Solved(1), vec![1]));
        Ok(())
    }

    #[test]
    fn first_depth_over_the_limit_is_the_last() -> Result<(), RuntimeError> {
        let plan = RuntimePlan { max_cpu: Duration::ZERO, ..plan(SearchKind::AlphaBeta, DRAWN) };
        let (end, log) = run(&plan, &RuntimeTable::default());
        assert_eq!(end?, TimingEnd::OverLimit(1));
        assert_eq!(log.depths(), [1]);
        Ok(())
    }

    #[test]
    fn each_run_is_counted() {
        let three = RuntimePlan {
            runs: Runs::Auto,
            depths: "..2".parse().expect("depths"),
            ..plan(SearchKind::Minimax, DRAWN)
        };
        let (_, log) = run(&three, &RuntimeTable::default());
        assert_eq!(log.begun, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
        assert!(log.rows.iter().all(|(row, _)| row.runs == 3));
    }

    #[test]
    fn known_rows_are_not_measured_again_unless_more_runs_are_asked_for() {
        let once = plan(SearchKind::Minimax, DRAWN);
        let (_, first) = run(&once, &RuntimeTable::default());
        let mut known = RuntimeTable::default();
        first.rows[..3].iter().for_each(|(row, _)| known.insert(row.clone()));

        let (_, resumed) = run(&once, &known);
        assert_eq!(resumed.begun, [(4, 1)]);
        let old: Vec<_> = first.rows[..3].iter().map(|(row, _)| (row.clone(), false)).collect();
        assert_eq!(resumed.rows[..3], old);

        let runs = Runs::Fixed(NonZeroU32::MIN.saturating_add(1));
        let (_, again) = run(&RuntimePlan { runs, ..once.clone() }, &resumed.table());
        assert_eq!(again.begun.len(), 8);
        assert_eq!(run(&once, &again.table()).1.begun, [], "more runs are as good");

        let other = run(&plan(SearchKind::AlphaBeta, DRAWN), &resumed.table()).1;
        assert!(other.rows.iter().all(|(_, is_new)| *is_new), "of another search");
    }

    #[test]
    fn finished_game_has_no_move_to_time() {
        let (end, log) = run(&plan(SearchKind::Minimax, "1 4 2 5 3"), &RuntimeTable::default());
        assert!(matches!(end, Err(RuntimeError::GameOver)));
        assert!(log.rows.is_empty());
    }

    #[test]
    fn raised_flag_ends_the_table() {
        let plan = plan(SearchKind::Minimax, DRAWN);
        plan.stop.store(true, Ordering::Relaxed);
        let (end, _) = run(&plan, &RuntimeTable::default());
        assert!(matches!(end, Err(RuntimeError::Stopped(1))));
    }

    #[test]
    fn nodes_are_counted_by_the_second() {
        assert_eq!(per_second(500, Duration::from_micros(250)), 2_000_000);
    }

    fn open(path: &Path) -> Result<OpenedRuntimeFile, RuntimeError> {
        RuntimeFile::open(path, "toy", "0000/1", Locking::Always)
    }

    #[test]
    fn rows_survive_and_nothing_else_is_left() -> Result<(), RuntimeError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let OpenedRuntimeFile { file, mut table, loss } = open(&path)?;
        assert_eq!((&table, loss), (&RuntimeTable::default(), None));
        assert_eq!(fs::read_to_string(&path)?, table.to_csv(), "the header is there at once");
        for search in SearchKind::ALL {
            table.insert(row(search, 1));
            file.write(&table)?;
        }
        let error = open(&path).expect_err("a lock").to_string();
        assert!(error.ends_with("t.csv: another process is at work on it"), "{error}");
        drop(file);
        assert_eq!(open(&path)?.table, table);
        assert_eq!(fs::read_dir(folder.path())?.count(), 1, "no temporary file is left");
        Ok(())
    }

    #[test]
    fn damaged_and_torn_lines_are_named_and_left_out() -> Result<(), RuntimeError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let mut table = RuntimeTable::default();
        table.insert(row(SearchKind::AlphaBeta, 1));
        let whole = table.to_csv();
        let damaged = row(SearchKind::AlphaBeta, 2).to_csv().replace(",3,", ",4,");
        fs::write(&path, whole.clone() + &damaged + "toy,0000/1,alphabeta,3,3,55")?;
        let opened = open(&path)?;
        assert_eq!(opened.table, table);
        let loss = opened.loss.expect("a loss").to_string();
        let said = "t.csv: line 3 is damaged and not used; line 4 is cut off and not used";
        assert!(loss.ends_with(said), "{loss}");
        assert_eq!(fs::read_to_string(&path)?, whole);
        Ok(())
    }

    #[test]
    fn other_file_is_never_overwritten() -> Result<(), RuntimeError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("t.csv");
        let mut other = RuntimeTable::default();
        other.insert(row(SearchKind::AlphaBeta, 1));
        for text in ["my notes", "my notes\n", "a,b\n1,2\n", &other.to_csv()] {
            fs::write(&path, text)?;
            let error =
                RuntimeFile::open(&path, "toy", "1000/2", Locking::Always).unwrap_err().to_string();
            assert!(error.contains("t.csv: ") && !error.contains('\n'), "{error}");
            assert_eq!(fs::read_to_string(&path)?, text);
        }
        let error = open(folder.path()).unwrap_err();
        assert!(matches!(error, RuntimeError::OtherFile(..)), "{error}");
        let error = open(&folder.path().join("no/t.csv")).unwrap_err();
        assert!(matches!(error, RuntimeError::Write(_)), "{error}");
        Ok(())
    }
}
