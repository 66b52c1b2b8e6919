//! What a position without a network is worth.

use plyground::{Evaluator, Score};

use crate::color::Color;
use crate::links::{nearest, sight_onward};
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::squares::SquareSet;

/// Counts chips and the lines between them.
///
/// The same for both colors but for the turn: exchanging the colors together with rows and
/// columns leaves the value as it is, and giving the turn to the other player changes the sign
/// of all but a constant for having the turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChipEval;

// The weights are in hundredths. Chosen by matches between weights, 1,600 games each at depth 4
// from random openings: further changes made no difference that so many games could show.

/// The turn.
const TEMPO: i32 = 60;
/// A goal with a chip in it, one or more.
const GOAL: i32 = 80;
/// A connection between a chip in a goal and one in the interior.
const GOAL_LINK: i32 = 50;
/// A connection between two chips in the interior.
const INTERIOR_LINK: i32 = 40;
/// A chip on one of the sixteen squares in the middle.
const CENTER: i32 = 30;
/// Two chips side by side or corner to corner: they keep other chips away.
const ADJACENT_PAIR: i32 = -10;
/// A chip between two of the opponent. For the order of moves alone.
const BLOCK: i32 = 40;

impl Evaluator<Position> for ChipEval {
    #[inline(always)]
    fn evaluate(&self, position: &Position) -> Score {
        let color = position.to_move();
        let own = position.chips(color);
        let others = position.chips(color.other());
        let empty = !(own | others).0;
        let side = |color, chips| worth(color, chips) + links(chips, empty);
        Score::estimate(side(color, own) - side(color.other(), others) + TEMPO)
    }

    /// Depth 1 costs less than the order.
    #[inline]
    fn order_depth(&self) -> u32 {
        2
    }

    /// The worth of the chip on its new square less, for a step, that on its old one.
    #[inline]
    fn order(&self, position: &Position, mv: Move, next: &Position) -> i32 {
        let color = position.to_move();
        let gain = standing(next, color, mv.to());
        mv.from().map_or(gain, |from| gain - standing(position, color, from))
    }
}

/// What the chip of `color` on `square` adds: its place, the connections that it has, and those
/// that it breaks.
#[inline]
fn standing(position: &Position, color: Color, square: Square) -> i32 {
    let own = position.chips(color);
    let others = position.chips(color.other());
    let is_inside = SquareSet::INTERIOR.contains(square);
    let mut worth = if SquareSet::CENTER.contains(square) { CENTER } else { 0 };
    if let Some(goal) = color.goals().into_iter().find(|goal| goal.contains(square)) {
        worth += if (goal & own).len() == 1 { GOAL } else { 0 };
    }
    for ends in nearest(square, position.occupied().0) {
        let friends = ends & own.0;
        let inside = (friends & SquareSet::INTERIOR.0).count_ones() as i32;
        let in_goals = friends.count_ones() as i32 - inside;
        worth += if is_inside {
            INTERIOR_LINK * inside + GOAL_LINK * in_goals
        } else {
            GOAL_LINK * inside
        };
        worth += if (ends & others.0).count_ones() == 2 { BLOCK } else { 0 };
    }
    let paired = !(SquareSet::EMPTY.with(square).neighbors() & own).is_empty();
    worth + if paired { ADJACENT_PAIR } else { 0 }
}

/// The worth of the chips of `color` without their connections.
#[inline(always)]
fn worth(color: Color, chips: SquareSet) -> i32 {
    let [first, second] = color.goals().map(|goal| i32::from(!(chips & goal).is_empty()));
    let center = (chips & SquareSet::CENTER).len() as i32;
    // A legal position has no group of three, so that every chip with a neighbor is in a pair.
    let paired = (chips & chips.neighbors()).len() as i32;
    GOAL * (first + second) + CENTER * center + ADJACENT_PAIR * (paired / 2)
}

/// The worth of the connections between `chips`, which see each other over `empty`.
#[inline(always)]
fn links(chips: SquareSet, empty: u64) -> i32 {
    let (inside, goals) = ((chips & SquareSet::INTERIOR).0, (chips - SquareSet::INTERIOR).0);
    let (mut within, mut with_goals) = (0, 0);
    for seen in sight_onward(inside, empty) {
        within += (seen & inside).count_ones() as i32;
        with_goals += (seen & goals).count_ones() as i32;
    }
    for seen in sight_onward(goals, empty) {
        with_goals += (seen & inside).count_ones() as i32;
    }
    INTERIOR_LINK * within + GOAL_LINK * with_goals
}
