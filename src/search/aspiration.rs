//! The windows of the search for a value, and the deepening of exact searches.

use super::limits::Meter;
use super::report::{Line, Options, Report};
use crate::hints::SearchHints;
use crate::score::{Bounds, Score};
use crate::value::Value;

/// The divisor of a point that gives half the width of the first window.
const FIRST_MARGIN_DIVISOR: i32 = 3;

/// The factor by which a window grows if the value was outside.
const MARGIN_GROWTH: i32 = 4;

/// The windows that close in on the value of a position.
#[derive(Debug)]
pub(super) struct Aspiration {
    lower: Score,
    upper: Score,
    guess: Score,
    /// Half the width of the next window; 0 for null windows, `None` for the full window.
    margin: Option<i32>,
}

impl Aspiration {
    /// Makes the windows for the value of `position` at `depth`, which may be near `guess`.
    ///
    /// At the end of the game there are so few different results that null windows find the value fastest.
    pub(super) fn new<G: SearchHints>(
        position: &G,
        depth: u32,
        guess: Score,
        options: &Options,
    ) -> Aspiration {
        let to_the_end = position.plies_left().is_some_and(|left| depth >= left);
        let margin = match (options.aspiration, to_the_end) {
            (false, _) => None,
            (true, false) => Some((G::POINT / FIRST_MARGIN_DIVISOR).max(1)),
            (true, true) => Some(0),
        };
        Aspiration { lower: Score::MIN, upper: Score::MAX, guess, margin }
    }

    /// Limits the windows to `upper`: it is enough to know that the value reaches it.
    pub(super) fn cap(&mut self, upper: Score) {
        self.upper = upper;
    }

    /// Returns the next window to search, or `None` if the value is known.
    pub(super) fn next(&self) -> Option<(Score, Score)> {
        if self.lower >= self.upper {
            return None;
        }
        let guess = self.guess.clamp(self.lower, self.upper);
        let (alpha, beta) = match self.margin {
            None => (self.lower - 1, self.upper + 1),
            Some(0) if guess == self.lower => (guess, guess + 1),
            Some(0) => (guess - 1, guess),
            Some(margin) => (guess - margin, guess + margin),
        };
        Some((alpha.max(self.lower - 1), beta.min(self.upper + 1)))
    }

    /// Narrows the windows after the search of `alpha` to `beta` returned `score`.
    pub(super) fn narrow(&mut self, alpha: Score, beta: Score, score: Score) {
        if score > alpha {
            self.lower = self.lower.max(score);
        }
        if score < beta {
            self.upper = self.upper.min(score);
        }
        self.guess = score;
        self.margin = self.margin.map(|margin| margin * MARGIN_GROWTH);
    }

    /// Returns the bounds known for the value.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { lower: self.lower, upper: self.upper }
    }

    /// Returns the value, once there is no further window to search.
    pub(super) fn value(&self) -> Score {
        self.lower
    }
}

/// The result of a search at one depth.
#[derive(Clone, Debug)]
pub(super) struct Found<M> {
    /// The value of the position.
    pub(super) value: Value,
    /// The lines, the best first; at least one.
    pub(super) lines: Vec<Line<M>>,
}

impl<M> Found<M> {
    /// Makes the result that consists of one line and its value.
    pub(super) fn one(line: Line<M>) -> Found<M> {
        Found { value: line.value, lines: vec![line] }
    }
}

/// A search that can look an exact number of plies ahead.
pub(super) trait FixedDepth<G: SearchHints> {
    /// Returns the result at `depth`, or `None` if the meter stopped the search.
    fn look(&mut self, depth: u32) -> Option<Found<G::Move>>;

    /// Returns the meter that counts this search.
    fn meter(&self) -> &Meter;
}

/// Searches `depths` one after the other, until a limit is reached or no value is an estimate.
///
/// `fallback` is the answer if not even one depth can be finished.
pub(super) fn deepen<G: SearchHints>(
    search: &mut impl FixedDepth<G>,
    depths: impl Iterator<Item = u32>,
    fallback: Line<G::Move>,
    progress: &mut dyn FnMut(&Report<G::Move>),
) -> Report<G::Move> {
    let mut depth_done = 0;
    let mut last = Found::one(fallback);
    for depth in depths {
        let Some(found) = search.look(depth) else { break };
        let report = report(search, depth, found.clone());
        progress(&report);
        (depth_done, last) = (depth, found);
        if report.is_final() || search.meter().is_stopped() {
            break;
        }
    }
    report(search, depth_done, last)
}

fn report<G: SearchHints>(
    search: &impl FixedDepth<G>,
    depth: u32,
    Found { value, lines }: Found<G::Move>,
) -> Report<G::Move> {
    let meter = search.meter();
    Report { value, lines, depth, nodes: meter.nodes(), cpu: meter.cpu(), wall: meter.wall() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TicTacToe;

    /// A limit on the number of windows, more than any of these values needs.
    const MANY: usize = 40;

    const GUESS: Score = Score::estimate(3);

    /// The result of searching a window for a value beyond it.
    #[derive(Clone, Copy, Debug)]
    enum Beyond {
        /// The nearest end of the window.
        End,
        /// The value itself.
        Value,
    }

    /// Returns the value that the windows find for `value`, with or without aspiration, at a depth that
    /// reaches the end of the game or not. A result at or above the cap means only that the value reaches
    /// the cap.
    fn found(
        aspiration: bool,
        depth: u32,
        cap: Option<Score>,
        value: Score,
        beyond: Beyond,
    ) -> Score {
        let options = Options { aspiration, ..Options::default() };
        let mut windows = Aspiration::new(&TicTacToe::default(), depth, GUESS, &options);
        cap.into_iter().for_each(|cap| windows.cap(cap));
        for _ in 0..MANY {
            let Some((alpha, beta)) = windows.next() else { return windows.value() };
            assert!(alpha < beta, "{windows:?}");
            let score = match beyond {
                Beyond::End => value.clamp(alpha, beta),
                Beyond::Value => value,
            };
            windows.narrow(alpha, beta, score);
        }
        panic!("{value:?} is not found: {windows:?}");
    }

    #[test]
    fn every_value_near_the_guess_is_found_soon() {
        for value in (-12..=18).map(Score::estimate) {
            for (aspiration, depth) in [(false, 3), (false, 9), (true, 3), (true, 9)] {
                for beyond in [Beyond::End, Beyond::Value] {
                    assert_eq!(found(aspiration, depth, None, value, beyond), value);
                    for cap in [-9, 3, 12].map(Score::estimate) {
                        let found = found(aspiration, depth, Some(cap), value, beyond);
                        assert_eq!(
                            found.min(cap),
                            value.min(cap),
                            "{aspiration} {depth} {beyond:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn values_far_from_the_guess_are_found_soon() {
        for value in [Score::MIN, Score::loss_in(2), Score::win_in(1), Score::MAX] {
            for (aspiration, depth) in [(false, 3), (true, 3)] {
                assert_eq!(found(aspiration, depth, None, value, Beyond::End), value);
            }
            assert_eq!(found(true, 9, None, value, Beyond::Value), value);
        }
    }
}
