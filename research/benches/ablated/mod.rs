//! Max-Connect4 without one of its techniques, as a comparison for the benches.
//!
//! The technique left out is a constant of the type, so the compiler makes separate code for each choice,
//! and no code tests at run time which techniques it may use.

use std::fmt;

use maxconnect4::{Column, IllegalMove, OpenQuads, Position, bounds};
use plyground::{Bounds, Evaluator, Game, Outcome, Score, SearchHints, Side};

/// The whole game, with no technique left out.
pub const NOTHING: u8 = 0;
/// No bounds at all.
pub const BOUNDS: u8 = 1;
/// Without the limits from open quadruples.
pub const OPEN_QUADS: u8 = 2;
/// Without the argument about vertical quadruples.
pub const VERTICAL: u8 = 3;
/// Without the limit from answering every move on top.
pub const CLAIMEVEN: u8 = 4;
/// Without pairing contested cells.
pub const PAIRING: u8 = 5;
/// Without a key of its own for play to the end.
pub const END_OF_GAME_KEY: u8 = 6;
/// Without the closer limits from filling columns from the bottom.
pub const CLOSER: u8 = 7;
/// Neither bounds nor a key of its own for play to the end.
pub const ONLY_RULES: u8 = 8;

/// Without the closer limits for an even number of empty cells: from filling two columns from the bottom,
/// and from all ways to pair six contested cells.
pub const TWO_COLUMNS: u8 = 9;

/// A position of Max-Connect4 without the technique `OFF`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ablated<const OFF: u8>(pub Position);

impl<const OFF: u8> Game for Ablated<OFF> {
    type Move = Column;
    type IllegalMove = IllegalMove;

    const NAME: &'static str = Position::NAME;

    #[inline(always)]
    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    #[inline(always)]
    fn legal_moves(&self) -> impl Iterator<Item = Column> {
        self.0.legal_moves()
    }

    fn check_legal(&self, column: Column) -> Result<(), IllegalMove> {
        self.0.check_legal(column)
    }

    #[inline(always)]
    fn play_unchecked(&mut self, column: Column) {
        self.0.play_unchecked(column);
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        self.0.key()
    }

    #[inline(always)]
    fn margin(&self) -> i32 {
        self.0.margin()
    }

    #[inline(always)]
    fn plies_left(&self) -> Option<u32> {
        self.0.plies_left()
    }
}

impl<const OFF: u8> SearchHints for Ablated<OFF> {
    const MOVE_CODES: usize = Position::MOVE_CODES;
    const MAY_END_EARLY: bool = Position::MAY_END_EARLY;

    #[inline(always)]
    fn end_of_game_key(&self) -> u64 {
        if matches!(OFF, END_OF_GAME_KEY | ONLY_RULES) {
            self.0.key()
        } else {
            self.0.end_of_game_key()
        }
    }

    #[inline(always)]
    fn move_code(&self, column: Column) -> usize {
        self.0.move_code(column)
    }

    #[inline(always)]
    fn canonical_code(&self, code: usize) -> usize {
        self.0.canonical_code(code)
    }

    #[inline(always)]
    fn bounds(&self) -> Bounds {
        match OFF {
            BOUNDS | ONLY_RULES => Bounds::NONE,
            OPEN_QUADS => combine(Bounds::NONE, self.claimeven(bounds::claimeven)),
            VERTICAL => {
                combine(bounds::open_quads_and_towers(&self.0), self.claimeven(bounds::claimeven))
            }
            CLAIMEVEN => bounds::open_quads(&self.0),
            PAIRING => {
                combine(bounds::open_quads(&self.0), self.claimeven(bounds::claimeven_unpaired))
            }
            _ => self.0.bounds(),
        }
    }

    #[inline(always)]
    fn closer_bounds(&self, alpha: Score, beta: Score) -> Option<Bounds> {
        let is_out = match OFF {
            CLOSER | BOUNDS | ONLY_RULES => true,
            TWO_COLUMNS => self.0.empty_cells().is_multiple_of(2),
            _ => false,
        };
        if is_out { None } else { self.0.closer_bounds(alpha, beta) }
    }
}

impl<const OFF: u8> Ablated<OFF> {
    /// Returns the limit from answering every move on top, where the number of empty cells is even.
    #[inline(always)]
    fn claimeven(&self, most: impl Fn(&Position) -> i32) -> Option<Score> {
        self.0.empty_cells().is_multiple_of(2).then(|| Score::points(most(&self.0)))
    }
}

/// Returns `limits` with another upper limit, `most`.
#[inline(always)]
fn combine(limits: Bounds, most: Option<Score>) -> Bounds {
    let most = most.unwrap_or(limits.upper);
    Bounds { upper: limits.upper.min(most).max(limits.lower), ..limits }
}

impl<const OFF: u8> fmt::Display for Ablated<OFF> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The evaluation of the real game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judgment;

impl<const OFF: u8> Evaluator<Ablated<OFF>> for Judgment {
    #[inline(always)]
    fn evaluate(&self, position: &Ablated<OFF>) -> Score {
        OpenQuads.evaluate(&position.0)
    }

    #[inline(always)]
    fn order(&self, position: &Ablated<OFF>, column: Column, next: &Ablated<OFF>) -> i32 {
        OpenQuads.order(&position.0, column, &next.0)
    }
}
