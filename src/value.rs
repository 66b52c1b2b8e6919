//! Values: scores that are exact, bounds or estimates.

use std::fmt;
use std::ops::Neg;

use crate::game::Turn;
use crate::score::{Bounds, Score};

/// A statement about the result of best play: a score, and its relation to the result.
///
/// Proven means [`Exact`](Value::Exact), and nothing else. A proof that one side wins within 15
/// plies is a bound: the side may win sooner.
///
/// ```
/// use plyground::{Score, Value};
///
/// assert_eq!(Value::Exact(Score::win_in(5)).to_string(), "win in 5");
/// assert_eq!(Value::AtLeast(Score::win_in(15)).to_string(), "win in <= 15");
/// assert_eq!(Value::AtMost(Score::points(1)).to_string(), "<= +1.00");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The result of best play.
    Exact(Score),
    /// A lower limit on the result, as the side that the score is for sees it.
    AtLeast(Score),
    /// An upper limit on the result.
    AtMost(Score),
    /// A guess: the result may be different.
    Estimate(Score),
}

impl Value {
    /// Returns the value of a move, or of a position that is not over, whose result is at least `score`. The
    /// value is exact for a win in 1 ply: no result is better.
    #[must_use]
    pub fn at_least(score: Score) -> Value {
        if score >= Score::win_in(1) { Value::Exact(score) } else { Value::AtLeast(score) }
    }

    /// Returns the value of a move, or of a position that is not over, whose result is at most `score`. The
    /// value is exact for a loss in 1 ply: no result is worse.
    #[must_use]
    pub fn at_most(score: Score) -> Value {
        if score <= Score::loss_in(1) { Value::Exact(score) } else { Value::AtMost(score) }
    }

    /// Returns the score: the result, a limit on it, or the estimate.
    #[inline]
    #[must_use]
    pub const fn score(self) -> Score {
        match self {
            Value::Exact(score)
            | Value::AtLeast(score)
            | Value::AtMost(score)
            | Value::Estimate(score) => score,
        }
    }

    /// Returns true if the score is the result of best play.
    #[inline]
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Value::Exact(_))
    }

    /// Returns true if the score is an estimate, which proves nothing.
    #[inline]
    #[must_use]
    pub const fn is_estimate(self) -> bool {
        matches!(self, Value::Estimate(_))
    }

    /// Returns the interval that is known to hold the result.
    #[must_use]
    pub const fn bounds(self) -> Bounds {
        match self {
            Value::Exact(score) => Bounds::only(score),
            Value::AtLeast(score) => Bounds { lower: score, ..Bounds::NONE },
            Value::AtMost(score) => Bounds { upper: score, ..Bounds::NONE },
            Value::Estimate(_) => Bounds::NONE,
        }
    }

    /// Returns the value as text, for a game in which a point is worth `point`.
    #[must_use]
    pub const fn display(self, point: i32) -> DisplayValue {
        DisplayValue { value: self, point }
    }

    /// Returns the value of a move for the side that makes it, where `self` is the value of the position
    /// after the move and `turn` the step to that position; see [`Turn::before_move`].
    #[must_use]
    pub fn before_move(self, turn: Turn) -> Value {
        match turn.across(self) {
            Value::Exact(score) => Value::Exact(score.one_ply_further()),
            Value::AtLeast(score) => Value::AtLeast(score.one_ply_further()),
            Value::AtMost(score) => Value::AtMost(score.one_ply_further()),
            Value::Estimate(score) => Value::Estimate(score.one_ply_further()),
        }
    }
}

/// The same value as the other side sees it.
impl Neg for Value {
    type Output = Value;
    #[inline]
    fn neg(self) -> Value {
        match self {
            Value::Exact(score) => Value::Exact(-score),
            Value::AtLeast(score) => Value::AtMost(-score),
            Value::AtMost(score) => Value::AtLeast(-score),
            Value::Estimate(score) => Value::Estimate(-score),
        }
    }
}

