//! The measurement of a runtime table, row by row.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use plyground::Game;
use plyground::search::{Limits, Options, Report, Scope};
use plyground_host::{EngineOptions, HostedPosition, MoveText, OtherGame};

use super::measure::{DepthTime, Depths, Runs, TimingEnd, by_depth};
use super::runtime_file::RuntimeError;
use super::runtime_table::{RuntimeRow, RuntimeTable, SearchKind};

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
    /// The CPU time that ends the table: it ends with the first depth whose median time is greater.
    pub max_cpu: Duration,
    /// The number of runs of each depth.
    pub runs: Runs,
    /// The flag that stops the measurement when raised.
    pub stop: Arc<AtomicBool>,
}

/// An observer of the measurement of a runtime table.
pub trait RuntimeObserver {
    /// Called when a run begins; `run` counts from 1. The time of this call is not measured, unless
    /// it leaves a thread running.
    fn begin(&mut self, depth: u32, run: u32);

    /// Called with each row. If `is_new` is true, it was measured now; if not, it was known before.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be kept or shown, which ends the measurement.
    fn row(&mut self, row: &RuntimeRow, is_new: bool) -> Result<(), RuntimeError>;
}

/// Measures the rows that `plan` asks for, in order of depth, and passes each to `observer` as soon
/// as it is measured. A row of `known` that has enough runs is not measured again.
///
/// The table ends with the first depth over the time limit, which is still finished, or with the
/// first depth that proves the result. No search beyond the last ply of the game is measured.
///
/// # Errors
///
/// Returns an error if the game is over in the position, the measurement is stopped, or `observer`
/// fails.
pub fn tabulate(
    plan: &RuntimePlan,
    known: &RuntimeTable,
    observer: &mut impl RuntimeObserver,
) -> Result<TimingEnd, RuntimeError> {
    by_depth(plan.depths, plan.max_cpu, plan.position.plies_left(), |depth| {
        let old = known.get(plan.search, depth);
        let old = old.filter(|row| row.runs >= plan.runs.wanted(row.cpu_min));
        let row = match old {
            Some(row) => row.clone(),
            None => measure_row(plan, depth, observer)?,
        };
        observer.row(&row, old.is_none())?;
        Ok(ControlFlow::Continue(DepthTime { cpu: row.cpu_median, is_solved: row.proven }))
    })
}

fn measure_row(
    plan: &RuntimePlan,
    depth: u32,
    observer: &mut impl RuntimeObserver,
) -> Result<RuntimeRow, RuntimeError> {
    let mut found = None;
    let times = plan.runs.measure(|run| {
        observer.begin(depth, run);
        // The search has only this thread, and other threads of the process may measure as well.
        let start = ThreadTime::now();
        let report = search(plan, depth);
        let cpu = start.elapsed();
        if plan.stop.load(Ordering::Relaxed) {
            // The search was cut short.
            return Err(RuntimeError::Stopped { depth });
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
    let search = Options { table_mib, ..Options::default() };
    let options = EngineOptions { search, book: None, without_prepared: true };
    let mut engine = plan.position.game().engine(options);
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use plyground_host::toy::toy;

    use super::*;

    #[derive(Default)]
    struct Log {
        begun: Vec<(u32, u32)>,
        rows: Vec<(RuntimeRow, bool)>,
    }

    impl RuntimeObserver for Log {
        fn begin(&mut self, depth: u32, run: u32) {
            self.begun.push((depth, run));
        }

        fn row(&mut self, row: &RuntimeRow, is_new: bool) -> Result<(), RuntimeError> {
            self.rows.push((row.clone(), is_new));
            Ok(())
        }
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
        let mut log = Log::default();
        (tabulate(plan, known, &mut log), log)
    }

    /// The moves after which four plies are left, and only the last ply shows that the game is
    /// drawn.
    const DRAWN: &str = "5 1 2 8 4";

    #[test]
    fn table_ends_with_the_last_ply() -> Result<(), RuntimeError> {
        for search in SearchKind::ALL {
            let plan = plan(search, DRAWN);
            let (end, log) = run(&plan, &RuntimeTable::default());
            assert_eq!(end?, TimingEnd::Solved { depth: 4 });
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
        assert_eq!((end?, log.depths()), (TimingEnd::Solved { depth: 1 }, vec![1]));
        Ok(())
    }

    #[test]
    fn first_depth_over_the_limit_is_the_last() -> Result<(), RuntimeError> {
        let plan = RuntimePlan { max_cpu: Duration::ZERO, ..plan(SearchKind::AlphaBeta, DRAWN) };
        let (end, log) = run(&plan, &RuntimeTable::default());
        assert_eq!(end?, TimingEnd::OverLimit { depth: 1 });
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
        assert!(matches!(end, Err(RuntimeError::Stopped { depth: 1 })));
    }

    #[test]
    fn nodes_are_counted_by_the_second() {
        assert_eq!(per_second(500, Duration::from_micros(250)), 2_000_000);
    }
}
