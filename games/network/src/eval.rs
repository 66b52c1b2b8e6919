//! The evaluation of a position without a network, and its weights.

use plyground::{Evaluator, Score, Term};
use serde::Serialize;

use crate::color::Color;
use crate::links::{nearest, sight_onward};
use crate::moves::{Move, Square, SquareSet};
use crate::position::Position;

/// An evaluator that counts chips and the lines between them, with [`Weights::DEFAULT`].
///
/// The evaluation treats both colors alike except for the turn: exchanging the colors together with rows and
/// columns leaves the value unchanged, and giving the turn to the other player changes the sign of every
/// term except the constant for the turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChipEval;

/// [`ChipEval`] with other weights, to compare them. It is slower, because they are not constants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weighted(pub Weights);

/// The source of an evaluator's weights. The compiler makes separate code for each evaluator, with
/// constants in it where the weights are constant.
trait Weighing {
    fn weights(&self) -> &Weights;
}

impl Weighing for ChipEval {
    #[inline(always)]
    fn weights(&self) -> &Weights {
        &Weights::DEFAULT
    }
}

impl Weighing for Weighted {
    #[inline(always)]
    fn weights(&self) -> &Weights {
        &self.0
    }
}

/// Implements [`Evaluator`] with the weights of a [`Weighing`] type. The macro serves one type at a time,
/// because another crate's trait cannot be implemented for all of them at once.
macro_rules! judges {
    ($evaluator:ty) => {
        impl Evaluator<Position> for $evaluator {
            #[inline(always)]
            fn evaluate(&self, position: &Position) -> Score {
                value(self, position)
            }

            fn terms(&self, position: &Position) -> Vec<Term> {
                named_terms(self, position)
            }

            /// Returns 2, because a search of depth 1 costs less than the order.
            #[inline]
            fn order_depth(&self) -> u32 {
                2
            }

            #[inline]
            fn order(&self, position: &Position, mv: Move, next: &Position) -> i32 {
                gains(self, position)(mv, next)
            }

            #[inline]
            fn orders(&self, position: &Position) -> impl FnMut(Move, &Position) -> i32 {
                gains(self, position)
            }
        }
    };
}

judges!(ChipEval);
judges!(Weighted);

/// Returns the count of each term in a position, the count of the side to move less the count of the
/// opponent. The evaluation multiplies the counts with the [weights](Weights::of_terms).
#[must_use]
pub fn terms(position: &Position) -> [i32; TERMS] {
    let [own, others] = both_counts(position);
    // The first term is the tempo, each of the others a difference.
    let mut terms = [1; TERMS];
    for (term, (own, others)) in terms[1..].iter_mut().zip(own.into_iter().zip(others)) {
        *term = own - others;
    }
    terms
}

/// The names of the terms, in the order of [`Weights::of_terms`].
const NAMES: [&str; TERMS] = [
    "turn",
    "goals with a chip",
    "connections with a goal",
    "connections in the interior",
    "chips in the middle",
    "chips side by side",
];

fn named_terms(evaluator: &impl Weighing, position: &Position) -> Vec<Term> {
    let [own, others] = both_counts(position);
    // The turn counts for the side to move alone; every other term is counted for both sides.
    let counts = own.into_iter().zip(others).map(|(own, others)| [own, others]);
    let counts = std::iter::once([1, 0]).chain(counts);
    let weights = evaluator.weights().of_terms();
    let terms = NAMES.into_iter().zip(counts).zip(weights);
    terms.map(|((name, counts), weight)| Term { name, counts, weight }).collect()
}

#[inline(always)]
fn value(evaluator: &impl Weighing, position: &Position) -> Score {
    let weights = evaluator.weights();
    let [own, others] = both_counts(position).map(|counts| worth(weights, counts));
    Score::estimate(own - others + weights.tempo)
}

#[inline(always)]
fn worth(weights: &Weights, counts: [i32; TERMS - 1]) -> i32 {
    let [goals, goal_links, interior_links, center, adjacent_pairs] = counts;
    weights.goal * goals
        + weights.center * center
        + weights.adjacent_pair * adjacent_pairs
        + weights.interior_link * interior_links
        + weights.goal_link * goal_links
}

/// Returns a function that gives the gain of a move of `position`: the worth of the chip on its new square
/// less, for a step, its worth on the old square. The steps of a chip must come one after the other.
#[inline(always)]
fn gains(evaluator: &impl Weighing, position: &Position) -> impl FnMut(Move, &Position) -> i32 {
    let color = position.to_move();
    let (mut origin, mut loss) = (None, 0);
    move |mv, next| {
        if mv.from() != origin {
            origin = mv.from();
            loss = origin.map_or(0, |from| standing(evaluator, position, color, from));
        }
        standing(evaluator, next, color, mv.to()) - loss
    }
}

