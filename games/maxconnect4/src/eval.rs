//! Evaluation: quadruples that are still open, by the number of pieces that they lack; and the hints to the
//! search.

use plyground::{Bounds, Evaluator, Game, Score, SearchHints, Term};

use crate::bounds;
use crate::cells::{Column, FROM_TOP};
use crate::position::{self, Position};
use crate::quads::Quads;

/// The value of an open quadruple with 0, 1, 2 and 3 pieces, in hundredths of a point.
const WORTH: [i32; 4] = [2, 4, 7, 12];

/// The names of the terms of the evaluation.
const OPEN: [&str; 4] = [
    "open fours, empty",
    "open fours with 1 piece",
    "open fours with 2 pieces",
    "open fours with 3 pieces",
];
const ROUNDING: &str = "rounded to tenths";
const FILLED: &str = "margin, if the other side answers on top";

/// The step of estimates, in hundredths of a point. Finer distinctions mean nothing, and proving them takes
/// more than twice the nodes (50 M against 18 M at depth 24).
const GRAIN: i32 = 10;

/// The greatest number of empty cells at which the filling of the board counts, and not the open
/// quadruples.
const LATE: u32 = 13;

/// The weight of the evaluation in the order of moves, against a history of up to 4,096.
const CONFIDENCE: i32 = 200;

/// An evaluator that counts the quadruples that each side can still complete. Those that lack fewer pieces
/// count more.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenQuads;

impl OpenQuads {
    /// Returns the prospects of the side to move beyond the points made, in hundredths of a point.
    #[inline]
    fn prospects(position: &Position) -> i32 {
        let worth = |stones: u64| -> i32 {
            let counts = Self::open_quads(position, stones).into_iter();
            counts.zip(WORTH).map(|(n, w)| n as i32 * w).sum()
        };
        worth(position.mine) - worth(position.theirs)
    }

    /// Returns the numbers of open quadruples that hold 0, 1, 2 and 3 of the pieces of a side.
    #[inline]
    fn open_quads(position: &Position, stones: u64) -> [u32; 4] {
        let empty = position.empties();
        let open = Quads::within(stones | empty).without(Quads::within(stones));
        open.count_by_stones(stones)
    }

    /// Returns the final margin if the side that can do so answers every move on top of it. With an even
    /// number of empty cells, this is the side that is not to move; otherwise it is the side to move, once
    /// it has taken the lowest cell of a column with an odd number of empty cells.
    fn filled(position: &Position) -> i32 {
        if position.empty_cells().is_multiple_of(2) {
            return bounds::claimeven(position);
        }
        let odd = position.playable() & FROM_TOP;
        let first_moves =
            position.legal_moves().filter(|&column| odd >> position.move_code(column) & 1 != 0);
        first_moves.map(|column| -bounds::claimeven(&position.after(column))).max().unwrap_or(0)
    }
}

impl Evaluator<Position> for OpenQuads {
    #[inline]
    fn evaluate(&self, position: &Position) -> Score {
        if position.empty_cells() <= LATE {
            return Score::points(Self::filled(position));
        }
        Score::points(position.margin()) + Self::prospects(position) / GRAIN * GRAIN
    }

    fn terms(&self, position: &Position) -> Vec<Term> {
        if position.empty_cells() <= LATE {
            let counts = [Self::filled(position), 0];
            return vec![Term { name: FILLED, counts, weight: Score::POINT }];
        }
        let made = Game::points(position).map(|points| Term::of_points(position, points));
        let [own, others] = [position.mine, position.theirs]
            .map(|stones| Self::open_quads(position, stones).map(|count| count as i32));
        let open = (0..WORTH.len()).map(|pieces| {
            let counts = [own[pieces], others[pieces]];
            Term { name: OPEN[pieces], counts, weight: WORTH[pieces] }
        });
        let prospects = Self::prospects(position);
        let rest = [prospects / GRAIN * GRAIN - prospects, 0];
        let rounding = (rest != [0, 0]).then_some(Term { name: ROUNDING, counts: rest, weight: 1 });
        made.into_iter().chain(open).chain(rounding).collect()
    }

    /// Returns the estimate after the move, in full detail. The estimate predicts good moves much better
    /// than the statistics of the search, so it has more weight.
    #[inline]
    fn order(&self, _: &Position, _: Column, next: &Position) -> i32 {
        let estimate = Score::points(next.margin()) + Self::prospects(next);
        -estimate.get() * CONFIDENCE
    }
}

impl SearchHints for Position {
    const MOVE_CODES: usize = u64::BITS as usize;

    /// False, because the board is always filled.
    const MAY_END_EARLY: bool = false;

    #[inline(always)]
    fn end_of_game_key(&self) -> u64 {
        position::end_of_game(self)
    }

    /// Returns the number of the cell in which the piece lands.
    #[inline]
    fn move_code(&self, column: Column) -> usize {
        self.landing(column).trailing_zeros() as usize % Self::MOVE_CODES
    }

    #[inline]
    fn canonical_code(&self, code: usize) -> usize {
        if position::is_canonical(self) {
            code
        } else {
            self.mirror(1 << code).trailing_zeros() as usize
        }
    }

    #[inline(always)]
    fn bounds(&self) -> Bounds {
        bounds::of(self)
    }

    #[inline]
    fn closer_bounds(&self, alpha: Score, beta: Score) -> Option<Bounds> {
        Some(bounds::closer(self, alpha, beta))
    }
}
