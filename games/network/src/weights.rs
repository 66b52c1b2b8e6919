//! The weights of the terms of the evaluation.

use serde::Serialize;

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
    /// `network tune --games 20000 --depth 4` finds 74, 69, 57, 54, 26 and -52 for the terms: +18 Elo
    /// (95 %: +6 to +31) in 1,000 pairs of games at depth 4, but no certain gain in 623 pairs at depth 6,
    /// +6 (-8 to +19).
    pub const DEFAULT: Weights = Weights {
        tempo: 60,
        goal: 80,
        goal_link: 50,
        interior_link: 40,
        center: 30,
        adjacent_pair: -10,
        block: 40,
    };

    /// The names of the terms, in the order of [`of_terms`](Weights::of_terms).
    pub const TERM_NAMES: [&str; TERMS] =
        ["tempo", "goal", "goal_link", "interior_link", "center", "adjacent_pair"];

    /// Returns the weights of the terms that the evaluation adds up: all except that of a block.
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