/// Returns the worth of the chip of `color` on `square`: its place, the connections that it has, and the
/// opponent's connections that it breaks.
#[inline]
fn standing(evaluator: &impl Weighing, position: &Position, color: Color, square: Square) -> i32 {
    let weights = evaluator.weights();
    let own = position.chips(color);
    let others = position.chips(color.other());
    let is_inside = SquareSet::INTERIOR.contains(square);
    let mut worth = if SquareSet::CENTER.contains(square) { weights.center } else { 0 };
    if let Some(goal) = color.goals().into_iter().find(|goal| goal.contains(square)) {
        worth += if (goal & own).len() == 1 { weights.goal } else { 0 };
    }
    let lines = nearest(square, position.occupied().0);
    let friends = own.0 & lines.into_iter().fold(0, |all, ends| all | ends);
    let inside = (friends & SquareSet::INTERIOR.0).count_ones() as i32;
    worth += if is_inside {
        weights.interior_link * inside + weights.goal_link * (friends.count_ones() as i32 - inside)
    } else {
        weights.goal_link * inside
    };
    let is_block = |ends: u64| (ends & others.0).count_ones() == 2;
    worth += weights.block * lines.into_iter().map(|ends| i32::from(is_block(ends))).sum::<i32>();
    let paired = !(SquareSet::EMPTY.with(square).neighbors() & own).is_empty();
    worth + if paired { weights.adjacent_pair } else { 0 }
}

/// Returns the counts of the side to move and of the opponent.
#[inline(always)]
fn both_counts(position: &Position) -> [[i32; TERMS - 1]; 2] {
    let color = position.to_move();
    let own = position.chips(color);
    let others = position.chips(color.other());
    let empty = !(own | others).0;
    [counts(color, own, empty), counts(color.other(), others, empty)]
}

/// Returns the count of each term except the turn among the `chips` of `color`, which see each other over
/// `empty`.
#[inline(always)]
fn counts(color: Color, chips: SquareSet, empty: u64) -> [i32; TERMS - 1] {
    let [first, second] = color.goals().map(|goal| i32::from(!(chips & goal).is_empty()));
    let [within, with_goals] = links(chips, empty);
    let center = (chips & SquareSet::CENTER).len() as i32;
    // A legal position has no group of three, so that every chip with a neighbor is in a pair.
    let paired = (chips & chips.neighbors()).len() as i32;
    [first + second, with_goals, within, center, paired / 2]
}

/// Returns the number of connections between two of `chips` in the interior, and the number of connections
/// between a chip in the interior and a chip in a goal.
#[inline(always)]
fn links(chips: SquareSet, empty: u64) -> [i32; 2] {
    let (inside, goals) = ((chips & SquareSet::INTERIOR).0, (chips - SquareSet::INTERIOR).0);
    let (mut within, mut with_goals) = (0, 0);
    for seen in sight_onward(inside, empty) {
        within += (seen & inside).count_ones() as i32;
        with_goals += (seen & goals).count_ones() as i32;
    }
    for seen in sight_onward(goals, empty) {
        with_goals += (seen & inside).count_ones() as i32;
    }
    [within, with_goals]
}

/// The number of terms that the evaluation adds up.
pub const TERMS: usize = 6;

/// The weights of the evaluation, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Weights {
    /// The weight of the turn.
    pub tempo: i32,
    /// A goal with a chip in it, one or more.
    pub goal: i32,
    /// A connection between a chip in a goal and one in the interior.
    pub goal_link: i32,
    /// A connection between two chips in the interior.
    pub interior_link: i32,
    /// A chip on one of the sixteen squares in the middle.
    pub center: i32,
    /// Two chips side by side or corner to corner: they keep other chips away.
    pub adjacent_pair: i32,
    /// A chip between two of the opponent. It counts for the order of moves only.
    pub block: i32,
}

impl Weights {
    /// The weights that the engine player plays with.
    ///
    /// They were chosen by matches between weights, 1,600 games each at depth 4 from random openings:
    /// further changes made no difference that so many games could show.
    /// A fit by logistic regression to the results of 20,000 games of self-play at depth 4 found 74, 69, 57,
    /// 54, 26 and -52 for the terms: +18 Elo (95 %: +6 to +31) in 1,000 pairs of games at depth 4, but no
    /// certain gain in 623 pairs at depth 6, +6 (-8 to +19).
    pub const DEFAULT: Weights = Weights {
        tempo: 60,
        goal: 80,
        goal_link: 50,
        interior_link: 40,
        center: 30,
        adjacent_pair: -10,
        block: 40,
    };

    /// Returns the weights of the terms that the evaluation adds up: all except the weight of a block.
    #[inline]
    #[must_use]
    pub const fn of_terms(&self) -> [i32; TERMS] {
        let Weights { tempo, goal, goal_link, interior_link, center, adjacent_pair, .. } = *self;
        [tempo, goal, goal_link, interior_link, center, adjacent_pair]
    }

    /// Returns these weights with others for the terms that the evaluation adds up.
    #[must_use]
    pub const fn with_terms(self, terms: [i32; TERMS]) -> Weights {
        let [tempo, goal, goal_link, interior_link, center, adjacent_pair] = terms;
        let block = self.block;
        Weights { tempo, goal, goal_link, interior_link, center, adjacent_pair, block }
    }
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::DEFAULT
    }
}
