//! Scores: the common currency of results, bounds and evaluations.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// The value of a position to the side to move, or of a move to the side that makes it.
///
/// The scale has three bands, the same for both signs:
///
/// | band | range | meaning |
/// | --- | --- | --- |
/// | won | 29,000 to 30,000 | a forced win; 30,000 less the number of plies to it |
/// | points | up to ±28,999 | the final margin, [`Game::POINT`](crate::Game::POINT) for each point |
/// | estimate | up to ±28,999 | an evaluation, on the scale of the points |
///
/// Every score fits in 16 bits. Hundredths of a point are meant for games with the default `POINT`
/// of 100.
///
/// ```
/// use plyground::Score;
///
/// assert!(Score::win_in(5) > Score::win_in(7));
/// assert!(Score::loss_in(7) > Score::loss_in(5));
/// assert_eq!(Score::points(2).get(), 200);
/// assert_eq!(Score::win_in(5).plies_to_end(), Some(5));
/// assert_eq!(-Score::win_in(5), Score::loss_in(5));
/// assert_eq!(Score::estimate(135).to_string(), "+1.35");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

impl Score {
    /// The value of a point of margin, unless a game sets another [`Game::POINT`](crate::Game::POINT).
    /// Scores between two whole points are left for evaluations.
    pub const POINT: i32 = 100;
    /// The score of a draw: neither side is better.
    pub const ZERO: Score = Score(0);
    /// The score of a game that is already won; no score is greater.
    pub const MAX: Score = Score(30_000);
    /// The score of a game that is already lost; no score is less.
    pub const MIN: Score = Score(-30_000);
    /// The greatest score that is not a forced win, and so the limit of evaluations.
    pub const MAX_ESTIMATE: Score = Score(28_999);
    /// The least score that is not a forced loss.
    pub const MIN_ESTIMATE: Score = Score(-28_999);

    /// Returns a score from an estimate in hundredths of a point, held below every won score.
    #[inline]
    #[must_use]
    pub const fn estimate(hundredths: i32) -> Score {
        if hundredths > Self::MAX_ESTIMATE.0 {
            Self::MAX_ESTIMATE
        } else if hundredths < Self::MIN_ESTIMATE.0 {
            Self::MIN_ESTIMATE
        } else {
            Score(hundredths)
        }
    }

    /// Returns the score of a final margin of `margin` points (at most 289 either way) in a game that keeps
    /// the default [`Game::POINT`](crate::Game::POINT).
    #[inline]
    #[must_use]
    pub const fn points(margin: i32) -> Score {
        Score::of_margin(margin, Self::POINT)
    }

    /// Returns the score of a final margin of `margin` points that are worth `point` each.
    #[inline]
    #[must_use]
    pub const fn of_margin(margin: i32, point: i32) -> Score {
        Score(margin * point)
    }

    /// Returns the score of a win that comes in `plies` plies (at most 1,000).
    #[inline]
    #[must_use]
    pub const fn win_in(plies: u32) -> Score {
        Score(Self::MAX.0 - plies as i32)
    }

    /// Returns the score of a loss that comes in `plies` plies (at most 1,000).
    #[inline]
    #[must_use]
    pub const fn loss_in(plies: u32) -> Score {
        Score(plies as i32 - Self::MAX.0)
    }

    /// Returns the number behind the score, from -30,000 to 30,000.
    #[inline]
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// Makes the score with this number behind it, held between [`MIN`](Score::MIN) and
    /// [`MAX`](Score::MAX).
    #[must_use]
    pub const fn new(number: i32) -> Score {
        if number > Self::MAX.0 {
            Self::MAX
        } else if number < Self::MIN.0 {
            Self::MIN
        } else {
            Score(number)
        }
    }

    /// Returns a score from the number behind it.
    #[inline]
    pub(crate) const fn from_raw(raw: i32) -> Score {
        Score(raw)
    }

    /// Returns true if this is a forced win.
    #[inline]
    #[must_use]
    pub const fn is_win(self) -> bool {
        self.0 > Self::MAX_ESTIMATE.0
    }

    /// Returns true if this is a forced loss.
    #[inline]
    #[must_use]
    pub const fn is_loss(self) -> bool {
        self.0 < Self::MIN_ESTIMATE.0
    }

    /// Rounds the score up to a whole number of points that are worth `point` each; a forced end stays as
    /// it is.
    #[must_use]
    pub const fn round_up(self, point: i32) -> Score {
        if self.plies_to_end().is_some() {
            return self;
        }
        let below = self.0.div_euclid(point);
        let part = self.0.rem_euclid(point);
        Score((below + (part > 0) as i32) * point)
    }

    /// Returns the same score with a forced end a ply further away.
    pub(crate) const fn one_ply_further(self) -> Score {
        if self.is_win() {
            Score(self.0 - 1)
        } else if self.is_loss() {
            Score(self.0 + 1)
        } else {
            self
        }
    }

    /// Returns the score as text, for a game in which a point is worth `point`: `win in 5`, `loss in 2`, or
    /// the points with two decimals, `+1.35`.
    #[must_use]
    pub const fn display(self, point: i32) -> DisplayScore {
        DisplayScore { score: self, point }
    }

