//! What both tables have in common: one depth after the other, each measured several times.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::time::Duration;

use plyground_host::Fault;

use super::depths::Depths;

/// How often each position is measured at a depth.
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
    pub(super) fn wanted(self, cpu: Duration) -> u32 {
        match self {
            Runs::Fixed(runs) => runs.get(),
            Runs::Auto if cpu > Runs::SLOW => 1,
            Runs::Auto => Runs::FAST,
        }
    }

    /// The times of as many runs as are wanted. `run` is given the number of the run, from 1.
    ///
    /// # Errors
    ///
    /// Those of `run`.
    pub(super) fn measure<E>(
        self,
        mut run: impl FnMut(u32) -> Result<Duration, E>,
    ) -> Result<Times, E> {
        let first = run(1)?;
        let others = (2..=self.wanted(first)).map(run);
        Ok(Times::new([Ok(first)].into_iter().chain(others).collect::<Result<_, E>>()?))
    }
}

/// Some CPU times, at least one, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn new(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        Times(times)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn min(&self) -> Duration {
        self.0[0]
    }

    /// The middle one, or the mean of the middle two.
    pub(super) fn median(&self) -> Duration {
        let (low, high) = ((self.0.len() - 1) / 2, self.0.len() / 2);
        (self.0[low] + self.0[high]) / 2
    }

    pub(super) fn max(&self) -> Duration {
        self.0[self.0.len() - 1]
    }
}

/// Why no greater depth is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimingEnd {
    /// This depth took longer than the limit.
    OverLimit {
        /// The last depth of the table.
        depth: u32,
    },
    /// This depth looks to the end of the game, or finds the result of best play: greater depths
    /// are the same search.
    Solved {
        /// The last depth of the table.
        depth: u32,
    },
    /// No more depths were asked for.
    Range,
    /// The player lost by a fault; our own searches make none.
    Fault {
        /// The depth, which is not in the table.
        depth: u32,
        /// The moves that lead to the position, separated by blanks.
        moves: String,
        /// What the player did.
        fault: Fault,
    },
}

/// What a depth took.
#[derive(Clone, Copy, Debug)]
pub(super) struct DepthTime {
    /// The time that must not be over the limit.
    pub(super) cpu: Duration,
    /// Whether greater depths are the same search.
    pub(super) is_solved: bool,
}

/// Measures one depth after the other, to the first that takes longer than `limit`, which is
/// finished nevertheless, or the first after which greater depths are the same search. `measure`
/// may end it, too. No depth is greater than one that reaches `plies_left`, the end of the game.
///
/// # Errors
///
/// Those of `measure`.
pub(super) fn by_depth<E>(
    depths: Depths,
    limit: Duration,
    plies_left: Option<u32>,
    mut measure: impl FnMut(u32) -> Result<ControlFlow<TimingEnd, DepthTime>, E>,
) -> Result<TimingEnd, E> {
    for depth in depths.range() {
        let DepthTime { cpu, is_solved } = match measure(depth)? {
            ControlFlow::Continue(time) => time,
            ControlFlow::Break(end) => return Ok(end),
        };
        if cpu > limit {
            return Ok(TimingEnd::OverLimit { depth });
        }
        if is_solved || plies_left.is_some_and(|left| depth >= left) {
            return Ok(TimingEnd::Solved { depth });
        }
    }
    Ok(TimingEnd::Range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(times: &[u64]) -> Times {
        Times::new(times.iter().map(|&time| Duration::from_millis(time)).collect())
    }

    #[test]
    fn median_is_the_middle() {
        assert_eq!(millis(&[4]).median(), Duration::from_millis(4));
        assert_eq!(millis(&[6, 4]).median(), Duration::from_millis(5));
        let three = millis(&[9, 1, 4]);
        let ends = [three.min(), three.median(), three.max()];
        assert_eq!(ends, [1, 4, 9].map(Duration::from_millis));
    }

    #[test]
    fn slow_run_is_not_repeated() {
        for (runs, first, count) in [
            (Runs::Auto, Runs::SLOW, 3),
            (Runs::Auto, Runs::SLOW * 2, 1),
            (Runs::Fixed(NonZeroU32::MIN), Duration::ZERO, 1),
        ] {
            let times = runs.measure(|_| Ok::<_, ()>(first));
            assert_eq!(times.map(|times| times.count()), Ok(count));
        }
        assert_eq!(
            Runs::Auto.measure(|run| if run == 2 { Err(run) } else { Ok(Runs::SLOW) }),
            Err(2)
        );
    }

    #[test]
    fn table_ends_for_the_first_reason() {
        let end = |depths: &str, limit: u64, left: Option<u32>| {
            let time = |depth| {
                let cpu = Duration::from_millis(u64::from(depth));
                Ok::<_, ()>(ControlFlow::Continue(DepthTime { cpu, is_solved: depth == 9 }))
            };
            let depths = depths.parse().expect("depths");
            by_depth(depths, Duration::from_millis(limit), left, time).expect("an end")
        };
        assert_eq!(end("1..", 4, None), TimingEnd::OverLimit { depth: 5 });
        assert_eq!(end("2..3", 4, None), TimingEnd::Range);
        assert_eq!(end("1..", 50, Some(7)), TimingEnd::Solved { depth: 7 });
        assert_eq!(end("1..", 50, Some(17)), TimingEnd::Solved { depth: 9 });
        assert_eq!(end("9..", 5, Some(1)), TimingEnd::OverLimit { depth: 9 });
    }
}
