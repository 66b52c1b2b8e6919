//! The measurement that both tables share: one depth after the other, each several times.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;
use std::time::Duration;

use plyground::search::MAX_DEPTH;
use plyground_host::{Fault, HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use crate::matches::draw_openings;

/// The number of measurements of each position at a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// [`Runs::FAST`] measurements, or one if the first run takes longer than [`Runs::SLOW`].
    Auto,
    /// Always this number.
    Fixed(NonZeroU32),
}

impl Runs {
    /// The number of runs of a fast depth. It is odd, so that the median is a measured time.
    pub const FAST: u32 = 3;
    /// The time above which a run is not repeated: long times vary little, so a repetition shows
    /// nothing new.
    pub const SLOW: Duration = Duration::from_secs(10);

    /// Returns the wanted number of runs of a depth, given the time `cpu` of one run.
    pub(super) fn wanted(self, cpu: Duration) -> u32 {
        match self {
            Runs::Fixed(runs) => runs.get(),
            Runs::Auto if cpu > Runs::SLOW => 1,
            Runs::Auto => Runs::FAST,
        }
    }

    /// Measures the wanted number of runs. `run` is given the number of the run, from 1.
    pub(super) fn measure<E>(
        self,
        mut run: impl FnMut(u32) -> Result<Duration, E>,
    ) -> Result<Times, E> {
        let first = run(1)?;
        let others = (2..=self.wanted(first)).map(run);
        Ok(Times::new([Ok(first)].into_iter().chain(others).collect::<Result<_, E>>()?))
    }
}

/// A list of CPU times, at least one, in order.
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

    /// Returns the middle time, or the mean of the middle two.
    pub(super) fn median(&self) -> Duration {
        let (low, high) = ((self.0.len() - 1) / 2, self.0.len() / 2);
        (self.0[low] + self.0[high]) / 2
    }

    pub(super) fn max(&self) -> Duration {
        self.0[self.0.len() - 1]
    }
}

/// The reason why no greater depth is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimingEnd {
    /// This depth, the last of the table, took longer than the limit.
    OverLimit(u32),
    /// This depth, the last of the table, reaches the end of the game or finds the result of best play, so greater
    /// depths are the same search.
    Solved(u32),
    /// All requested depths are measured.
    Range,
    /// The player lost by a fault, which an engine player never commits.
    Fault {
        /// The depth, which is not in the table.
        depth: u32,
        /// The moves that lead to the position, separated by blanks.
        moves: String,
        /// The fault.
        fault: Fault,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DepthTime {
    /// The time that is compared with the limit.
    pub(super) cpu: Duration,
    /// If true, greater depths are the same search.
    pub(super) is_solved: bool,
}

/// Measures one depth after the other, up to the first that takes longer than `limit`, which is
/// still finished, or the first after which greater depths are the same search. `measure` may also
/// end the measurement. No depth beyond the end of the game, which is `plies_left` away, is
/// measured.
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
            return Ok(TimingEnd::OverLimit(depth));
        }
        if is_solved || plies_left.is_some_and(|left| depth >= left) {
            return Ok(TimingEnd::Solved(depth));
        }
    }
    Ok(TimingEnd::Range)
}

/// A range of search depths in plies, both ends included, within 1 to [`MAX_DEPTH`].
///
/// The text is `A..B`, `A..` (no end), `..B` (from 1) or `N` (only this depth).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    first: u32,
    last: u32,
}

impl Depths {
    /// The range of all depths that a search can have.
    pub const ALL: Depths = Depths { first: 1, last: MAX_DEPTH };

    /// Reads a range with ends of at most `greatest`.
    pub fn within(text: &str, greatest: u32) -> Result<Depths, NotDepths> {
        let refused = NotDepths { greatest };
        let depth = |text: &str| text.trim().parse().ok().filter(|depth| *depth <= greatest);
        let end = |text: &str, absent: u32| match text.trim() {
            "" => Some(absent),
            number => depth(number),
        };
        let ends = match text.split_once("..") {
            Some((first, last)) if first.trim().is_empty() && last.trim().is_empty() => None,
            Some((first, last)) => end(first, 1).zip(end(last, MAX_DEPTH)),
            None => depth(text).map(|only| (only, only)),
        };
        let (first, last) =
            ends.filter(|(first, last)| 1 <= *first && first <= last).ok_or(refused)?;
        Ok(Depths { first, last })
    }