/// Exact values and estimates read like their scores, `win in 5` or `+1.35`. Bounds show that they
/// are bounds: `win in <= 15`, `loss in <= 14`, `>= +1.00`, `<= -2.00`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(Score::POINT).fmt(f)
    }
}

/// A value as text, for a game with a given value of a point: see [`Value::display`].
///
/// ```
/// use plyground::{Score, Value};
///
/// assert_eq!(Value::AtLeast(Score::of_margin(2, 10)).display(10).to_string(), ">= +2.00");
/// assert_eq!(Value::AtMost(Score::loss_in(14)).display(10).to_string(), "loss in <= 14");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DisplayValue {
    value: Value,
    point: i32,
}

impl fmt::Display for DisplayValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let point = self.point;
        let text = match self.value {
            Value::Exact(score) | Value::Estimate(score) => return score.display(point).fmt(f),
            Value::AtLeast(score) if score.is_win() => within("win", score),
            Value::AtMost(score) if score.is_loss() => within("loss", score),
            Value::AtLeast(score) => format!(">= {}", score.display(point)),
            Value::AtMost(score) => format!("<= {}", score.display(point)),
        };
        f.pad(&text)
    }
}

fn within(what: &str, score: Score) -> String {
    let plies = score.plies_to_end().map_or(0, i32::unsigned_abs);
    format!("{what} in <= {plies}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;

    #[test]
    fn display_tells_bounds_from_results() {
        let texts = [
            (Value::Exact(Score::win_in(5)), "win in 5"),
            (Value::Exact(Score::points(1)), "+1.00"),
            (Value::AtLeast(Score::win_in(15)), "win in <= 15"),
            (Value::AtMost(Score::loss_in(14)), "loss in <= 14"),
            (Value::AtLeast(Score::points(1)), ">= +1.00"),
            (Value::AtMost(Score::points(-2)), "<= -2.00"),
            (Value::AtLeast(Score::loss_in(4)), ">= loss in 4"),
            (Value::Estimate(Score::estimate(135)), "+1.35"),
        ];
        for (value, text) in texts {
            assert_eq!(value.to_string(), text);
        }
        assert_eq!(format!("{:>14}|", Value::AtLeast(Score::win_in(9))), "   win in <= 9|");
    }

    #[test]
    fn the_other_side_sees_the_other_bound() {
        let won = Value::AtLeast(Score::win_in(3));
        let [turn, stays] = Side::BOTH.map(|after| Turn::of_sides(Side::Second, after));
        assert_eq!(won.before_move(stays), Value::AtLeast(Score::win_in(4)));
        assert_eq!(-won, Value::AtMost(Score::loss_in(3)));
        assert_eq!(won.before_move(turn), Value::AtMost(Score::loss_in(4)));
        assert_eq!((-won).before_move(turn), Value::AtLeast(Score::win_in(4)));
    }

    #[test]
    fn a_value_and_its_reverse_hold_the_same_results() {
        let score = Score::points(2);
        let (lower, upper) = (score, score);
        for (value, bounds) in [
            (Value::Exact(score), Bounds { lower, upper }),
            (Value::AtLeast(score), Bounds { lower, upper: Score::MAX }),
            (Value::AtMost(score), Bounds { lower: Score::MIN, upper }),
            (Value::Estimate(score), Bounds::NONE),
        ] {
            assert_eq!(value.bounds(), bounds);
            assert_eq!(((-value).bounds(), (-value).score()), (bounds.flip(), -score));
            assert_eq!(-(-value), value);
        }
    }

    #[test]
    fn nothing_beats_a_win_in_one() {
        assert_eq!(Value::at_least(Score::win_in(1)), Value::Exact(Score::win_in(1)));
        assert_eq!(Value::at_least(Score::win_in(3)), Value::AtLeast(Score::win_in(3)));
        assert_eq!(Value::at_most(Score::loss_in(1)), Value::Exact(Score::loss_in(1)));
        assert_eq!(Value::at_most(Score::loss_in(2)), Value::AtMost(Score::loss_in(2)));
    }
}
