//! Measures a table, row by row.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::depths::Depths;
use super::error::Error;
use super::measure::{Sample, measure};
use super::row::{Row, SearchKind};
use super::table::Table;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::Limits;

/// How often each depth is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// [`Runs::FAST`] times, but once if the first run takes longer than [`Runs::SLOW`].
    Auto,
    /// Always so often.
    Fixed(NonZeroU32),
}

impl Runs {
    /// The number of runs of a depth that is fast. It is odd, so that the median was measured.
    pub const FAST: u32 = 3;
    /// A run that takes longer is not repeated: its time varies by little, and waiting for it
    /// thrice tells nothing.
    pub const SLOW: Duration = Duration::from_secs(10);

    /// The number of runs that a depth should have, one of which took `cpu`.
    fn wanted(self, cpu: Duration) -> u32 {
        match self {
            Runs::Fixed(runs) => runs.get(),
            Runs::Auto if cpu > Runs::SLOW => 1,
            Runs::Auto => Runs::FAST,
        }
    }
}

/// How to measure a table.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The search to time.
    pub search: SearchKind,
    /// Memory for the transposition table of alpha-beta in MiB; 0 for none.
    pub table_mib: usize,
    /// The depths to measure.
    pub depths: Depths,
    /// The table ends with the first depth whose median time is greater.
    pub max_cpu: Duration,
    /// How often to measure each depth.
    pub runs: Runs,
    /// Ends the measuring when raised.
    pub stop: Arc<AtomicBool>,
}

/// What is timed.
#[derive(Debug)]
pub struct Subject<'a, G> {
    /// The position in which a move is chosen.
    pub position: &'a G,
    /// Its text for the table: the state file, its lines joined by `/`.
    pub text: &'a str,
}

/// Follows the measuring of a table.
pub trait Observer {
    /// A run begins; `run` counts from 1. Whatever this does costs no measured time, unless it
    /// leaves a thread running.
    fn begin(&mut self, depth: u32, run: u32);

    /// A row is there: measured now (`is_new`), or known before.
    ///
    /// # Errors
    ///
    /// When the row cannot be kept or shown; this ends the measuring.
    fn row(&mut self, row: &Row, is_new: bool) -> Result<(), Error>;
}

/// Why a table ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// This depth took longer than the limit.
    OverLimit {
        /// The last depth of the table.
        depth: u32,
    },
    /// This depth found the result of best play: greater depths are the same search.
    Settled {
        /// The last depth of the table.
        depth: u32,
    },
    /// No more depths were asked for.
    Range,
}

/// Measures the rows that `plan` asks for, in order of depth, and hands each to `observer` as
/// soon as it is there. A row of `known` that has runs enough is not measured again.
///
/// The table ends with the first depth over the time limit, which is finished nevertheless, or
/// with the first that proves the result; no search after the last ply of the game is measured.
///
/// # Errors
///
/// When the game is over in the position, when it is stopped, and those of `observer`.
pub fn tabulate<G: Game, E: Evaluator<G>>(
    plan: &Plan,
    subject: &Subject<'_, G>,
    known: &Table,
    evaluator: impl Fn() -> E,
    observer: &mut impl Observer,
) -> Result<End, Error> {
    for depth in plan.depths.range() {
        let old = known.get(plan.search, depth);
        let old = old.filter(|row| row.runs >= plan.runs.wanted(row.cpu_min));
        let row = match old {
            Some(row) => row.clone(),
            None => measure_row(plan, subject, depth, &evaluator, observer)?,
        };
        observer.row(&row, old.is_none())?;
        if row.cpu_median > plan.max_cpu {
            return Ok(End::OverLimit { depth });
        }
        if row.proven || subject.position.plies_left().is_some_and(|left| depth >= left) {
            return Ok(End::Settled { depth });
        }
    }
    Ok(End::Range)
}

fn measure_row<G: Game, E: Evaluator<G>>(
    plan: &Plan,
    subject: &Subject<'_, G>,
    depth: u32,
    evaluator: &impl Fn() -> E,
    observer: &mut impl Observer,
) -> Result<Row, Error> {
    let limits = Limits::depth(depth).with_stop(Arc::clone(&plan.stop));
    let mut run = |run| {
        observer.begin(depth, run);
        let sample = measure(plan.search, plan.table_mib, &limits, subject.position, evaluator());
        if plan.stop.load(Ordering::Relaxed) {
            // The search was cut short.
            return Err(Error::Stopped { depth });
        }
        sample.ok_or(Error::GameOver)
    };
    let Sample { cpu, report } = run(1)?;
    let mut times = vec![cpu];
    for number in 2..=plan.runs.wanted(cpu) {
        times.push(run(number)?.cpu);
    }
    times.sort_unstable();
    let cpu_median = median(&times);
    Ok(Row {
        game: G::NAME.to_owned(),
        position: subject.text.to_owned(),
        search: plan.search,
        depth,
        runs: times.len() as u32,
        nodes: report.nodes,
        cpu_min: times[0],
        cpu_median,
        cpu_max: times[times.len() - 1],
        nodes_per_second: per_second(report.nodes, cpu_median),
        best_move: report.best_move().to_string(),
        score: report.score().get(),
        proven: report.proven(),
    })
}

/// The middle of sorted times, of which there must be at least one.
fn median(times: &[Duration]) -> Duration {
    let (low, high) = ((times.len() - 1) / 2, times.len() / 2);
    (times[low] + times[high]) / 2
}