    /// Returns the number of plies to the forced end of the game: positive if it is a win, negative if it
    /// is a loss (0 for a loss that has already come), `None` if neither is forced.
    #[must_use]
    pub const fn plies_to_end(self) -> Option<i32> {
        if self.is_win() {
            Some(Self::MAX.0 - self.0)
        } else if self.is_loss() {
            Some(Self::MIN.0 - self.0)
        } else {
            None
        }
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    #[inline]
    fn add(self, hundredths: i32) -> Score {
        Score(self.0 + hundredths)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    #[inline]
    fn sub(self, hundredths: i32) -> Score {
        Score(self.0 - hundredths)
    }
}

/// Writes the score like [`Score::display`] with the default [`POINT`](Score::POINT).
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(Score::POINT).fmt(f)
    }
}

/// A score as text, for a game with a given value of a point: see [`Score::display`].
///
/// ```
/// use plyground::Score;
///
/// let half_a_point = Score::estimate(500);
/// assert_eq!(half_a_point.display(1_000).to_string(), "+0.50");
/// assert_eq!(format!("{:>10}", Score::loss_in(2).display(1_000)), " loss in 2");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DisplayScore {
    score: Score,
    point: i32,
}

impl fmt::Display for DisplayScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.score.plies_to_end() {
            Some(plies) if self.score.is_win() => format!("win in {plies}"),
            Some(plies) => format!("loss in {}", -plies),
            None if self.score.0 == 0 => "0.00".to_owned(),
            None => format!("{:+.2}", f64::from(self.score.0) / f64::from(self.point)),
        };
        f.pad(&text)
    }
}

/// A closed interval that is known to hold a score.
///
/// ```
/// use plyground::{Bounds, Score};
///
/// let bounds = Bounds::points(-1, 3);
/// assert_eq!(bounds.flip(), Bounds::points(-3, 1));
/// assert_eq!(bounds.clamp(Score::points(5)), Score::points(3));
/// assert_eq!(bounds.intersect(Bounds::points(3, 9)).exact(), Some(Score::points(3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least possible score.
    pub lower: Score,
    /// The greatest possible score; not less than `lower`.
    pub upper: Score,
}

impl Bounds {
    /// The interval of all scores.
    pub const NONE: Bounds = Bounds { lower: Score::MIN, upper: Score::MAX };

    /// Returns the interval that contains only `score`.
    #[inline]
    #[must_use]
    pub const fn only(score: Score) -> Bounds {
        Bounds { lower: score, upper: score }
    }

    /// Returns the interval of final margins from `lower` to `upper` points in a game that keeps the
    /// default [`Game::POINT`](crate::Game::POINT).
    #[inline]
    #[must_use]
    pub const fn points(lower: i32, upper: i32) -> Bounds {
        Bounds::of_margins(lower, upper, Score::POINT)
    }

    /// Returns the interval of final margins from `lower` to `upper` points that are worth `point` each.
    #[inline]
    #[must_use]
    pub const fn of_margins(lower: i32, upper: i32, point: i32) -> Bounds {
        Bounds { lower: Score::of_margin(lower, point), upper: Score::of_margin(upper, point) }
    }

    /// Returns the same bounds as the other side sees them.
    #[inline]
    #[must_use]
    pub fn flip(self) -> Bounds {
        Bounds { lower: -self.upper, upper: -self.lower }
    }

    /// Returns the intersection of two intervals. They must not contradict each other.
    #[inline]
    #[must_use]
    pub fn intersect(self, other: Bounds) -> Bounds {
        Bounds { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// Returns `score`, moved into the interval.
    #[inline]
    #[must_use]
    pub fn clamp(self, score: Score) -> Score {
        score.clamp(self.lower, self.upper)
    }

    /// Returns the only score that the interval holds, if there is only one.
    #[inline]
    #[must_use]
    pub fn exact(self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// The same bounds as the other side sees them, like [`Bounds::flip`].
impl Neg for Bounds {
    type Output = Bounds;
    #[inline(always)]
    fn neg(self) -> Bounds {
        self.flip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_touch() {
        assert!(Score::win_in(1_000).is_win());
        assert!(Score::loss_in(1_000).is_loss());
        assert!(!Score::estimate(i32::MAX).is_win());
        assert!(!Score::estimate(i32::MIN).is_loss());
    }

    #[test]
    fn sooner_wins_and_later_losses_are_better() {
        assert!(Score::win_in(1) > Score::win_in(3));
        assert!(Score::loss_in(4) > Score::loss_in(2));
    }

    #[test]
    fn plies_to_end_has_the_sign_of_the_result() {
        assert_eq!(Score::win_in(5).plies_to_end(), Some(5));
        assert_eq!(Score::loss_in(4).plies_to_end(), Some(-4));
        assert_eq!(Score::points(3).plies_to_end(), None);
    }

    #[test]
    fn rounding_up_ends_at_whole_points() {
        let rounded =
            [-101, -100, -99, 0, 1, 99, 100].map(|raw| Score(raw).round_up(Score::POINT).0);
        assert_eq!(rounded, [-100, -100, 0, 0, 100, 100, 100]);
        assert_eq!(Score::win_in(7).round_up(Score::POINT), Score::win_in(7));
    }

    #[test]
    fn display_is_for_people() {
        assert_eq!(Score::win_in(5).to_string(), "win in 5");
        assert_eq!(Score::loss_in(2).to_string(), "loss in 2");
        assert_eq!(Score::points(-1).to_string(), "-1.00");
        assert_eq!(Score::ZERO.to_string(), "0.00");
        assert_eq!(format!("{:>7}", Score::estimate(135)), "  +1.35");
    }
}
