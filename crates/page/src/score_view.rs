//! Values of moves and positions as the page shows them.

use plyground::{Side, Value};
use plyground_host::{Bound, HostedGame};
use serde::Serialize;

/// A value as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreView {
    /// The score as [`Side::First`] sees it, in hundredths of a point unless the game's point is another
    /// number.
    first: i32,
    /// The relation of the score to the value, as `side` sees it.
    bound: Bound,
    /// The side that sees the scores in the texts, as [`Side::index`].
    side: usize,
    /// If true, the score is that of a forced end.
    forced: bool,
    /// The text for a table: `+1.35`, `win in 5`, `win in ≤ 15`.
    text: String,
    /// The text for a cell of the board: `+1.4`, `W5`, `W≤15`.
    short: String,
}

impl ScoreView {
    /// Returns the view of a value that `side` has in `game`.
    #[must_use]
    pub fn new(game: &dyn HostedGame, side: Side, value: Value) -> ScoreView {
        let first = if side == Side::First { value } else { -value };
        ScoreView {
            first: first.score().get(),
            bound: Bound::of(value),
            side: side.index(),
            forced: value.score().plies_to_end().is_some(),
            text: text(game, value),
            short: short(game, value),
        }
    }
}

fn text(game: &dyn HostedGame, value: Value) -> String {
    let shown = || game.show(value).replace(">=", "≥").replace("<=", "≤");
    match (whole_points(game, value), value) {
        (None, _) | (_, Value::Estimate(_)) => shown(),
        (Some(points), Value::Exact(_)) => signed(points),
        (Some(points), Value::AtLeast(_)) => format!("≥ {}", signed(points)),
        (Some(points), Value::AtMost(_)) => format!("≤ {}", signed(points)),
    }
}

fn short(game: &dyn HostedGame, value: Value) -> String {
    let sign = match value {
        Value::Exact(_) | Value::Estimate(_) => "",
        Value::AtLeast(_) => "≥",
        Value::AtMost(_) => "≤",
    };
    let score = value.score();
    if let Some(plies) = score.plies_to_end() {
        let (letter, plies) = (if score.is_win() { 'W' } else { 'L' }, plies.abs());
        // A lower bound that is a win, or an upper bound that is a loss, limits the plies to the end; any
        // other bound limits the score.
        return match value {
            Value::AtLeast(_) if score.is_win() => format!("{letter}≤{plies}"),
            Value::AtMost(_) if score.is_loss() => format!("{letter}≤{plies}"),
            _ => format!("{sign}{letter}{plies}"),
        };
    }
    match (whole_points(game, value), value) {
        (None, _) | (_, Value::Estimate(_)) => {
            // A zero has no sign.
            let rounded = (f64::from(score.get()) / f64::from(game.point()) * 10.0).round();
            let text =
                if rounded == 0.0 { "0.0".to_owned() } else { format!("{:+.1}", rounded / 10.0) };
            format!("{sign}{text}")
        }
        (Some(points), _) => format!("{sign}{}", signed(points)),
    }
}

/// Returns the score in points, if it is a whole number of points.
fn whole_points(game: &dyn HostedGame, value: Value) -> Option<i32> {
    let score = value.score();
    let is_whole = score.plies_to_end().is_none() && score.get() % game.point() == 0;
    is_whole.then(|| score.get() / game.point())
}

fn signed(points: i32) -> String {
    if points == 0 { "0".to_owned() } else { format!("{points:+}") }
}

#[cfg(test)]
mod tests {
    use plyground::Score;

    use super::*;
    use crate::testing::served;

    fn texts(value: Value) -> [String; 2] {
        let view = ScoreView::new(&*served().game, Side::First, value);
        [view.text, view.short]
    }

    #[test]
    fn bound_is_shown_as_a_bound() {
        for (value, expected) in [
            (Value::Exact(Score::win_in(5)), ["win in 5", "W5"]),
            (Value::Exact(Score::loss_in(4)), ["loss in 4", "L4"]),
            (Value::AtLeast(Score::win_in(15)), ["win in ≤ 15", "W≤15"]),
            (Value::AtMost(Score::loss_in(14)), ["loss in ≤ 14", "L≤14"]),
            (Value::AtMost(Score::win_in(3)), ["≤ win in 3", "≤W3"]),
            (Value::AtLeast(Score::loss_in(2)), ["≥ loss in 2", "≥L2"]),
            (Value::Exact(Score::points(3)), ["+3", "+3"]),
            (Value::Exact(Score::ZERO), ["0", "0"]),
            (Value::AtLeast(Score::points(3)), ["≥ +3", "≥+3"]),
            (Value::AtMost(Score::points(-1)), ["≤ -1", "≤-1"]),
            (Value::AtLeast(Score::estimate(50)), ["≥ +0.50", "≥+0.5"]),
            (Value::Estimate(Score::estimate(135)), ["+1.35", "+1.4"]),
            (Value::Estimate(Score::estimate(-4)), ["-0.04", "0.0"]),
            (Value::Estimate(Score::points(2)), ["+2.00", "+2.0"]),
        ] {
            assert_eq!(texts(value), expected, "{value:?}");
        }
    }

    #[test]
    fn score_of_the_second_side_is_turned_for_the_first() {
        let value = Value::AtLeast(Score::points(2));
        let view = ScoreView::new(&*served().game, Side::Second, value);
        assert_eq!((view.first, view.bound, view.side), (-200, Bound::AtLeast, 1));
    }
}