fn per_second(nodes: u64, time: Duration) -> u64 {
    let nanos = time.as_nanos().max(1);
    let rate = u128::from(nodes) * Duration::from_secs(1).as_nanos() / nanos;
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Flat;
    use crate::timing::toy::Countdown;

    #[derive(Default)]
    struct Log {
        begun: Vec<(u32, u32)>,
        rows: Vec<(Row, bool)>,
    }

    impl Observer for Log {
        fn begin(&mut self, depth: u32, run: u32) {
            self.begun.push((depth, run));
        }

        fn row(&mut self, row: &Row, is_new: bool) -> Result<(), Error> {
            self.rows.push((row.clone(), is_new));
            Ok(())
        }
    }

    impl Log {
        fn depths(&self) -> Vec<u32> {
            self.rows.iter().map(|(row, _)| row.depth).collect()
        }

        fn table(&self) -> Table {
            let mut table = Table::default();
            self.rows.iter().for_each(|(row, _)| table.insert(row.clone()));
            table
        }
    }

    fn plan(search: SearchKind) -> Plan {
        Plan {
            search,
            table_mib: 1,
            depths: Depths::ALL,
            max_cpu: Duration::from_secs(3_600),
            runs: Runs::Fixed(NonZeroU32::MIN),
            stop: Arc::default(),
        }
    }

    fn run(plan: &Plan, game: &Countdown, known: &Table) -> (Result<End, Error>, Log) {
        let mut log = Log::default();
        let subject = Subject { position: game, text: "position" };
        (tabulate(plan, &subject, known, || Flat, &mut log), log)
    }

    #[test]
    fn the_table_ends_with_the_last_ply() {
        for search in SearchKind::ALL {
            let (end, log) = run(&plan(search), &Countdown::new(6), &Table::default());
            assert_eq!(end.unwrap(), End::Settled { depth: 6 });
            assert_eq!(log.depths(), [1, 2, 3, 4, 5, 6]);
            assert!(log.rows.iter().all(|(row, is_new)| *is_new && row.fault().is_none()));
            let (last, _) = log.rows.last().unwrap();
            assert!(last.proven && last.nodes > 0);
            assert_eq!((last.game.as_str(), last.position.as_str()), ("countdown", "position"));
        }
    }

    #[test]
    fn the_first_depth_over_the_limit_is_the_last() {
        let plan = Plan { max_cpu: Duration::ZERO, ..plan(SearchKind::AlphaBeta) };
        let (end, log) = run(&plan, &Countdown::new(6), &Table::default());
        assert_eq!(end.unwrap(), End::OverLimit { depth: 1 });
        assert_eq!(log.depths(), [1]);
    }

    #[test]
    fn only_the_depths_asked_for() {
        let plan = Plan { depths: "2..3".parse().unwrap(), ..plan(SearchKind::Minimax) };
        let (end, log) = run(&plan, &Countdown::new(6), &Table::default());
        assert_eq!(end.unwrap(), End::Range);
        assert_eq!(log.depths(), [2, 3]);
    }

    #[test]
    fn each_run_is_counted() {
        let three = Plan { runs: Runs::Auto, ..plan(SearchKind::Minimax) };
        let (_, log) = run(&three, &Countdown::new(2), &Table::default());
        assert_eq!(log.begun, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
        assert!(log.rows.iter().all(|(row, _)| row.runs == 3));
        assert_eq!(Runs::Auto.wanted(Runs::SLOW), Runs::FAST);
        assert_eq!(Runs::Auto.wanted(Runs::SLOW * 2), 1);
    }

    #[test]
    fn known_rows_are_not_measured_again_unless_more_runs_are_asked_for() {
        let once = plan(SearchKind::Minimax);
        let game = Countdown::new(4);
        let (_, first) = run(&once, &game, &Table::default());
        let mut known = Table::default();
        first.rows[..3].iter().for_each(|(row, _)| known.insert(row.clone()));

        let (_, resumed) = run(&once, &game, &known);
        assert_eq!(resumed.begun, [(4, 1)]);
        assert_eq!(
            resumed.rows[..3],
            first.rows[..3].iter().map(|(r, _)| (r.clone(), false)).collect::<Vec<_>>()
        );

        let twice = Plan { runs: Runs::Fixed(NonZeroU32::new(2).unwrap()), ..once.clone() };
        let (_, again) = run(&twice, &game, &resumed.table());
        assert_eq!(again.begun.len(), 8);
        assert_eq!(run(&once, &game, &again.table()).1.begun, [], "more runs are as good");

        let other = run(&plan(SearchKind::AlphaBeta), &game, &resumed.table()).1;
        assert!(other.rows.iter().all(|(_, is_new)| *is_new), "of another search");
    }

    #[test]
    fn a_finished_game_has_no_move_to_time() {
        let (end, log) = run(&plan(SearchKind::Minimax), &Countdown::new(0), &Table::default());
        assert!(matches!(end, Err(Error::GameOver)));
        assert!(log.rows.is_empty());
    }

    #[test]
    fn medians() {
        let times =
            |nanos: &[u64]| nanos.iter().map(|&n| Duration::from_nanos(n)).collect::<Vec<_>>();
        assert_eq!(median(&times(&[4])), Duration::from_nanos(4));
        assert_eq!(median(&times(&[4, 6])), Duration::from_nanos(5));
        assert_eq!(median(&times(&[1, 4, 9])), Duration::from_nanos(4));
        assert_eq!(per_second(500, Duration::from_micros(250)), 2_000_000);
    }
}