    /// Returns the range without depths greater than `last`, but always with its first depth.
    pub fn up_to(self, last: u32) -> Depths {
        Depths { last: self.last.min(last).max(self.first), ..self }
    }

    /// Returns the depths, in rising order.
    pub fn range(self) -> RangeInclusive<u32> {
        self.first..=self.last
    }
}

/// The error for a text that is not a range of depths.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "expected `A..B`, `A..`, `..B` or `N`, where A, B and N are depths from 1 to {greatest} and A \
     is not greater than B"
)]
pub struct NotDepths {
    greatest: u32,
}

impl FromStr for Depths {
    type Err = NotDepths;

    fn from_str(text: &str) -> Result<Depths, NotDepths> {
        Depths::within(text, MAX_DEPTH)
    }
}

impl fmt::Display for Depths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Depths { first, last } if first == last => write!(f, "{first}"),
            Depths { first, last: MAX_DEPTH } => write!(f, "{first}.."),
            Depths { first, last } => write!(f, "{first}..{last}"),
        }
    }
}

/// The least number of plies before a sampled position.
const FIRST_PLY: u32 = 4;

/// The least number of plies after a sampled position, in a game of limited length: the last moves
/// take no time.
const LAST_PLIES: u32 = 6;

/// The last ply of sampled positions in games without a limit.
const LAST_PLY: u32 = 30;

/// The number of lengths in a row without a game after which no more games are expected.
const VAIN_DRAWS: u32 = 1_000;

/// Returns the moves of `count` unfinished games of random moves from `start`. They reach middle
/// games, and all lengths are equally likely. Returns fewer if there are no such games. The same
/// seed draws the same games.
pub fn sample_games(start: &HostedPosition, count: usize, seed: u64) -> Vec<Vec<MoveText>> {
    let last = start.usual_plies().map_or(LAST_PLY, |usual| usual.saturating_sub(LAST_PLIES));
    let (mut rng, mut games, mut vain) = (StdRng::seed_from_u64(seed), Vec::new(), 0);
    while games.len() < count && vain < VAIN_DRAWS {
        let plies = rng.random_range(FIRST_PLY.min(last)..=last);
        match draw_openings(start, plies, 1, rng.random()) {
            Ok(drawn) => {
                games.extend(drawn);
                vain = 0;
            }
            Err(_) => vain += 1,
        }
    }
    games
}

#[cfg(test)]
mod tests {
    use plyground::Game;
    use plyground_host::toy::toy;

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
        assert_eq!(end("1..", 4, None), TimingEnd::OverLimit(5));
        assert_eq!(end("2..3", 4, None), TimingEnd::Range);
        assert_eq!(end("1..", 50, Some(7)), TimingEnd::Solved(7));
        assert_eq!(end("1..", 50, Some(17)), TimingEnd::Solved(9));
        assert_eq!(end("9..", 5, Some(1)), TimingEnd::OverLimit(9));
    }

    #[test]
    fn four_forms_are_read() {
        for (text, first, last) in [
            ("3..8", 3, 8),
            ("3..", 3, MAX_DEPTH),
            ("..8", 1, 8),
            ("5", 5, 5),
            (" 3 .. 8 ", 3, 8),
            ("7..7", 7, 7),
            ("1..200", 1, 200),
        ] {
            assert_eq!(text.parse(), Ok(Depths { first, last }), "{text}");
        }
    }

    #[test]
    fn display_reads_back() {
        for text in ["3..8", "3..", "1..8", "5", "1.."] {
            assert_eq!(text.parse::<Depths>().unwrap().to_string(), text);
        }
        assert_eq!(Depths::ALL.to_string(), "1..");
    }

    #[test]
    fn other_text_is_refused() {
        for text in
            ["", " ", "..", "0", "0..3", "8..3", "201", "..201", "-1", "1-3", "a..b", "1...3"]
        {
            assert_eq!(text.parse::<Depths>(), Err(NotDepths { greatest: MAX_DEPTH }), "{text}");
        }
    }

    #[test]
    fn same_seed_draws_the_same_games() {
        let start = toy().start();
        let games = sample_games(&start, 20, 1);
        assert_eq!(games.len(), 20);
        assert_eq!(sample_games(&start, 20, 1), games);
        for game in games {
            let end = game.iter().fold(start.clone(), |position, &mv| position.after(mv));
            assert_eq!(end.outcome(), None);
        }
    }
}
